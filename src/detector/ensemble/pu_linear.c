/* Scores rows by the two kinds of evidence of pu_linear.h. */
#include "detector/ensemble/pu_linear.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 16 };

void pu_linear_free(pu_linear *owner)
{
    arena_free(&owner->memory);
    *owner = (pu_linear){0};
}

puad_status pu_linear_new(pu_linear *out, size_t columns, size_t kept, size_t patches)
{
    *out = (pu_linear){.columns = columns, .kept = kept, .patches = patches};
    if (columns < 1 || kept > PU_LINEAR_AXES)
        FAIL(PUAD_INVALID, "%zu axes of %zu columns, at most %d are kept", kept, columns, PU_LINEAR_AXES);
    float **arrays[] = {&out->mean, &out->factor, &out->center, &out->weights};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        TRY(arena_new(&out->memory, arrays[i], columns, sizeof(float)));
    TRY(arena_new(&out->memory, &out->patch_weights, patches, sizeof(float)));
    TRY(arena_new(&out->memory, &out->strength, kept, sizeof(float)));
    return arena_new(&out->memory, &out->axes, kept * columns, sizeof(float));
}

static puad_status check_finite(const float *values, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) FAIL(PUAD_FORMAT, "linear.%s: value %zu is not finite", what, i);
    return PUAD_OK;
}

puad_status pu_linear_check(const pu_linear *model)
{
    TRY(check_finite(model->mean, model->columns, "mean"));
    TRY(check_finite(model->factor, model->columns, "factor"));
    TRY(check_finite(model->center, model->columns, "center"));
    TRY(check_finite(model->weights, model->columns, "weights"));
    TRY(check_finite(model->patch_weights, model->patches, "patches"));
    TRY(check_finite(model->strength, model->kept, "strength"));
    TRY(check_finite(model->axes, model->kept * model->columns, "axes"));
    TRY(check_finite(model->scale, sizeof model->scale / sizeof *model->scale, "scale"));
    for (int term = 0; term < PU_LINEAR_TERMS; term++)
        if (!(model->scale[SCALE_OUTPUT_DEVIATION + 2 * term] > 0))
            FAIL(PUAD_FORMAT, "linear.scale: a deviation is not above 0");
    return PUAD_OK;
}

void pu_linear_standardize(float *z, const pu_linear *model, const float *row)
{
    for (size_t c = 0; c < model->columns; c++) {
        float value = (row[c] - model->mean[c]) * model->factor[c];
        value = value > PU_LINEAR_BOUND    ? PU_LINEAR_BOUND
                : value < -PU_LINEAR_BOUND ? -PU_LINEAR_BOUND
                                           : value;
        z[c] = value - model->center[c];
    }
}

/* Sums by lanes, so that the compiler can vectorize. */
static double dot(const float *a, const float *b, size_t count)
{
    enum { LANES = 16 };
    double part[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++) part[k] += (double)a[i + k] * (double)b[i + k];
    for (; i < count; i++) sum += (double)a[i] * (double)b[i];
    for (size_t k = 0; k < LANES; k++) sum += part[k];
    return sum;
}

/* The classifier's output and log(1 + d^2) of a standardized row. */
void pu_linear_measure(double out[2], const pu_linear *model, const float *z)
{
    double squares = dot(z, z, model->columns) * (double)model->scale[SCALE_REST];
    for (size_t k = 0; k < model->kept; k++) {
        double along = dot(z, model->axes + k * model->columns, model->columns);
        squares += along * along * (double)model->strength[k];
    }
    out[0] = dot(z, model->weights, model->columns);
    out[1] = log1p(fmax(squares, 0));
}

static double score_of(const pu_linear *model, const double measured[PU_LINEAR_TERMS])
{
    const float *weights = model->scale + SCALE_OUTPUT_WEIGHT;
    const float *scale = model->scale + SCALE_OUTPUT_MEAN;
    double score = 0;
    for (int term = 0; term < (model->patches ? PU_LINEAR_TERMS : 2); term++)
        score +=
            (double)weights[term] * (measured[term] - (double)scale[2 * term]) / (double)scale[2 * term + 1];
    return score;
}

typedef struct scoring {
    const pu_linear *model;
    const float *values;
    float *scores;    /* or */
    double *measured; /* PU_LINEAR_TERMS values per row */
    size_t rows;
    float *z; /* one row per thread */
} scoring;

static void score_block(void *context, size_t item, int thread)
{
    const scoring *job = context;
    size_t columns = job->model->columns, first = item * BLOCK;
    size_t end = first + BLOCK < job->rows ? first + BLOCK : job->rows;
    float *z = job->z + (size_t)thread * columns;
    for (size_t i = first; i < end; i++) {
        const float *row = job->values + i * (columns + job->model->patches);
        double measured[PU_LINEAR_TERMS] = {0};
        pu_linear_standardize(z, job->model, row);
        pu_linear_measure(measured, job->model, z);
        for (size_t k = 0; k < job->model->patches; k++)
            measured[2 + (2 * k >= job->model->patches)] +=
                (double)row[columns + k] * (double)job->model->patch_weights[k];
        if (job->scores) job->scores[i] = (float)score_of(job->model, measured);
        if (job->measured) memcpy(job->measured + PU_LINEAR_TERMS * i, measured, sizeof measured);
    }
}

static puad_status run(scoring *job, team *workers, arena *scratch)
{
    TRY(arena_new(scratch, &job->z, (size_t)team_size(workers) * job->model->columns, sizeof *job->z));
    return team_run_until_stopped(workers, (job->rows + BLOCK - 1) / BLOCK, score_block, job);
}

puad_status pu_linear_score(float *scores, const pu_linear *model, const float *values, size_t rows,
                            team *workers, arena *scratch)
{
    scoring job = {.model = model, .values = values, .scores = scores, .rows = rows};
    return run(&job, workers, scratch);
}

puad_status pu_linear_measures(double *measured, const pu_linear *model, const float *values, size_t rows,
                               team *workers, arena *scratch)
{
    scoring job = {.model = model, .values = values, .measured = measured, .rows = rows};
    return run(&job, workers, scratch);
}
