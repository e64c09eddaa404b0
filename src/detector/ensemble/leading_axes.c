/* Subspace iteration: Q = orthonormalize(X' X Q) a few times from a random start, then the axes of X Q,
 * which has few columns. */
#include "detector/ensemble/leading_axes.h"

#include "base/rng.h"
#include "detector/ensemble/eigen_symmetric.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { EXTRA = 20, ROUNDS = 5, BLOCK = 48 };

typedef struct products {
    const kernels *k;
    const float *rows, *right;
    float *out;
    size_t count, columns, width; /* width: columns of `right` and of `out`, a multiple of the panel */
} products;

static void run_block(const products *job, multiply_job *part, size_t first, size_t total)
{
    part->rows = total - first < BLOCK ? total - first : BLOCK;
    part->segments = 1;
    part->b_step = part->c_row = (ptrdiff_t)job->width;
    part->columns = job->k->panel;
    for (size_t p = 0; p < job->width; p += job->k->panel) {
        part->b = job->right + p;
        part->c = job->out + first * job->width + p;
        job->k->multiply(part);
    }
}

/* Rows of X Q. */
static void forward_block(void *context, size_t item, int thread)
{
    (void)thread;
    const products *job = context;
    size_t first = item * BLOCK;
    multiply_job part = {.a = job->rows + first * job->columns,
                         .a_row = (ptrdiff_t)job->columns,
                         .a_step = 1,
                         .depth = job->columns};
    run_block(job, &part, first, job->count);
}

/* Rows of X' T. */
static void backward_block(void *context, size_t item, int thread)
{
    (void)thread;
    const products *job = context;
    size_t first = item * BLOCK;
    multiply_job part = {
        .a = job->rows + first, .a_row = 1, .a_step = (ptrdiff_t)job->columns, .depth = job->count};
    run_block(job, &part, first, job->columns);
}

/* Orthonormalizes the columns of a matrix of `size` rows, twice because of rounding; columns that depend
 * on earlier ones become 0. */
static void orthonormalize(float *q, size_t size, size_t width)
{
    for (size_t j = 0; j < width; j++) {
        double before = 0, after = 0;
        for (size_t i = 0; i < size; i++) before += (double)q[i * width + j] * (double)q[i * width + j];
        for (int turn = 0; turn < 2; turn++)
            for (size_t k = 0; k < j; k++) {
                double along = 0;
                for (size_t i = 0; i < size; i++)
                    along += (double)q[i * width + j] * (double)q[i * width + k];
                for (size_t i = 0; i < size; i++) q[i * width + j] -= (float)along * q[i * width + k];
            }
        for (size_t i = 0; i < size; i++) after += (double)q[i * width + j] * (double)q[i * width + j];
        float factor = after > 1e-8 * before && after > 0 ? (float)(1 / sqrt(after)) : 0;
        for (size_t i = 0; i < size; i++) q[i * width + j] *= factor;
    }
}

/* Rotates Q so that the coordinates of the rows along its columns are uncorrelated. */
static puad_status take_axes(float *axes, double *variances, size_t *kept, const float *q, const float *t,
                             const products *job, size_t max)
{
    AUTO_ARENA arena memory = {0};
    size_t width = job->width;
    double *matrix, *vectors, *values;
    TRY(arena_new(&memory, &matrix, width * width, sizeof *matrix));
    TRY(arena_new(&memory, &vectors, width * width, sizeof *vectors));
    TRY(arena_new(&memory, &values, width, sizeof *values));
    for (size_t r = 0; r < job->count; r++)
        for (size_t i = 0; i < width; i++)
            for (size_t j = 0; j < width; j++)
                matrix[i * width + j] +=
                    (double)t[r * width + i] * (double)t[r * width + j] / (double)job->count;
    TRY(symmetric_solve(values, vectors, matrix, width));
    *kept = 0;
    while (*kept < max && *kept < width && values[*kept] > 1e-6 * values[0]) {
        float *axis = axes + *kept * job->columns;
        for (size_t c = 0; c < job->columns; c++) {
            double sum = 0;
            for (size_t j = 0; j < width; j++) sum += vectors[*kept * width + j] * (double)q[c * width + j];
            axis[c] = (float)sum;
        }
        variances[*kept] = values[*kept];
        ++*kept;
    }
    return PUAD_OK;
}

puad_status leading_axes(float *axes, double *variances, size_t *kept, const float *rows, size_t count,
                         size_t columns, size_t max, uint64_t seed, team *workers)
{
    AUTO_ARENA arena memory = {0};
    const kernels *k = kernels_best();
    size_t wanted = max + EXTRA, width = (wanted + k->panel - 1) / k->panel * k->panel;
    float *q, *t;
    TRY(arena_new(&memory, &q, columns * width, sizeof *q));
    TRY(arena_new(&memory, &t, count * width, sizeof *t));
    rng draws = rng_make(seed, rng_stream("axes", 0));
    for (size_t i = 0; i < columns * width; i++) q[i] = (float)rng_normal(&draws);
    products forward = {k, rows, q, t, count, columns, width},
             backward = {k, rows, t, q, count, columns, width};
    for (int round = 0; round <= ROUNDS; round++) {
        orthonormalize(q, columns, width);
        TRY(team_run_until_stopped(workers, (count + BLOCK - 1) / BLOCK, forward_block, &forward));
        if (round < ROUNDS)
            TRY(team_run_until_stopped(workers, (columns + BLOCK - 1) / BLOCK, backward_block, &backward));
    }
    return take_axes(axes, variances, kept, q, t, &forward, max);
}
