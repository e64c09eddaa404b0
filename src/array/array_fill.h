/* What the readers of arrays share: sizes checked, then elements in this machine's byte order. */
#ifndef ARRAY_ARRAY_FILL_H
#define ARRAY_ARRAY_FILL_H

#include "array/array.h"
#include "io/stream.h"

/* Reads the elements of `out`, whose type and shape are set, and that nothing follows them. The size is held
 * against `limit` and against what the file can hold before memory is asked for. `swapped`: the file's byte
 * order is not ours. */
puad_status array_fill(array *out, stream *source, size_t limit, bool swapped);

/* The array of an NPY file or member from its first byte on; `texts`: its elements may be texts. */
puad_status npy_parse(array *out, stream *source, size_t limit, bool texts);

#endif
