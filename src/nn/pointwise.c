/* The layers without parameters: leaky (also ReLU), sigmoid, pool, upsample and unflatten. Each work item
 * is one row of the batch. */
#include "nn/layer.h"

typedef struct simple_job {
    const layer *self;
    const pass *now;
    const float *in, *out, *out_gradient;
    float *target;
} simple_job;

static void same_shape(layer *self, const kernels *k, size_t rows)
{
    (void)k;
    (void)rows;
    self->out = self->in;
}

static void half_shape(layer *self, const kernels *k, size_t rows)
{
    (void)k;
    (void)rows;
    self->out = (shape){self->in.height / 2, self->in.width / 2, self->in.channels};
}

static void double_shape(layer *self, const kernels *k, size_t rows)
{
    (void)k;
    (void)rows;
    self->out = (shape){self->in.height * 2, self->in.width * 2, self->in.channels};
}

/* The network sets `out`. */
static void given_shape(layer *self, const kernels *k, size_t rows)
{
    (void)self;
    (void)k;
    (void)rows;
}

/* The embedding is channel-first, [channel][y][x]; images are channels-last. */
static void turn_channels(shape s, float *to, const float *source, bool back)
{
    size_t pixels = s.height * s.width;
    for (size_t c = 0; c < s.channels; c++)
        for (size_t p = 0; p < pixels; p++) {
            if (back)
                to[c * pixels + p] = source[p * s.channels + c];
            else
                to[p * s.channels + c] = source[c * pixels + p];
        }
}

/* Declares a type: `now_row` and `back_row` are statements for one row that use k, self, in, out, gradient
 * and target. */
#define SIMPLE(type, shape_rule, needs_output, now_row, back_row)                                            \
    static void type##_row(void *context, size_t n, int thread)                                              \
    {                                                                                                        \
        const simple_job *job = context;                                                                     \
        const layer *self = job->self;                                                                       \
        const kernels *k = job->now->k;                                                                      \
        const float *in = job->in + n * shape_size(self->in);                                                \
        float *target = job->target + n * shape_size(self->out);                                             \
        (void)thread, (void)k;                                                                               \
        now_row;                                                                                             \
    }                                                                                                        \
    static void type##_forward(const layer *self, const pass *now, const float *in, float *out)              \
    {                                                                                                        \
        simple_job job = {.self = self, .now = now, .in = in, .target = out};                                \
        team_run(now->workers, now->rows, type##_row, &job);                                                 \
    }                                                                                                        \
    static void type##_row_back(void *context, size_t n, int thread)                                         \
    {                                                                                                        \
        const simple_job *job = context;                                                                     \
        const layer *self = job->self;                                                                       \
        const kernels *k = job->now->k;                                                                      \
        const float *in = job->in + n * shape_size(self->in), *out = job->out + n * shape_size(self->out);   \
        const float *gradient = job->out_gradient + n * shape_size(self->out);                               \
        float *target = job->target + n * shape_size(self->in);                                              \
        (void)thread, (void)k, (void)in, (void)out;                                                          \
        back_row;                                                                                            \
    }                                                                                                        \
    static void type##_backward(const layer *self, const pass *now, const float *in, const float *out,       \
                                const float *out_gradient, float *in_gradient)                               \
    {                                                                                                        \
        simple_job job = {self, now, in, out, out_gradient, in_gradient};                                    \
        if (in_gradient) team_run(now->workers, now->rows, type##_row_back, &job);                           \
    }                                                                                                        \
    const layer_type layer_##type = {.name = #type,                                                          \
                                     .reads_output = needs_output,                                           \
                                     .plan = shape_rule,                                                     \
                                     .forward = type##_forward,                                              \
                                     .backward = type##_backward};

SIMPLE(leaky, same_shape, false, k->leaky(target, in, self->slope, shape_size(self->in)),
       k->leaky_back(target, gradient, in, self->slope, shape_size(self->in)))
SIMPLE(sigmoid, same_shape, true, k->sigmoid(target, in, shape_size(self->in)),
       k->sigmoid_back(target, gradient, out, shape_size(self->in)))
SIMPLE(pool, half_shape, false, k->pool(target, in, self->in.height, self->in.width, self->in.channels),
       k->pool_back(target, gradient, in, self->in.height, self->in.width, self->in.channels))
SIMPLE(upsample, double_shape, false,
       k->upsample(target, in, self->in.height, self->in.width, self->in.channels),
       k->upsample_back(target, gradient, self->in.height, self->in.width, self->in.channels))
SIMPLE(unflatten, given_shape, false, turn_channels(self->out, target, in, false),
       turn_channels(self->out, target, gradient, true))
