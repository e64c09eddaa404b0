/* Bytes as a file that lives in memory, for readers that take a path. */
#ifndef TESTS_FUZZ_FUZZ_FILE_H
#define TESTS_FUZZ_FUZZ_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* The path of a file with these bytes; the same file every time. NULL when it cannot be written. */
static inline const char *fuzz_file(const uint8_t *bytes, size_t size)
{
    static int handle = -1;
    static char path[64];
    if (handle < 0) {
        handle = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", handle);
    }
    if (handle < 0 || ftruncate(handle, 0) != 0 || pwrite(handle, bytes, size, 0) != (ssize_t)size)
        return NULL;
    return path;
}

#endif
