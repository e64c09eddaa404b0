/* Bytes as a file in memory, for readers that take a path. */
#ifndef TESTS_FUZZ_FUZZ_FILE_H
#define TESTS_FUZZ_FUZZ_FILE_H

#include "io/stream.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* The path of a file with these bytes, one of a few; always the same file. NULL if it cannot be written. */
enum { FUZZ_FILES = 2 };
static inline const char *fuzz_file_of(size_t which, const uint8_t *bytes, size_t size)
{
    static int handles[FUZZ_FILES]; /* 0: not made yet */
    static char paths[FUZZ_FILES][64];
    if (handles[which] <= 0) {
        handles[which] = memfd_create("fuzz", 0);
        snprintf(paths[which], sizeof paths[which], "/proc/self/fd/%d", handles[which]);
    }
    if (handles[which] <= 0 || ftruncate(handles[which], 0) != 0 ||
        pwrite(handles[which], bytes, size, 0) != (ssize_t)size)
        return NULL;
    return paths[which];
}

static inline const char *fuzz_file(const uint8_t *bytes, size_t size)
{
    return fuzz_file_of(0, bytes, size);
}

/* Opens the bytes as a stream and reads it to its end, at most 16 MB of it, in pieces of `piece` bytes. */
static inline void fuzz_read_stream(const uint8_t *bytes, size_t size, size_t piece)
{
    enum { MOST = 16 << 20, PIECE_MAX = 4096 };
    static char out[PIECE_MAX];
    const char *path = fuzz_file(bytes, size);
    stream source = {0};
    if (!path || stream_open(&source, path) != PUAD_OK) return;
    size_t count = 1;
    for (size_t all = 0; count && all < MOST; all += count)
        if (stream_read_some(&source, out, piece, &count) != PUAD_OK) break;
    stream_close(&source);
}

#endif
