/* Numbers of a column encoded by AVX2, for side_by_side.c. */
#ifndef DATA_ENCODE_AVX2_H
#define DATA_ENCODE_AVX2_H

#include "data/transform.h"

/* Whether this machine and this column can: the column's constants are neither tiny nor huge. */
bool encode_avx2_can(const transform_column *column);

/* Encodes `count` numbers, a multiple of eight; missing ones are 0, and 1 in `missing`, which may be NULL.
 * Returns false if one of them is beyond the column's bounds. */
bool encode_avx2(float *out, float *missing, const transform_column *column, const double *numbers,
                 size_t count);

#endif
