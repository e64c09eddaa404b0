/* L-BFGS: directions from the last few changes of weights and gradients, with step halving until the
 * penalized loss decreases enough. */
#include "detector/ensemble/logistic.h"

#include <math.h>
#include <string.h>

enum { MEMORY = 8, ROUNDS_MAX = 150, HALVINGS_MAX = 30, ROW_BLOCK = 64, COLUMN_BLOCK = 256 };

typedef struct passes { /* the two loops over the rows */
    const logistic_rows *rows;
    const double *w, *slope; /* slope: derivative of each row's loss by its output */
    double *out;
} passes;

static void outputs_block(void *context, size_t item, int thread)
{
    (void)thread;
    enum { LANES = 16 };
    const passes *job = context;
    size_t columns = job->rows->columns, first = item * ROW_BLOCK;
    size_t end = first + ROW_BLOCK < job->rows->rows ? first + ROW_BLOCK : job->rows->rows;
    for (size_t i = first; i < end; i++) {
        const float *row = job->rows->values + i * columns;
        double part[LANES] = {0}, sum = job->w[columns];
        size_t c = 0;
        for (; c + LANES <= columns; c += LANES)
            for (size_t k = 0; k < LANES; k++) part[k] += (double)row[c + k] * job->w[c + k];
        for (; c < columns; c++) sum += (double)row[c] * job->w[c];
        for (size_t k = 0; k < LANES; k++) sum += part[k];
        job->out[i] = sum;
    }
}

static void gradient_block(void *context, size_t item, int thread)
{
    (void)thread;
    const passes *job = context;
    size_t columns = job->rows->columns, first = item * COLUMN_BLOCK;
    size_t end = first + COLUMN_BLOCK < columns ? first + COLUMN_BLOCK : columns;
    for (size_t c = first; c < end; c++) job->out[c] = job->w[c];
    for (size_t i = 0; i < job->rows->rows; i++) {
        const float *row = job->rows->values + i * columns;
        double slope = job->slope[i];
        if (slope == 0) continue;
        for (size_t c = first; c < end; c++) job->out[c] += slope * (double)row[c];
    }
}

void logistic_outputs(double *out, const double *w, const logistic_rows *rows, team *workers)
{
    passes job = {rows, w, NULL, out};
    team_run(workers, (rows->rows + ROW_BLOCK - 1) / ROW_BLOCK, outputs_block, &job);
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* The penalized loss at w, and each row's slope. */
static double loss_at(double *slope, double *outputs, const double *w, const logistic_rows *rows,
                      team *workers)
{
    double sum = dot(w, w, rows->columns) / 2;
    logistic_outputs(outputs, w, rows, workers);
    for (size_t i = 0; i < rows->rows; i++) {
        double margin = rows->sign[i] * outputs[i], weight = rows->weight[i];
        double small = exp(-fabs(margin));
        sum += weight * (log1p(small) + (margin < 0 ? -margin : 0));
        slope[i] = -weight * rows->sign[i] * (margin > 0 ? small : 1) / (1 + small);
    }
    return sum;
}

static void gradient_at(double *gradient, const double *w, const double *slope, const logistic_rows *rows,
                        team *workers)
{
    passes job = {rows, w, slope, gradient};
    team_run(workers, (rows->columns + COLUMN_BLOCK - 1) / COLUMN_BLOCK, gradient_block, &job);
    gradient[rows->columns] = 0;
    for (size_t i = 0; i < rows->rows; i++) gradient[rows->columns] += slope[i];
}

typedef struct lbfgs {
    size_t size, count; /* number of weights; changes seen, of which the last MEMORY are kept */
    double *moved[MEMORY], *turned[MEMORY], product[MEMORY]; /* changes of w and of the gradient */
} lbfgs;

static void direction_of(double *direction, const lbfgs *past, const double *gradient)
{
    double along[MEMORY] = {0};
    size_t n = past->size, kept = past->count < MEMORY ? past->count : MEMORY;
    for (size_t i = 0; i < n; i++) direction[i] = -gradient[i];
    for (size_t k = 0; k < kept; k++) {
        size_t at = (past->count - 1 - k) % MEMORY;
        along[at] = dot(past->moved[at], direction, n) / past->product[at];
        for (size_t i = 0; i < n; i++) direction[i] -= along[at] * past->turned[at][i];
    }
    if (kept) {
        size_t last = (past->count - 1) % MEMORY;
        double factor = past->product[last] / dot(past->turned[last], past->turned[last], n);
        for (size_t i = 0; i < n; i++) direction[i] *= factor;
    }
    for (size_t k = kept; k-- > 0;) {
        size_t at = (past->count - 1 - k) % MEMORY;
        double back = along[at] - dot(past->turned[at], direction, n) / past->product[at];
        for (size_t i = 0; i < n; i++) direction[i] += back * past->moved[at][i];
    }
}

static void remember(lbfgs *past, const double *step, double length, const double *now, const double *before)
{
    size_t at = past->count % MEMORY;
    for (size_t i = 0; i < past->size; i++) {
        past->moved[at][i] = length * step[i];
        past->turned[at][i] = now[i] - before[i];
    }
    past->product[at] = dot(past->moved[at], past->turned[at], past->size);
    if (past->product[at] > 0) past->count++;
}

puad_status logistic_fit(double *w, const logistic_rows *rows, team *workers)
{
    const double enough = 1e-4, tolerance = 1e-4;
    size_t n = rows->columns + 1;
    AUTO_ARENA arena memory = {0};
    double *slope, *outputs, *gradient, *next_gradient, *direction, *next;
    lbfgs past = {.size = n};
    TRY(arena_new(&memory, &slope, rows->rows, sizeof *slope));
    TRY(arena_new(&memory, &outputs, rows->rows, sizeof *outputs));
    double **vectors[] = {&gradient, &next_gradient, &direction, &next};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        TRY(arena_new(&memory, vectors[i], n, sizeof(double)));
    for (size_t i = 0; i < MEMORY; i++) {
        TRY(arena_new(&memory, &past.moved[i], n, sizeof(double)));
        TRY(arena_new(&memory, &past.turned[i], n, sizeof(double)));
    }
    double loss = loss_at(slope, outputs, w, rows, workers);
    gradient_at(gradient, w, slope, rows, workers);
    double first = sqrt(dot(gradient, gradient, n));
    for (int round = 0; round < ROUNDS_MAX; round++) {
        TRY(team_check_stop(workers));
        direction_of(direction, &past, gradient);
        double fall = dot(direction, gradient, n), length = past.count ? 1 : 1 / fmax(first, 1),
               next_loss = 0;
        if (!(fall < 0)) break;
        int halving = 0;
        for (; halving < HALVINGS_MAX; halving++, length /= 2) {
            for (size_t i = 0; i < n; i++) next[i] = w[i] + length * direction[i];
            next_loss = loss_at(slope, outputs, next, rows, workers);
            if (next_loss <= loss + enough * length * fall) break;
        }
        if (halving == HALVINGS_MAX) break;
        gradient_at(next_gradient, next, slope, rows, workers);
        remember(&past, direction, length, next_gradient, gradient);
        memcpy(w, next, n * sizeof *w);
        memcpy(gradient, next_gradient, n * sizeof *gradient);
        loss = next_loss;
        if (sqrt(dot(gradient, gradient, n)) <= tolerance * first) break;
    }
    return PUAD_OK;
}
