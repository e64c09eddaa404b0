/* Inside the streams: what makes bytes out of files that are more than plain or deflated. */
#ifndef IO_STREAM_MAKERS_H
#define IO_STREAM_MAKERS_H

#include "io/stream.h"

/* Refills the empty buffer of packed bytes; leaves it empty at the end of the file. */
puad_status stream_fill(stream *source);

/* Zstandard and xz, by the first bytes in the buffer; nothing is changed where it is neither. */
puad_status stream_unpack(stream *out);

/* The bytes of the file as they are. */
puad_status stream_read_plain(stream *source, unsigned char *out, size_t size, size_t *out_count);

/* UTF-16 behind a byte order mark, as UTF-8; nothing is changed where there is none. */
puad_status stream_utf16(stream *out);

/* Several files as one. */
bool stream_is_joined(const char *path);
puad_status stream_join(stream *out, const char *path, struct kept_files *kept);
bool stream_reads_joined(const stream *source);
stream_place stream_join_line(const stream *source, uint64_t line);

/* The first sheet of an Excel workbook as CSV, where the first bytes in the buffer are those of one. */
puad_status stream_sheet(stream *out, const char *path);

#endif
