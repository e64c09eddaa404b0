/* Shared by the readers of official files. */
#ifndef LAB_SETS_SET_READERS_H
#define LAB_SETS_SET_READERS_H

#include "array/array.h"
#include "lab/sets/set.h"

static const size_t SET_BYTES_MAX = (size_t)8 << 30; /* maximum size of one array of a set */

/* The readers named in sets.def, some more than once. */
#define SET(name, reader, ...) extern const set_reader set_reader_##reader;
#include "lab/sets/sets.def"
#undef SET

/* One file of SVHN; a folder or an archive of CIFAR. out->about is set. */
puad_status svhn_read(raw_set *out, set_part part, const char *path);
puad_status cifar10_read(raw_set *out, const char *place);
puad_status cifar100_read(raw_set *out, const char *place);

/* The first existing name (separated by '|', relative to the folder), on the heap. */
puad_status set_find_file(char **out_path, const set_row *about, const char *folder, const char *names);

/* Creates a part from pixels (rows x height x width, optionally x 3 channels; uint8) and labels (one per
 * row). Takes ownership of the bytes of `pixels` if they are already in C order. Sets or checks the set's
 * shape. */
puad_status raw_part_fill(raw_set *set, set_part part, array *pixels, const array *labels, const char *path);

/* Sets the shape of the rows, or fails if the other part has another one. */
puad_status raw_set_shape(raw_set *set, size_t height, size_t width, size_t channels, const char *path);

#endif
