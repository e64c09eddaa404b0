/* Public structs that start with size_t struct_size: a caller built against an earlier header has a shorter
 * one, a caller built against a later header a longer one. */
#ifndef BASE_SIZED_STRUCT_H
#define BASE_SIZED_STRUCT_H

#include "base/status.h"

/* Copies `size` bytes of ours, `from`, into the caller's struct `out`, or as many as it has, and sets its
 * bytes past ours to 0. PUAD_INVALID if its struct_size is not set. */
puad_status struct_write(void *out, const void *from, size_t size, const char *name);

/* The same for element `index` of an array; the struct_size of element 0 is the distance between elements. */
puad_status struct_write_at(void *out, size_t index, const void *from, size_t size, const char *name);

/* Copies the caller's struct into ours; fields that it does not have become 0. */
puad_status struct_read(void *out, size_t size, const void *from, const char *name);

#endif
