/* Shared by the readers of arrays: checks sizes, then reads elements in this machine's byte order. */
#ifndef ARRAY_ARRAY_FILL_H
#define ARRAY_ARRAY_FILL_H

#include "array/array.h"
#include "io/stream.h"

/* Reads the elements of `out`, whose type and shape are set, and checks that nothing follows them. The
 * size is checked against `limit` and the size of the file before memory is allocated. `swapped`: the byte
 * order is not this machine's. */
puad_status array_fill(array *out, stream *source, size_t limit, bool swapped);

/* The array of an NPY file or member from its first byte on; `texts`: its elements may be strings. */
puad_status npy_parse(array *out, stream *source, size_t limit, bool texts);

#endif
