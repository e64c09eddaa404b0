/* Encodes the numbers of a table column by column with vector kernels, and transposes several columns at
 * once to rows. Bit-identical to transform_number. */
#ifndef TABLE_ENCODING_ENCODE_COLUMNS_H
#define TABLE_ENCODING_ENCODE_COLUMNS_H

#include "table/encoding/transform.h"

enum { ROWS_TOGETHER = 128, COLUMNS_TOGETHER = 16 };

/* Encoded columns `first` to `first + columns` of up to ROWS_TOGETHER rows. */
typedef struct side_by_side {
    float *rows; /* destination of the first row */
    size_t stride, count;
    size_t first, columns;
    float values[COLUMNS_TOGETHER][ROWS_TOGETHER];
} side_by_side;

/* For `count` rows, at most ROWS_TOGETHER, that are `stride` floats apart. */
void side_by_side_begin(side_by_side *out, float *rows, size_t stride, size_t count);

/* Encodes the numbers of a column, NaN if missing. Returns false if one of them is outside the column's
 * bounds. */
bool side_by_side_add(side_by_side *into, const transform_column *column, const double *numbers);

/* Writes the remaining columns to the rows. */
void side_by_side_end(side_by_side *sources);

#endif
