/* Internal: the producers of bytes for files that are neither plain nor deflated. */
#ifndef IO_STREAM_MAKERS_H
#define IO_STREAM_MAKERS_H

#include "io/stream.h"

/* Refills the empty buffer of compressed bytes; it stays empty at the end of the file. */
puad_status stream_fill(stream *source);

/* Zstandard and xz, detected by the first bytes in the buffer; otherwise nothing changes. */
puad_status stream_unpack(stream *out);

/* Reads the bytes of the file unchanged. */
puad_status stream_read_plain(stream *source, unsigned char *out, size_t size, size_t *out_count);

/* Converts UTF-16 with a byte order mark to UTF-8; otherwise nothing changes. */
puad_status stream_utf16(stream *out);

/* Whether a path names several files. */
bool stream_is_joined(const char *path);
puad_status stream_join(stream *out, const char *path, struct kept_files *kept);
bool stream_reads_joined(const stream *source);
stream_place stream_join_line(const stream *source, uint64_t line);

/* The first sheet of an Excel workbook as CSV, if the first bytes in the buffer are those of a workbook. */
puad_status stream_sheet(stream *out, const char *path);

#endif
