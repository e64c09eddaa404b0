/* Layers for windows of a time series.
 *
 * spread: the flat numbers of a window (series/window.h) as T steps of 3 C channels: shape, level and
 * amplitude. The last two are constant over the steps and are divided by the root of T. conv1d: a
 * convolution along the steps with `taps` taps, zero padding and stride 2. Parameters: W [tap][in][out]. */
#include "nn/layer.h"

#include <math.h>
#include <string.h>

enum { WEIGHTS_AN_ITEM = 48, STEP = 2 };

typedef struct series_job {
    const layer *self;
    const pass *now;
    const float *in, *packed;
    float *out;
} series_job;

/* --- spread --- */

static void spread_plan(layer *self, const kernels *k, size_t rows)
{
    (void)self, (void)k, (void)rows; /* the network sets `out` */
}

static void spread_row(void *context, size_t n, int thread)
{
    const series_job *job = context;
    size_t steps = job->self->out.width, channels = job->self->out.channels / 3;
    const float *in = job->in + n * shape_size(job->self->in);
    float *out = job->out + n * shape_size(job->self->out), factor = 1 / sqrtf((float)steps);
    (void)thread;
    for (size_t t = 0; t < steps; t++, out += 3 * channels) {
        memcpy(out, in + t * channels, channels * sizeof *out);
        for (size_t c = 0; c < 2 * channels; c++) out[channels + c] = in[steps * channels + c] * factor;
    }
}

static void spread_forward(const layer *self, const pass *now, const float *in, float *out)
{
    series_job job = {self, now, in, NULL, out};
    team_run(now->workers, now->rows, spread_row, &job);
}

static void spread_row_back(void *context, size_t n, int thread)
{
    const series_job *job = context;
    size_t steps = job->self->out.width, channels = job->self->out.channels / 3;
    const float *gradient = job->in + n * shape_size(job->self->out);
    float *out = job->out + n * shape_size(job->self->in), factor = 1 / sqrtf((float)steps);
    float *rest = out + steps * channels;
    (void)thread;
    memset(rest, 0, 2 * channels * sizeof *rest);
    for (size_t t = 0; t < steps; t++, gradient += 3 * channels) {
        memcpy(out + t * channels, gradient, channels * sizeof *out);
        for (size_t c = 0; c < 2 * channels; c++) rest[c] += gradient[channels + c] * factor;
    }
}

static void spread_backward(const layer *self, const pass *now, const float *in, const float *out,
                            const float *out_gradient, float *in_gradient)
{
    (void)in, (void)out;
    series_job job = {self, now, out_gradient, NULL, in_gradient};
    if (in_gradient) team_run(now->workers, now->rows, spread_row_back, &job);
}

const layer_type layer_spread = {
    .name = "spread", .plan = spread_plan, .forward = spread_forward, .backward = spread_backward};

/* --- conv1d --- */

/* Number of inputs of one output; number of values of a zero-padded row. */
static size_t depth_of(const layer *self)
{
    return self->taps * self->in.channels;
}
static size_t padded_of(const layer *self)
{
    return (self->in.width + 2 * (self->taps / 2)) * self->in.channels;
}

static void plan(layer *self, const kernels *k, size_t rows)
{
    self->out.height = 1;
    self->out.width = (self->in.width + STEP - 1) / STEP;
    size_t depth = depth_of(self), units = self->out.channels, wide = round_to(units, k->panel);
    self->parameters = depth * units;
    self->fan_in = depth;
    self->keep = depth * wide + units * round_to(depth, k->panel);
    /* all rows with zero padding; the output's gradient and the weights' gradient in whole panels */
    self->shared = rows * padded_of(self) + rows * self->out.width * wide + depth * wide;
    size_t back = padded_of(self) + self->out.width * round_to(depth, k->panel);
    size_t forth = padded_of(self) + self->out.width * k->panel;
    self->thread = back > forth ? back : forth;
}

static size_t tensors(const layer *self, layer_tensor out[LAYER_TENSORS_MAX])
{
    out[0] = (layer_tensor){
        .name = "weight", .dimensions = 3, .shape = {self->taps, self->in.channels, self->out.channels}};
    return 1;
}

/* Packs [depth][units] into panels of columns, or its transpose into panels of its rows. */
static void pack(float *packed, const float *weights, size_t depth, size_t units, size_t panel,
                 bool transposed)
{
    size_t rows = transposed ? units : depth, columns = transposed ? depth : units;
    for (size_t first = 0; first < columns; first += panel)
        for (size_t i = 0; i < rows; i++)
            for (size_t lane = 0; lane < panel; lane++, packed++) {
                size_t o = first + lane;
                *packed = o >= columns ? 0 : transposed ? weights[o * units + i] : weights[i * units + o];
            }
}

static void pad_row(const layer *self, float *to, const float *row)
{
    size_t size = shape_size(self->in), around = self->taps / 2 * self->in.channels;
    memset(to, 0, around * sizeof *to);
    memcpy(to + around, row, size * sizeof *to);
    memset(to + around + size, 0, around * sizeof *to);
}

static void convolve_row(void *context, size_t n, int thread)
{
    const series_job *job = context;
    const layer *self = job->self;
    size_t panel = job->now->k->panel, units = self->out.channels, steps = self->out.width,
           depth = depth_of(self);
    float *padded = thread_scratch(job->now, thread), *buffer = padded + padded_of(self);
    float *out = job->out + n * shape_size(self->out);
    pad_row(self, padded, job->in + n * shape_size(self->in));
    for (size_t column = 0; column < units; column += panel) {
        bool full = column + panel <= units;
        multiply_job product = {.a = padded,
                                .a_row = (ptrdiff_t)(STEP * self->in.channels),
                                .a_step = 1,
                                .b = job->packed + column * depth,
                                .b_step = (ptrdiff_t)panel,
                                .c = full ? out + column : buffer,
                                .c_row = (ptrdiff_t)(full ? units : panel),
                                .rows = steps,
                                .columns = panel,
                                .segments = 1,
                                .depth = depth};
        job->now->k->multiply(&product);
        for (size_t t = 0; !full && t < steps; t++)
            memcpy(out + t * units + column, buffer + t * panel, (units - column) * sizeof *out);
    }
}

static void forward(const layer *self, const pass *now, const float *in, float *out)
{
    if (now->weights_changed)
        pack(now->keep, now->parameters, depth_of(self), self->out.channels, now->k->panel, false);
    series_job job = {self, now, in, now->keep, out};
    team_run(now->workers, now->rows, convolve_row, &job);
}

/* Adds the gradients of overlapping inputs. */
static void spread_back(void *context, size_t n, int thread)
{
    const series_job *job = context;
    const layer *self = job->self;
    size_t panel = job->now->k->panel, units = self->out.channels, steps = self->out.width,
           depth = depth_of(self);
    size_t wide = round_to(depth, panel), around = self->taps / 2 * self->in.channels;
    float *padded = thread_scratch(job->now, thread), *seen = padded + padded_of(self);
    for (size_t column = 0; column < depth; column += panel) {
        multiply_job product = {.a = job->in + n * shape_size(self->out),
                                .a_row = (ptrdiff_t)units,
                                .a_step = 1,
                                .b = job->packed + column * units,
                                .b_step = (ptrdiff_t)panel,
                                .c = seen + column,
                                .c_row = (ptrdiff_t)wide,
                                .rows = steps,
                                .columns = panel,
                                .segments = 1,
                                .depth = units};
        job->now->k->multiply(&product);
    }
    memset(padded, 0, padded_of(self) * sizeof *padded);
    for (size_t t = 0; t < steps; t++)
        job->now->k->add(padded + t * STEP * self->in.channels, seen + t * wide, depth);
    memcpy(job->out + n * shape_size(self->in), padded + around, shape_size(self->in) * sizeof *padded);
}

typedef struct weights_job {
    const layer *self;
    const pass *now;
    const float *padded, *gradient;
    float *to;
    size_t wide;
} weights_job;

/* Each item sums over the batch in order. */
static void weight_rows(void *context, size_t item, int thread)
{
    const weights_job *job = context;
    const layer *self = job->self;
    size_t depth = depth_of(self), first = item * WEIGHTS_AN_ITEM, rows = depth - first;
    if (rows > WEIGHTS_AN_ITEM) rows = WEIGHTS_AN_ITEM;
    (void)thread;
    for (size_t column = 0; column < job->wide; column += job->now->k->panel) {
        multiply_job product = {.a = job->padded + first,
                                .a_row = 1,
                                .a_segment = (ptrdiff_t)padded_of(self),
                                .a_step = (ptrdiff_t)(STEP * self->in.channels),
                                .b = job->gradient + column,
                                .b_segment = (ptrdiff_t)(self->out.width * job->wide),
                                .b_step = (ptrdiff_t)job->wide,
                                .c = job->to + first * job->wide + column,
                                .c_row = (ptrdiff_t)job->wide,
                                .rows = rows,
                                .columns = job->now->k->panel,
                                .segments = job->now->rows,
                                .depth = self->out.width};
        job->now->k->multiply(&product);
    }
}

static void weights(const layer *self, const pass *now, const float *in, const float *out_gradient)
{
    size_t units = self->out.channels, wide = round_to(units, now->k->panel), depth = depth_of(self);
    size_t places = now->rows * self->out.width;
    float *padded = now->shared, *gradient = padded + now->rows * padded_of(self),
          *to = gradient + places * wide;
    for (size_t n = 0; n < now->rows; n++)
        pad_row(self, padded + n * padded_of(self), in + n * shape_size(self->in));
    for (size_t i = 0; i < places; i++) {
        memcpy(gradient + i * wide, out_gradient + i * units, units * sizeof *gradient);
        memset(gradient + i * wide + units, 0, (wide - units) * sizeof *gradient);
    }
    weights_job job = {self, now, padded, gradient, to, wide};
    team_run(now->workers, (depth + WEIGHTS_AN_ITEM - 1) / WEIGHTS_AN_ITEM, weight_rows, &job);
    for (size_t i = 0; i < depth; i++) memcpy(now->gradients + i * units, to + i * wide, units * sizeof *to);
}

static void backward(const layer *self, const pass *now, const float *in, const float *out,
                     const float *out_gradient, float *in_gradient)
{
    size_t depth = depth_of(self), units = self->out.channels;
    (void)in, (void)out;
    if (!in_gradient) return;
    float *packed = now->keep + depth * round_to(units, now->k->panel);
    pack(packed, now->parameters, depth, units, now->k->panel, true);
    series_job job = {self, now, out_gradient, packed, in_gradient};
    team_run(now->workers, now->rows, spread_back, &job);
}

const layer_type layer_conv1d = {.name = "conv1d",
                                 .plan = plan,
                                 .tensors = tensors,
                                 .forward = forward,
                                 .backward = backward,
                                 .weights = weights};
