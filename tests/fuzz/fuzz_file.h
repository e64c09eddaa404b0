/* Bytes as a file that lives in memory, for readers that take a path. */
#ifndef TESTS_FUZZ_FUZZ_FILE_H
#define TESTS_FUZZ_FUZZ_FILE_H

#include "data/stream.h"

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

/* Opens the bytes as a stream and reads it to its end, at most 16 MB of it, in pieces of `piece` bytes. */
static inline void fuzz_read_stream(const uint8_t *bytes, size_t size, size_t piece)
{
    enum { MOST = 16 << 20, PIECE_MOST = 4096 };
    static char out[PIECE_MOST];
    const char *path = fuzz_file(bytes, size);
    stream source = {0};
    if (!path || stream_open(&source, path) != PUAD_OK) return;
    size_t count = 1;
    for (size_t all = 0; count && all < MOST; all += count)
        if (stream_read_some(&source, out, piece, &count) != PUAD_OK) break;
    stream_close(&source);
}

#endif
