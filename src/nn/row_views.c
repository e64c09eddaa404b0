/* Layers that make several rows (views) of one, and one that averages them.
 *
 * windows: view j is the row without `window` neighboring columns, followed by these columns; the
 * positions of the `views_out` windows are evenly spaced from the first column to the last. A view does
 * not contain the position of its window. turns: view r is a square image rotated by r quarters.
 * mirror: view 1 is the image mirrored left to right. average: one row from all views. masks: view 0 is the network's input, view k the input times sigmoid(z_k), with z the layer's input: one block
 * of values for each other view. */
#include "nn/layer.h"

#include <string.h>

typedef struct view_job {
    const layer *self;
    const pass *now;
    const float *source, *gradient;
    float *to;
} view_job;

/* --- windows, turns and mirror: views that reorder the values of a row --- */

static size_t window_source(const layer *self, size_t view, size_t value)
{
    size_t rest = shape_size(self->in) - self->window;
    size_t at = self->views_out > 1 ? view * rest / (self->views_out - 1) : 0;
    return value >= rest ? at + value - rest : value < at ? value : value + self->window;
}

static size_t turn_source(const layer *self, size_t view, size_t value)
{
    size_t side = self->in.width, channels = self->in.channels, last = side - 1;
    size_t x = value / channels % side, y = value / channels / side, pixel = y * side + x;
    switch (view % 4) {
    case 1: pixel = x * side + last - y; break;
    case 2: pixel = (last - y) * side + last - x; break;
    case 3: pixel = (last - x) * side + y; break;
    }
    return pixel * channels + value % channels;
}

static size_t mirror_source(const layer *self, size_t view, size_t value)
{
    size_t channels = self->in.channels, line = self->in.width * channels, x = value % line / channels;
    return view ? value + (self->in.width - 1 - x) * channels - x * channels : value;
}

size_t view_source(const layer *self, size_t view, size_t value)
{
    return self->type == &layer_windows  ? window_source(self, view, value)
           : self->type == &layer_mirror ? mirror_source(self, view, value)
                                         : turn_source(self, view, value);
}

static void order_plan(layer *self, const kernels *k, size_t rows)
{
    (void)k, (void)rows;
    self->out = self->in;
}

static void order_row(void *context, size_t n, int thread)
{
    (void)thread;
    const view_job *job = context;
    size_t values = shape_size(job->self->in);
    const float *row = job->source + n * values;
    float *to = job->to + n * job->self->views_out * values;
    for (size_t v = 0; v < job->self->views_out; v++)
        for (size_t i = 0; i < values; i++) *to++ = row[view_source(job->self, v, i)];
}

static void order_forward(const layer *self, const pass *now, const float *in, float *out)
{
    view_job job = {.self = self, .now = now, .source = in, .to = out};
    team_run(now->workers, now->rows, order_row, &job);
}

static void order_row_back(void *context, size_t n, int thread)
{
    (void)thread;
    const view_job *job = context;
    size_t values = shape_size(job->self->in);
    const float *gradient = job->source + n * job->self->views_out * values;
    float *to = job->to + n * values;
    memset(to, 0, values * sizeof *to);
    for (size_t v = 0; v < job->self->views_out; v++)
        for (size_t i = 0; i < values; i++) to[view_source(job->self, v, i)] += *gradient++;
}

static void order_backward(const layer *self, const pass *now, const float *in, const float *out,
                           const float *out_gradient, float *in_gradient)
{
    (void)in, (void)out;
    view_job job = {.self = self, .now = now, .source = out_gradient, .to = in_gradient};
    if (in_gradient) team_run(now->workers, now->rows, order_row_back, &job);
}

const layer_type layer_windows = {
    .name = "windows", .plan = order_plan, .forward = order_forward, .backward = order_backward};
const layer_type layer_turns = {
    .name = "turns", .plan = order_plan, .forward = order_forward, .backward = order_backward};
const layer_type layer_mirror = {
    .name = "mirror", .plan = order_plan, .forward = order_forward, .backward = order_backward};

/* --- average --- */

static void average_plan(layer *self, const kernels *k, size_t rows)
{
    (void)k, (void)rows;
    self->out = self->in;
    self->views_out = 1;
}

static void average_row(void *context, size_t n, int thread)
{
    (void)thread;
    const view_job *job = context;
    size_t values = shape_size(job->self->in), views = job->self->views;
    const float *row = job->source + n * views * values;
    float *to = job->to + n * values;
    for (size_t i = 0; i < values; i++) {
        float sum = 0;
        for (size_t v = 0; v < views; v++) sum += row[v * values + i];
        to[i] = sum / (float)views;
    }
}

static void average_forward(const layer *self, const pass *now, const float *in, float *out)
{
    view_job job = {.self = self, .now = now, .source = in, .to = out};
    team_run(now->workers, now->rows / self->views, average_row, &job);
}

static void average_row_back(void *context, size_t n, int thread)
{
    (void)thread;
    const view_job *job = context;
    size_t values = shape_size(job->self->in), views = job->self->views;
    const float *gradient = job->source + n * values;
    float *to = job->to + n * views * values;
    for (size_t i = 0; i < views * values; i++) to[i] = gradient[i % values] / (float)views;
}

static void average_backward(const layer *self, const pass *now, const float *in, const float *out,
                             const float *out_gradient, float *in_gradient)
{
    (void)in, (void)out;
    view_job job = {.self = self, .now = now, .source = out_gradient, .to = in_gradient};
    if (in_gradient) team_run(now->workers, now->rows / self->views, average_row_back, &job);
}

const layer_type layer_average = {
    .name = "average", .plan = average_plan, .forward = average_forward, .backward = average_backward};

/* --- masks --- */

/* The network sets `out`. */
static void masks_plan(layer *self, const kernels *k, size_t rows)
{
    (void)k, (void)rows;
    self->views_out = shape_size(self->in) / shape_size(self->out) + 1;
}

static void masks_row(void *context, size_t n, int thread)
{
    (void)thread;
    const view_job *job = context;
    size_t columns = shape_size(job->self->out), logits = shape_size(job->self->in);
    const float *row = job->now->given + n * columns;
    float *to = job->to + n * (logits + columns);
    memcpy(to, row, columns * sizeof *to);
    job->now->k->sigmoid(to + columns, job->source + n * logits, logits);
    for (size_t i = 0; i < logits; i++) to[columns + i] *= row[i % columns];
}

static void masks_forward(const layer *self, const pass *now, const float *in, float *out)
{
    view_job job = {.self = self, .now = now, .source = in, .to = out};
    team_run(now->workers, now->rows, masks_row, &job);
}

static void masks_row_back(void *context, size_t n, int thread)
{
    (void)thread;
    const view_job *job = context;
    size_t columns = shape_size(job->self->out), logits = shape_size(job->self->in);
    const float *row = job->now->given + n * columns, *gradient = job->gradient + n * (logits + columns);
    float *to = job->to + n * logits;
    job->now->k->sigmoid(to, job->source + n * logits, logits);
    if (job->now->given_gradient) {
        float *given = job->now->given_gradient + n * columns;
        memcpy(given, gradient, columns * sizeof *given);
        for (size_t i = 0; i < logits; i++) given[i % columns] += gradient[columns + i] * to[i];
    }
    for (size_t i = 0; i < logits; i++)
        to[i] = gradient[columns + i] * row[i % columns] * to[i] * (1 - to[i]);
}

static void masks_backward(const layer *self, const pass *now, const float *in, const float *out,
                           const float *out_gradient, float *in_gradient)
{
    (void)out;
    view_job job = {.self = self, .now = now, .source = in, .gradient = out_gradient, .to = in_gradient};
    if (in_gradient) team_run(now->workers, now->rows, masks_row_back, &job);
}

const layer_type layer_masks = {.name = "masks",
                                .reads_given = true,
                                .plan = masks_plan,
                                .forward = masks_forward,
                                .backward = masks_backward};
