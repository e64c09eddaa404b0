/* Encoding a column at a time, and columns to rows by squares of four by four. */
#include "data/side_by_side.h"

#include "data/encode_avx2.h"

#include <math.h>

/* transform_hold and transform_held without branches, so that compilers make vectors of them; missing numbers
 * become 0, and 1 in `missing`, which may be NULL. */
static bool encode(float *restrict out, float *restrict missing, const transform_column *column,
                   const double *restrict numbers, size_t count)
{
    int beyond = 0;
    double pivot = column->pivot, factor = column->factor, mean = column->mean, sd = column->sd;
    double scale = column->scale, low = column->bounded ? column->low : -INFINITY;
    double high = column->bounded ? column->high : INFINITY;
    for (size_t i = 0; i < count; i++) {
        double held = (double)transform_hold(numbers[i], pivot, factor);
        beyond |= (held < low) | (held > high);
        held = held < low ? low : held;
        held = held > high ? high : held;
        out[i] = transform_scaled(held, mean, sd, scale);
    }
    for (size_t i = 0; i < count && column->spread > 0; i++)
        out[i] = transform_scaled((double)out[i], column->shift, column->spread, 1);
    for (size_t i = 0; i < count && missing; i++) missing[i] = out[i] != out[i] ? 1.0f : 0.0f;
    for (size_t i = 0; i < count; i++) {
        beyond |= fabsf(out[i]) >= (float)ENCODED_MOST;
        out[i] = out[i] != out[i] ? 0 : out[i];
    }
    return !beyond;
}

void side_by_side_begin(side_by_side *out, float *rows, size_t stride, size_t count)
{
    out->rows = rows;
    out->stride = stride;
    out->count = count;
    out->first = out->columns = 0;
}

typedef float four __attribute__((vector_size(16)));
typedef float loose_four __attribute__((vector_size(16), aligned(4), may_alias));

/* Four columns of four rows. */
static inline void turn_square(float *rows, size_t stride, const float *columns)
{
    four a = *(const loose_four *)columns, b = *(const loose_four *)(columns + ROWS_TOGETHER);
    four c = *(const loose_four *)(columns + 2 * ROWS_TOGETHER);
    four d = *(const loose_four *)(columns + 3 * ROWS_TOGETHER);
    four ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5),
         ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    four bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5),
         bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    *(loose_four *)rows = __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5);
    *(loose_four *)(rows + stride) = __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7);
    *(loose_four *)(rows + 2 * stride) = __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5);
    *(loose_four *)(rows + 3 * stride) = __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7);
}

void side_by_side_end(side_by_side *from)
{
    size_t whole_rows = from->count / 4 * 4, whole_columns = from->columns / 4 * 4;
    float *to = from->rows + from->first;
    for (size_t r = 0; r < whole_rows; r += 4)
        for (size_t c = 0; c < whole_columns; c += 4)
            turn_square(to + r * from->stride + c, from->stride, &from->values[c][r]);
    for (size_t c = 0; c < from->columns; c++)
        for (size_t r = c < whole_columns ? whole_rows : 0; r < from->count; r++)
            to[r * from->stride + c] = from->values[c][r];
    from->columns = 0;
}

bool side_by_side_add(side_by_side *into, const transform_column *column, const double *numbers)
{
    size_t wanted = 1 + column->indicator;
    if (into->columns + wanted > COLUMNS_TOGETHER || column->first != into->first + into->columns)
        side_by_side_end(into);
    if (into->columns == 0) into->first = column->first;
    float *values = into->values[into->columns], *missing = column->indicator ? values + ROWS_TOGETHER : NULL;
    into->columns += wanted;
    size_t eights = encode_avx2_can(column) ? into->count / 8 * 8 : 0;
    bool within = !eights || encode_avx2(values, missing, column, numbers, eights);
    if (eights == into->count) return within;
    return encode(values + eights, missing ? missing + eights : NULL, column, numbers + eights,
                  into->count - eights) &&
           within;
}
