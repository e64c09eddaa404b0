/* Identifies rows by their values: a 64-bit key per row, and finding the rows with given keys in a file in
 * which they may have moved. */
#ifndef DATASET_ROW_KEYS_H
#define DATASET_ROW_KEYS_H

#include "base/memory.h"

/* The key of an encoded row. Other encodings give other keys. */
uint64_t row_key(const float *values, size_t columns);

typedef struct row_finder {
    arena memory;
    const uint64_t *keys; /* of the rows to search; borrowed */
    size_t rows;
    uint32_t *order;  /* row indices sorted by key */
    uint32_t *passed; /* at the first row of a key: how many of its rows are already taken */
    uint8_t *taken;   /* not 0: cannot be found (again); the caller may set it before the first search */
} row_finder;

puad_status row_finder_new(row_finder *out, const uint64_t *keys, size_t rows);

/* Finds a different row for each key and writes its index to `places`: the old index if the row is still
 * there, else the first one not taken, SIZE_MAX if there is none. Found rows become taken. Returns the
 * number found. */
size_t row_finder_find(size_t *places, row_finder *in, const uint64_t *keys, const uint32_t *was,
                       size_t count);
void row_finder_free(row_finder *owner); /* {0} is fine */
#define AUTO_FINDER __attribute__((cleanup(row_finder_free)))

#endif
