/* Bytes of a file in order, unpacked on the way: plain, gzip, Zstandard, xz, or one member of a zip archive;
 * several files of one table as one, and a sheet of a workbook as CSV. Every format reader stands on this, so
 * that a cut or damaged file is told apart and named with its place in one way. */
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

/* What makes the bytes of a STREAM_MADE: as many as there are, at most `size`, fewer only at the end. */
typedef struct stream_maker {
    puad_status (*read)(stream *source, unsigned char *out, size_t size, size_t *out_count);
    void (*end)(stream *source);
    void *state;
    uint64_t ratio; /* no more bytes per byte of the file; 0 if unknown */
} stream_maker;

struct stream {
    FILE *file; /* NULL if the file is kept */
    int handle; /* of a kept file, borrowed; its bytes before handle_at have been read */
    uint64_t handle_at;
    char *name; /* for messages: the path, or "archive.npz, member x" */
    stream_kind kind;
    bool live;    /* a pipe that is read as its bytes arrive, see stream_read_live */
    bool ended;   /* the packed data said so, or there are no more bytes */
    bool checked; /* the unpacked bytes must have the checksum `expected` */
    uint32_t sum, expected;
    uint64_t offset;       /* unpacked bytes handed out so far */
    uint64_t packed_left;  /* bytes of the file still to be read; UINT64_MAX for a pipe, where nobody knows */
    unsigned char *buffer; /* bytes read from the file and not used yet */
    size_t buffered;
    unsigned char *next;
    z_stream zip;
    bool zip_open;
    stream_maker made;
};

/* A whole file; how it is packed is known by its first bytes. "-" is standard input. A folder of CSV files,
 * or several paths with line feeds between them, are one table: see stream_join.c. */
puad_status stream_open(stream *out, const char *path);

/* The same for a file that is read more than once; `kept` may be NULL. */
puad_status stream_open_kept(stream *out, const char *path, struct kept_files *kept);

/* The same for a file that somebody may be writing to, line by line: from a pipe no more is read than there
 * is. out->live tells whether stream_read_live goes on so: not for what is packed, or no pipe. */
puad_status stream_open_live(stream *out, const char *path, struct kept_files *kept);

/* What has arrived, at most `size` bytes; waits where there is nothing yet. 0 only at the end. */
puad_status stream_read_live(stream *source, void *out, size_t size, size_t *out_count);

/* `packed` bytes at `place` of a file, stored or deflated, with a checksum of the unpacked bytes. */
puad_status stream_open_member(stream *out, const char *path, const char *member, uint64_t place,
                               uint64_t packed, bool deflated, uint32_t checksum);

/* A member of a zip archive by its name; *out_found is false where there is none. */
puad_status stream_open_zip(stream *out, bool *out_found, const char *path, const char *member);

/* Exactly `size` bytes, or an error. */
puad_status stream_read(stream *source, void *out, size_t size);

/* As many as there are, at most `size`; fewer only at the end. */
puad_status stream_read_some(stream *source, void *out, size_t size, size_t *out_count);

/* Where a line, counted from 1 over all bytes, is: of several files the one that holds it, and its line
 * there. Safe while another thread reads. */
typedef struct stream_place {
    const char *name;
    unsigned long long line;
} stream_place;
stream_place stream_line(const stream *source, uint64_t line);

/* That nothing follows and that the checksum is right. */
puad_status stream_expect_end(stream *source);

/* No more than this many unpacked bytes can follow: what a header promises is held against it before memory
 * is asked for. UINT64_MAX when it cannot be known. */
uint64_t stream_bound(const stream *source);

void stream_close(stream *owner); /* {0} is fine */
#define AUTO_STREAM __attribute__((cleanup(stream_close)))

#endif
