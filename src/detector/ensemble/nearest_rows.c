/* Draws the samples and measures distances to them. Each work item is a block of rows, so the bits do not
 * depend on the threads. */
#include "detector/ensemble/nearest_rows.h"

#include "base/rng.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64, TOGETHER = 2 }; /* rows per work item; and measured at once */

void nearest_rows_free(nearest_rows *owner)
{
    arena_free(&owner->memory);
    *owner = (nearest_rows){0};
}

puad_status nearest_rows_new(nearest_rows *out, size_t sets, size_t size, size_t columns)
{
    *out = (nearest_rows){0};
    if (sets < 1 || sets > NEAREST_SETS_MAX || size < 1 || size > NEAREST_SIZE_MAX)
        FAIL(PUAD_INVALID, "%zu samples of %zu rows: expected 1 to %d of 1 to %d", sets, size,
             NEAREST_SETS_MAX, NEAREST_SIZE_MAX);
    AUTO_NEAREST nearest_rows made = {.sets = sets, .size = size, .columns = columns};
    size_t values;
    if (columns < 1 || !size_multiply(&values, sets * size, columns))
        FAIL(PUAD_INVALID, "%zu columns are too few or too many", columns);
    TRY(arena_new(&made.memory, &made.mean, columns, sizeof *made.mean));
    TRY(arena_new(&made.memory, &made.factor, columns, sizeof *made.factor));
    TRY(arena_new(&made.memory, &made.points, values, sizeof *made.points));
    TRY(arena_new(&made.memory, &made.drawn, sets * size, sizeof *made.drawn));
    *out = made;
    made = (nearest_rows){0};
    return PUAD_OK;
}

puad_status nearest_rows_check(const nearest_rows *nearest)
{
    for (size_t c = 0; c < nearest->columns; c++)
        if (!isfinite(nearest->mean[c]) || !isfinite(nearest->factor[c]) || nearest->factor[c] < 0)
            FAIL(PUAD_FORMAT, "nearest: the scale of column %zu is not one", c);
    for (size_t i = 0; i < nearest->sets * nearest->size * nearest->columns; i++)
        if (!(fabsf(nearest->points[i]) <= NEAREST_VALUE_MAX))
            FAIL(PUAD_FORMAT, "nearest: value %zu is out of bounds", i);
    return PUAD_OK;
}

/* A row in the scaled form used for distances. */
static void compared(float *out, const nearest_rows *nearest, const float *row)
{
    for (size_t c = 0; c < nearest->columns; c++) {
        float value = (row[c] - nearest->mean[c]) * nearest->factor[c];
        out[c] = value > NEAREST_VALUE_MAX    ? NEAREST_VALUE_MAX
                 : value < -NEAREST_VALUE_MAX ? -NEAREST_VALUE_MAX
                                              : value;
    }
}

static puad_status learn_scale(nearest_rows *out, const float *values, const uint32_t *numbers, size_t count)
{
    AUTO_ARENA arena scratch = {0};
    double *sum, *squares;
    TRY(arena_new(&scratch, &sum, out->columns, sizeof *sum));
    TRY(arena_new(&scratch, &squares, out->columns, sizeof *squares));
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < out->columns; c++) sum[c] += (double)values[numbers[i] * out->columns + c];
    for (size_t c = 0; c < out->columns; c++) sum[c] /= (double)count;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < out->columns; c++) {
            double off = (double)values[numbers[i] * out->columns + c] - sum[c];
            squares[c] += off * off;
        }
    for (size_t c = 0; c < out->columns; c++) {
        double deviation = sqrt(squares[c] / (double)count);
        out->mean[c] = (float)sum[c];
        out->factor[c] = deviation > 1e-30 ? (float)(1 / deviation) : 0;
    }
    return PUAD_OK;
}

puad_status nearest_rows_fit(nearest_rows *out, const float *values, size_t columns, const uint32_t *numbers,
                             size_t count, uint64_t seed)
{
    *out = (nearest_rows){0};
    if (count == 0) FAIL(PUAD_INVALID, "nearest needs unlabeled rows, and there are none");
    AUTO_NEAREST nearest_rows made = {0};
    /* A row must not be in all samples: with few rows, a sample has at most half of them. */
    size_t size = count / 2 < NEAREST_SIZE ? (count + 1) / 2 : NEAREST_SIZE;
    TRY(nearest_rows_new(&made, NEAREST_SETS, size, columns));
    TRY(learn_scale(&made, values, numbers, count));
    AUTO_FREE uint32_t *order = NULL;
    AUTO_FREE float *row = NULL;
    TRY(memory_new(&row, columns, sizeof *row, "a row"));
    TRY(memory_new(&order, count, sizeof *order, "samples"));
    rng draws = rng_make(seed, rng_stream("nearest", 0));
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    for (size_t set = 0; set < made.sets; set++) {
        rng_draw_to_front(&draws, order, size, count);
        for (size_t i = 0; i < size; i++) {
            uint32_t number = numbers[order[i]];
            made.drawn[set * size + i] = number;
            compared(row, &made, values + number * columns);
            for (size_t c = 0; c < columns; c++) made.points[(set * columns + c) * size + i] = row[c];
        }
    }
    *out = made;
    made = (nearest_rows){0};
    return PUAD_OK;
}

typedef struct measuring {
    const nearest_rows *nearest;
    const float *values;
    const uint32_t *numbers;
    float *scores;
    size_t rows;
    float *scratch; /* per thread: TOGETHER rows, and for each a distance to each sample */
} measuring;

static bool was_drawn(const nearest_rows *nearest, size_t set, size_t number)
{
    bool in = false;
    for (size_t i = set * nearest->size; i < (set + 1) * nearest->size; i++)
        in |= nearest->drawn[i] == number;
    return in;
}

static float mean_distance(const nearest_rows *nearest, size_t number, bool own, const float *min)
{
    double sum = 0;
    size_t sets = 0;
    for (size_t set = 0; set < nearest->sets; set++) {
        if (own && was_drawn(nearest, set, number)) continue;
        sum += sqrt((double)min[set]);
        sets++;
    }
    return sets ? (float)(sum / (double)sets) : 0;
}

static void measure_block(void *context, size_t item, int thread)
{
    measuring *all = context;
    const nearest_rows *nearest = all->nearest;
    size_t columns = nearest->columns, first = item * BLOCK;
    size_t end = first + BLOCK < all->rows ? first + BLOCK : all->rows;
    float *rows = all->scratch + (size_t)thread * TOGETHER * (columns + nearest->sets),
          *min = rows + TOGETHER * columns;
    for (size_t i = first; i < end; i += TOGETHER) {
        size_t count = end - i < TOGETHER ? end - i : TOGETHER;
        for (size_t r = 0; r < count; r++)
            compared(rows + r * columns, nearest,
                     all->values + (all->numbers ? all->numbers[i + r] : i + r) * columns);
        kernels_best()->least_distances(min, rows, count, nearest->points, nearest->sets, nearest->size,
                                        columns);
        for (size_t r = 0; r < count; r++)
            all->scores[i + r] = mean_distance(nearest, all->numbers ? all->numbers[i + r] : i + r,
                                               all->numbers != NULL, min + r * nearest->sets);
    }
}

puad_status nearest_rows_score(float *scores, const nearest_rows *nearest, const float *values,
                               const uint32_t *numbers, size_t rows, team *workers, arena *scratch)
{
    measuring all = {nearest, values, numbers, scores, rows, NULL};
    TRY(arena_new(scratch, &all.scratch,
                  (size_t)team_size(workers) * TOGETHER * (nearest->columns + nearest->sets),
                  sizeof *all.scratch));
    TRY(team_run_until_stopped(workers, (rows + BLOCK - 1) / BLOCK, measure_block, &all));
    return PUAD_OK;
}
