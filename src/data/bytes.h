/* A stream of bytes from a file or from standard input ("-"), unpacked on the way when it is gzip. */
#ifndef DATA_BYTES_H
#define DATA_BYTES_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct byte_source byte_source;

puad_status bytes_open(byte_source **out, const char *path);

/* Fills `room` bytes; fewer only at the end. Errors name the file and the offset in it. */
puad_status bytes_read(size_t *out_count, byte_source *source, void *out, size_t room);

const char *bytes_name(const byte_source *source); /* the path, or "standard input" */
void bytes_close(byte_source *source);             /* NULL is fine */

#endif
