/* The score heads. */
#include "detector/network/head.h"

#include <math.h>

typedef struct head_job {
    const head *h;
    const kernels *k;
    const float *outputs, *targets, *score_gradient, *scores;
    float *to;
} head_job;

static void score_row(void *context, size_t n, int thread)
{
    (void)thread;
    const head_job *job = context;
    const head *h = job->h;
    const float *y = job->outputs + n * h->outputs;
    float square;
    switch (h->kind) {
    case HEAD_RECONSTRUCTION:
        job->k->squared_distance(&square, y, job->targets + n * h->inputs, h->outputs,
                                 h->outputs / h->inputs);
        job->to[n] = sqrtf(square);
        break;
    case HEAD_DISTANCE: job->k->squared_distance(&job->to[n], y, h->center, h->outputs, 1); break;
    case HEAD_LOGIT:
    case HEAD_LOGISTIC:
    case HEAD_ICL:
    case HEAD_NEUTRAL:
    case HEAD_ROT: job->to[n] = y[0]; break;
    case HEAD_OWN_CODE:
    case HEAD_OWN_OUTPUT:
        job->to[n] =
            (float)h->own(h->own_context, NULL, y, h->outputs, job->targets + n * h->inputs, h->inputs);
        break;
    }
}

void head_score(const head *h, const network_options *run, float *scores, const float *outputs,
                const float *targets, size_t rows)
{
    head_job job = {
        .h = h, .k = run->k ? run->k : kernels_best(), .outputs = outputs, .targets = targets, .to = scores};
    team_run(run->workers, rows, score_row, &job);
}

static void back_row(void *context, size_t n, int thread)
{
    (void)thread;
    const head_job *job = context;
    const head *h = job->h;
    const float *y = job->outputs + n * h->outputs;
    float *to = job->to + n * h->outputs, gradient = job->score_gradient[n];
    switch (h->kind) {
    case HEAD_RECONSTRUCTION:
        gradient = job->scores[n] > 0 ? gradient / job->scores[n] : 0;
        job->k->scaled_difference(to, y, job->targets + n * h->inputs, gradient, h->outputs,
                                  h->outputs / h->inputs);
        break;
    case HEAD_DISTANCE: job->k->scaled_difference(to, y, h->center, 2 * gradient, h->outputs, 1); break;
    case HEAD_LOGIT:
    case HEAD_LOGISTIC:
    case HEAD_ICL:
    case HEAD_NEUTRAL:
    case HEAD_ROT: to[0] = gradient; break;
    case HEAD_OWN_CODE:
    case HEAD_OWN_OUTPUT:
        h->own(h->own_context, to, y, h->outputs, job->targets + n * h->inputs, h->inputs);
        for (size_t i = 0; i < h->outputs; i++) to[i] *= gradient;
        break;
    }
}

void head_back(const head *h, const network_options *run, float *output_gradient, const float *score_gradient,
               const head_pass *forward)
{
    head_job job = {h,
                    run->k ? run->k : kernels_best(),
                    forward->outputs,
                    forward->targets,
                    score_gradient,
                    forward->scores,
                    output_gradient};
    team_run(run->workers, forward->rows, back_row, &job);
}

void head_center(float *center, const double *sums, size_t size, size_t rows)
{
    for (size_t i = 0; i < size; i++) {
        double mean = sums[i] / (double)rows;
        if (fabs(mean) < 0.1) mean = mean < 0 ? -0.1 : 0.1;
        center[i] = (float)mean;
    }
}
