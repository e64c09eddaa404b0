/* Bytes of a file in order, decompressed: plain, gzip, Zstandard, xz, a member of a zip archive, several
 * files of one table joined, or a sheet of a workbook as CSV. Every format reader uses it, so truncated or
 * damaged files are reported uniformly, with file name and place. */
#ifndef IO_STREAM_H
#define IO_STREAM_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

struct kept_files;

typedef enum stream_kind { STREAM_PLAIN, STREAM_DEFLATE, STREAM_GZIP, STREAM_MADE } stream_kind;

typedef struct stream stream;

/* A producer of the bytes of a STREAM_MADE stream: returns at most `size` bytes, fewer only at the end. */
typedef struct stream_maker {
    puad_status (*read)(stream *source, unsigned char *out, size_t size, size_t *out_count);
    void (*end)(stream *source);
    void *state;
    uint64_t ratio; /* maximum number of bytes per byte of the file; 0 if unknown */
} stream_maker;

struct stream {
    FILE *file; /* NULL if the file is kept */
    int handle; /* borrowed descriptor of a kept file; handle_at is the next offset to read */
    uint64_t handle_at;
    char *name; /* for messages: the path, or "archive.npz, member x" */
    stream_kind kind;
    bool live;    /* a pipe that is read as its bytes arrive, see stream_read_live */
    bool ended;   /* the compressed data ended, or there are no more bytes */
    bool checked; /* the unpacked bytes must have the checksum `expected` */
    uint32_t sum, expected;
    uint64_t offset; /* decompressed bytes delivered so far */
    /* bytes of the file still to be read; UINT64_MAX for a pipe, whose size is unknown */
    uint64_t packed_left;
    unsigned char *buffer; /* bytes read from the file but not used yet */
    size_t buffered;
    unsigned char *next;
    z_stream zip;
    bool zip_open;
    stream_maker made;
};

/* Opens a whole file; the first bytes determine its compression. "-" is standard input. A folder of CSV
 * files, or a list, are joined to one table (stream_join.c). A list has a line feed before each path, and line
 * feeds in a path are doubled; a path that begins with one is preceded by "./". */
puad_status stream_open(stream *out, const char *path);

/* The same for a file that is read more than once; `kept` may be NULL. */
puad_status stream_open_kept(stream *out, const char *path, struct kept_files *kept);

/* The same for a file that another process may be writing line by line: from a pipe, only the available
 * bytes are read. out->live is false if stream_read_live is not possible (compressed data, or not a pipe). */
puad_status stream_open_live(stream *out, const char *path, struct kept_files *kept);

/* Reads at most `size` bytes that have arrived; waits if there are none yet. 0 only at the end. */
puad_status stream_read_live(stream *source, void *out, size_t size, size_t *out_count);

typedef struct packed_member {
    const char *name;
    uint64_t place, packed; /* offset in the file, bytes there */
    bool deflated;          /* else stored */
    uint32_t checksum;      /* of the decompressed bytes */
} packed_member;

puad_status stream_open_member(stream *out, const char *path, const packed_member *member);

/* Opens a member of a zip archive by name; *out_found is false if there is none. */
puad_status stream_open_zip(stream *out, bool *out_found, const char *path, const char *member);

/* Reads exactly `size` bytes, or fails. */
puad_status stream_read(stream *source, void *out, size_t size);

/* Reads at most `size` bytes; fewer only at the end. */
puad_status stream_read_some(stream *source, void *out, size_t size, size_t *out_count);

/* The file that contains a line (counted from 1 over all files), and its line number there. Safe while
 * another thread reads. */
typedef struct stream_place {
    const char *name;
    unsigned long long line;
} stream_place;
stream_place stream_line(const stream *source, uint64_t line);

/* Fails if bytes follow or the checksum is wrong. */
puad_status stream_expect_end(stream *source);

/* Upper bound of the decompressed bytes that can follow; sizes announced by a header are checked against
 * it before memory is allocated. UINT64_MAX if unknown. */
uint64_t stream_bound(const stream *source);

void stream_close(stream *owner); /* {0} is fine */
#define AUTO_STREAM __attribute__((cleanup(stream_close)))

#endif
