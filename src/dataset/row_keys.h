/* Rows known by their values: a key of 64 bits a row, and finding the rows of given keys in a file again,
 * wherever they stand now. */
#ifndef DATASET_ROW_KEYS_H
#define DATASET_ROW_KEYS_H

#include "base/memory.h"

/* Of a row as a model encodes it. Another model's encoding gives other keys. */
uint64_t row_key(const float *values, size_t columns);

typedef struct row_finder {
    arena memory;
    const uint64_t *keys; /* of the rows to look among; borrowed */
    size_t rows;
    uint32_t *order;  /* rows by key */
    uint32_t *passed; /* at the first row of a key: how many of its rows are known to be taken */
    uint8_t *taken;   /* not 0: not to be found (again); the caller may set it before the first search */
} row_finder;

puad_status row_finder_new(row_finder *out, const uint64_t *keys, size_t rows);

/* A row of its own for each key into `places`: where it was if it still is there, else the first that is not
 * taken; SIZE_MAX where there is none. Rows found are taken. Returns how many were found. */
size_t row_finder_find(size_t *places, row_finder *in, const uint64_t *keys, const uint32_t *was,
                       size_t count);
void row_finder_free(row_finder *owner); /* {0} is fine */
#define AUTO_FINDER __attribute__((cleanup(row_finder_free)))

#endif
