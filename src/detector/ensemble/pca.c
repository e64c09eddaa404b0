/* Means, axes from the covariances (or, for rows with many columns, from the products of a sample of
 * rows), and residuals. */
#include "detector/ensemble/pca.h"

#include "detector/ensemble/eigen_symmetric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 };

void principal_free(principal *owner)
{
    arena_free(&owner->memory);
    *owner = (principal){0};
}

puad_status principal_new(principal *out, size_t columns, size_t kept)
{
    size_t cells;
    *out = (principal){.columns = columns, .kept = kept};
    if (columns < 1 || kept >= columns + (columns == 1) || !size_multiply(&cells, kept, columns))
        FAIL(PUAD_INVALID, "%zu components of %zu columns", kept, columns);
    TRY(arena_new(&out->memory, &out->mean, columns, sizeof *out->mean));
    return arena_new(&out->memory, &out->axes, cells, sizeof *out->axes);
}

puad_status principal_check(const principal *axes)
{
    for (size_t c = 0; c < axes->columns; c++)
        if (!isfinite(axes->mean[c])) FAIL(PUAD_FORMAT, "pca: the mean of column %zu is not finite", c);
    for (size_t i = 0; i < axes->kept * axes->columns; i++)
        if (!(fabsf(axes->axes[i]) <= 1.001F))
            FAIL(PUAD_FORMAT, "pca: value %zu of the axes is out of bounds", i);
    return PUAD_OK;
}

/* Centers the rows. */
static puad_status center(double **out, double *mean, arena *memory, const float *values, size_t columns,
                          const uint32_t *numbers, size_t count)
{
    TRY(arena_new(memory, out, count * columns, sizeof **out));
    memset(mean, 0, columns * sizeof *mean);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < columns; c++) mean[c] += (double)values[numbers[i] * columns + c];
    for (size_t c = 0; c < columns; c++) mean[c] /= (double)count;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < columns; c++)
            (*out)[i * columns + c] = (double)values[numbers[i] * columns + c] - mean[c];
    return PUAD_OK;
}

/* X'X; the lower half is mirrored. */
static void covariances(double *out, const double *rows, size_t count, size_t columns)
{
    memset(out, 0, columns * columns * sizeof *out);
    for (size_t r = 0; r < count; r++) {
        const double *row = rows + r * columns;
        for (size_t i = 0; i < columns; i++)
            for (size_t k = 0; k <= i; k++) out[i * columns + k] += row[i] * row[k];
    }
    for (size_t i = 0; i < columns; i++)
        for (size_t k = 0; k < i; k++) out[k * columns + i] = out[i * columns + k];
}

/* XX' */
static void products(double *out, const double *rows, size_t count, size_t columns)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k <= i; k++) {
            double sum = 0;
            for (size_t c = 0; c < columns; c++) sum += rows[i * columns + c] * rows[k * columns + c];
            out[i * count + k] = out[k * count + i] = sum;
        }
}

/* The number of largest values that make up this fraction of the sum. */
static size_t count_kept(const double *values, size_t side, size_t columns)
{
    double sum = 0, held = 0;
    size_t kept = 0, max = columns - 1 < side ? columns - 1 : side;
    for (size_t i = 0; i < side; i++) sum += fmax(values[i], 0);
    while (kept < max && values[kept] > 0 && held < PRINCIPAL_VARIANCE * sum) held += values[kept++];
    return kept;
}

puad_status principal_fit(principal *out, const float *values, size_t columns, const uint32_t *numbers,
                          size_t count)
{
    AUTO_ARENA arena memory = {0};
    bool wide = columns > PRINCIPAL_SIDE_MAX;
    double *mean, *rows, *matrix, *sizes, *vectors;
    if (count == 0) FAIL(PUAD_INVALID, "pca needs unlabeled rows, and there are none");
    if (wide && count > PRINCIPAL_SIDE_MAX) count = PRINCIPAL_SIDE_MAX;
    size_t side = wide ? count : columns;
    TRY(arena_new(&memory, &mean, columns, sizeof *mean));
    TRY(center(&rows, mean, &memory, values, columns, numbers, count));
    TRY(arena_new(&memory, &matrix, side * side, sizeof *matrix));
    TRY(arena_new(&memory, &vectors, side * side, sizeof *vectors));
    TRY(arena_new(&memory, &sizes, side, sizeof *sizes));
    if (wide)
        products(matrix, rows, count, columns);
    else
        covariances(matrix, rows, count, columns);
    TRY(symmetric_solve(sizes, vectors, matrix, side));
    TRY(principal_new(out, columns, count_kept(sizes, side, columns)));
    for (size_t c = 0; c < columns; c++) out->mean[c] = (float)mean[c];
    for (size_t k = 0; k < out->kept; k++)
        for (size_t c = 0; c < columns; c++) {
            double value = wide ? 0 : vectors[k * side + c];
            for (size_t r = 0; wide && r < count; r++)
                value += vectors[k * side + r] * rows[r * columns + c] / sqrt(sizes[k]);
            out->axes[k * columns + c] = (float)value;
        }
    return PUAD_OK;
}

/* The residual of a row, into `out` with capacity 2 x columns; returns the sum of its squares. */
static double left_over(double *out, const principal *axes, const float *row)
{
    double squares = 0, *along = out + axes->columns;
    for (size_t c = 0; c < axes->columns; c++) out[c] = (double)row[c] - (double)axes->mean[c];
    for (size_t k = 0; k < axes->kept; k++) {
        along[k] = 0;
        for (size_t c = 0; c < axes->columns; c++)
            along[k] += out[c] * (double)axes->axes[k * axes->columns + c];
    }
    for (size_t k = 0; k < axes->kept; k++)
        for (size_t c = 0; c < axes->columns; c++)
            out[c] -= along[k] * (double)axes->axes[k * axes->columns + c];
    for (size_t c = 0; c < axes->columns; c++) squares += out[c] * out[c];
    return squares;
}

typedef struct measuring {
    const principal *axes;
    const float *values;
    float *scores;
    size_t rows;
    double *scratch; /* two rows per thread */
} measuring;

static void measure_block(void *context, size_t item, int thread)
{
    measuring *all = context;
    size_t columns = all->axes->columns, first = item * BLOCK;
    size_t end = first + BLOCK < all->rows ? first + BLOCK : all->rows;
    for (size_t i = first; i < end; i++)
        all->scores[i] = (float)sqrt(
            left_over(all->scratch + 2 * (size_t)thread * columns, all->axes, all->values + i * columns));
}

puad_status principal_score(float *scores, const principal *axes, const float *values, size_t rows,
                            team *workers, arena *scratch)
{
    measuring all = {axes, values, scores, rows, NULL};
    TRY(arena_new(scratch, &all.scratch, 2 * (size_t)team_size(workers) * axes->columns,
                  sizeof *all.scratch));
    return team_run_until_stopped(workers, (rows + BLOCK - 1) / BLOCK, measure_block, &all);
}

puad_status principal_explain(float *shares, const principal *axes, const float *row)
{
    AUTO_FREE double *left = NULL;
    TRY(memory_new(&left, 2 * axes->columns, sizeof *left, "an explanation"));
    double sum = left_over(left, axes, row);
    for (size_t c = 0; c < axes->columns; c++) shares[c] = sum > 0 ? (float)(left[c] * left[c] / sum) : 0;
    return PUAD_OK;
}
