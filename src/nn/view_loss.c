/* The loss of predicting a view's index. Each view has one output per view; the score is the mean of the
 * views' cross-entropies:
 *
 *     l(view v) = -log( exp(y_v) / sum_i exp(y_i) )                             one number per row */
#include "nn/layer.h"

#include <math.h>

typedef struct choice_job {
    const layer *self;
    const float *in, *gradient;
    float *to;
} choice_job;

static void plan(layer *self, const kernels *k, size_t rows)
{
    (void)k, (void)rows;
    self->out = (shape){1, 1, 1};
    self->views_out = 1;
}

/* exp(y_i - y_right - h) of all answers, with h the largest difference; *sum receives their sum. */
static float compare(float *sum, float *shares, const float *y, size_t count, size_t right)
{
    float highest = 0, others = 0;
    for (size_t i = 0; i < count; i++)
        if (y[i] - y[right] > highest) highest = y[i] - y[right];
    for (size_t i = 0; i < count; i++) {
        float share = expf(y[i] - y[right] - highest);
        if (shares) shares[i] = share;
        if (i != right) others += share;
    }
    *sum = others + expf(-highest);
    return highest > 0 ? highest + logf(*sum) : log1pf(others);
}

static void score_row(void *context, size_t n, int thread)
{
    (void)thread;
    const choice_job *job = context;
    size_t views = job->self->views, count = shape_size(job->self->in);
    const float *y = job->in + n * views * count;
    float total = 0, sum;
    for (size_t v = 0; v < views; v++) total += compare(&sum, NULL, y + v * count, count, v);
    job->to[n] = total / (float)views;
}

static void forward(const layer *self, const pass *now, const float *in, float *out)
{
    choice_job job = {.self = self, .in = in, .to = out};
    team_run(now->workers, now->rows / self->views, score_row, &job);
}

static void back_row(void *context, size_t n, int thread)
{
    (void)thread;
    const choice_job *job = context;
    size_t views = job->self->views, count = shape_size(job->self->in);
    float factor = job->gradient[n] / (float)views;
    for (size_t v = 0; v < views; v++) {
        const float *y = job->in + (n * views + v) * count;
        float *to = job->to + (n * views + v) * count, sum, wrong = 0;
        compare(&sum, to, y, count, v);
        for (size_t i = 0; i < count; i++) {
            to[i] *= factor / sum;
            if (i != v) wrong += to[i];
        }
        to[v] = -wrong;
    }
}

static void backward(const layer *self, const pass *now, const float *in, const float *out,
                     const float *out_gradient, float *in_gradient)
{
    (void)out;
    choice_job job = {self, in, out_gradient, in_gradient};
    if (in_gradient) team_run(now->workers, now->rows / self->views, back_row, &job);
}

const layer_type layer_choice = {.name = "choice", .plan = plan, .forward = forward, .backward = backward};
