/* Bounds of number columns, beyond which values are clipped: a fill value of 1e36 or a misplaced decimal
 * point is no more informative than any extreme value, and would make all other values look equal. */
#include "base/sort.h"
#include "table/encoding/table_columns.h"

#include <math.h>

/* Bounds in units of the distance from the median that includes nine of ten values. */
#define BOUND_AWAY 10
enum { SAMPLE_MAX = 1024 };

/* Evenly spaced values of the column, at most SAMPLE_MAX; with `differ`, the first ones that are not
 * `start`. */
static size_t sample(float *out, const table *owner, size_t slot, bool differ, float start)
{
    size_t stride = differ ? 1 : owner->rows / SAMPLE_MAX + 1, next = 0, first = 0, count = 0;
    for (size_t b = 0; b < owner->block_count; first += owner->blocks[b++].rows) {
        const table_block *block = &owner->blocks[b];
        for (; next - first < block->rows && count < SAMPLE_MAX; next += stride) {
            float held = block->held[(next - first) * owner->number_count + slot];
            if (held == held && !(differ && held == start)) out[count++] = held;
        }
    }
    return count;
}

/* The distance from `middle` that includes nine of ten values; reorders them. */
static double reach(float *values, size_t count, float middle)
{
    for (size_t i = 0; i < count; i++) values[i] = fabsf(values[i] - middle);
    sort_floats(values, count);
    return count ? (double)values[(count - 1) * 9 / 10] : 0;
}

column_bounds table_column_bounds(const table *owner, const table_column *column)
{
    float values[SAMPLE_MAX];
    size_t count = sample(values, owner, column->slot, false, 0);
    if (count == 0) return (column_bounds){(double)(float)-HELD_MAX, (double)(float)HELD_MAX};
    sort_floats(values, count);
    float middle = values[count / 2];
    double away = reach(values, count, middle);
    if (!(away > 0)) away = reach(values, sample(values, owner, column->slot, true, middle), middle);
    return (column_bounds){(double)(float)fmax((double)middle - BOUND_AWAY * away, -HELD_MAX),
                           (double)(float)fmin((double)middle + BOUND_AWAY * away, HELD_MAX)};
}

void table_column_sum_within(column_sums *out, size_t *out_beyond, const table *owner,
                             const table_column *column, column_bounds bounds)
{
    *out = (column_sums){0};
    *out_beyond = 0;
    float low = (float)bounds.low, high = (float)bounds.high;
    for (size_t b = 0; b < owner->block_count; b++) {
        const table_block *block = &owner->blocks[b];
        const float *held = block->held + column->slot;
        for (size_t r = 0; r < block->rows; r++, held += owner->number_count) {
            *out_beyond += *held < low || *held > high;
            column_sums_add(out, *held < low ? low : *held > high ? high : *held);
        }
    }
}
