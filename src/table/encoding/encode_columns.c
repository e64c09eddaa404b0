/* Encodes columns with kernels, and transposes columns to rows. */
#include "table/encoding/encode_columns.h"

#include "kernels/kernels.h"

void side_by_side_begin(side_by_side *out, float *rows, size_t stride, size_t count)
{
    out->rows = rows;
    out->stride = stride;
    out->count = count;
    out->first = out->columns = 0;
}

void side_by_side_end(side_by_side *sources)
{
    kernels_best()->turn_columns(sources->rows + sources->first, sources->stride, sources->values[0],
                                 ROWS_TOGETHER, sources->count, sources->columns);
    sources->columns = 0;
}

bool side_by_side_add(side_by_side *into, const transform_column *column, const double *numbers)
{
    size_t wanted = 1 + column->indicator;
    if (into->columns + wanted > COLUMNS_TOGETHER || column->first != into->first + into->columns)
        side_by_side_end(into);
    if (into->columns == 0) into->first = column->first;
    float *values = into->values[into->columns], *missing = column->indicator ? values + ROWS_TOGETHER : NULL;
    number_encoding encoding = {.pivot = column->pivot,
                                .factor = column->factor,
                                .mean = column->mean,
                                .sd = column->sd,
                                .scale = column->scale,
                                .low = column->low,
                                .high = column->high,
                                .shift = column->shift,
                                .spread = column->spread};
    bool beyond = false;
    into->columns += wanted;
    kernels_best()->encode_numbers(values, missing, &beyond, &encoding, numbers, into->count);
    return !beyond;
}
