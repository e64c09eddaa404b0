/* The dense layer: out = in W (+ b). Parameters: W [in][out], then b if `affine`. */
#include "nn/layer.h"

#include <string.h>

enum { ROWS_AN_ITEM = 24, WEIGHTS_AN_ITEM = 48 };

/* keep: weights in panels, forward [panel][in][lane] and backward [panel][out][lane]; shared: the output's
 * gradient with rows padded to whole panels */
static size_t packed_forward(const layer *self, const kernels *k)
{
    return shape_size(self->in) * round_to(shape_size(self->out), k->panel);
}

static size_t packed_backward(const layer *self, const kernels *k)
{
    return shape_size(self->out) * round_to(shape_size(self->in), k->panel);
}

static void plan(layer *self, const kernels *k, size_t rows)
{
    size_t in = shape_size(self->in), out = shape_size(self->out);
    self->parameters = in * out + (self->affine ? out : 0);
    self->fan_in = in;
    self->keep = packed_forward(self, k) + packed_backward(self, k);
    self->shared = rows * round_to(out, k->panel) + in * round_to(out, k->panel);
    self->thread = ROWS_AN_ITEM * k->panel;
}

static size_t tensors(const layer *self, layer_tensor out[LAYER_TENSORS_MOST])
{
    size_t in = shape_size(self->in), units = shape_size(self->out);
    out[0] = (layer_tensor){.name = "weight", .dimensions = 2, .shape = {in, units}};
    out[1] = (layer_tensor){.name = "bias", .dimensions = 1, .shape = {units}};
    return self->affine ? 2 : 1;
}

typedef struct dense_job {
    const layer *self;
    const pass *now;
    const float *from, *packed, *bias; /* of this product */
    float *to;
    size_t in, out; /* its width on both sides */
} dense_job;

/* One panel an item: columns panel.. of a matrix with `rows` rows, or of its transpose. */
typedef struct pack_job {
    const pass *now;
    const float *weights;
    float *packed;
    size_t in, out;
    bool transposed;
} pack_job;

static void pack_panel(void *context, size_t panel, int thread)
{
    (void)thread;
    const pack_job *job = context;
    size_t width = job->now->k->panel;
    float *to = job->packed + panel * job->in * width;
    for (size_t i = 0; i < job->in; i++)
        for (size_t lane = 0; lane < width; lane++, to++) {
            size_t o = panel * width + lane;
            *to = o >= job->out     ? 0
                  : job->transposed ? job->weights[o * job->in + i]
                                    : job->weights[i * job->out + o];
        }
}

static void pack(const pass *now, float *packed, const float *weights, size_t in, size_t out, bool transposed)
{
    pack_job job = {now, weights, packed, in, out, transposed};
    team_run(now->workers, (out + now->k->panel - 1) / now->k->panel, pack_panel, &job);
}

/* to = from x packed for a block of rows; a last panel that is not full goes through scratch */
static void multiply_rows(void *context, size_t item, int thread)
{
    const dense_job *job = context;
    const kernels *k = job->now->k;
    size_t width = k->panel, first = item * ROWS_AN_ITEM, rows = job->now->rows - first;
    if (rows > ROWS_AN_ITEM) rows = ROWS_AN_ITEM;
    for (size_t column = 0; column < job->out; column += width) {
        bool full = column + width <= job->out, narrow = job->out - column <= width / 2;
        float *scratch = thread_scratch(job->now, thread), *target = job->to + first * job->out + column;
        multiply_job product = {
            .a = job->from + first * job->in,
            .a_row = (ptrdiff_t)job->in,
            .a_step = 1,
            .b = job->packed + column * job->in,
            .b_step = (ptrdiff_t)width,
            .c = full ? target : scratch,
            .c_row = (ptrdiff_t)(full ? job->out : width),
            .bias = full && job->bias ? job->bias + column : NULL,
            .rows = rows,
            .columns = narrow ? width / 2 : width,
            .segments = 1,
            .depth = job->in,
        };
        k->multiply(&product);
        for (size_t r = 0; !full && r < rows; r++) {
            memcpy(target + r * job->out, scratch + r * width, (job->out - column) * sizeof *target);
            if (job->bias) k->add(target + r * job->out, job->bias + column, job->out - column);
        }
    }
}

static void forward(const layer *self, const pass *now, const float *in, float *out)
{
    size_t inputs = shape_size(self->in), outputs = shape_size(self->out);
    if (now->weights_changed) pack(now, now->keep, now->parameters, inputs, outputs, false);
    dense_job job = {
        self, now,    in,     now->keep, self->affine ? now->parameters + inputs * outputs : NULL,
        out,  inputs, outputs};
    team_run(now->workers, (now->rows + ROWS_AN_ITEM - 1) / ROWS_AN_ITEM, multiply_rows, &job);
}

/* Gradient of a block of weight rows; sums over the batch run in order inside one item. */
typedef struct weights_job {
    const layer *self;
    const pass *now;
    const float *in, *padded;
    size_t stride; /* of padded */
    float *gradient;
} weights_job;

static void weight_rows(void *context, size_t item, int thread)
{
    (void)thread;
    const weights_job *job = context;
    size_t inputs = shape_size(job->self->in), first = item * WEIGHTS_AN_ITEM, rows = inputs - first;
    if (rows > WEIGHTS_AN_ITEM) rows = WEIGHTS_AN_ITEM;
    for (size_t column = 0; column < job->stride; column += job->now->k->panel) {
        multiply_job product = {
            .a = job->in + first,
            .a_row = 1,
            .a_step = (ptrdiff_t)inputs,
            .b = job->padded + column,
            .b_step = (ptrdiff_t)job->stride,
            .c = job->gradient + first * job->stride + column,
            .c_row = (ptrdiff_t)job->stride,
            .rows = rows,
            .columns = job->now->k->panel,
            .segments = 1,
            .depth = job->now->rows,
        };
        job->now->k->multiply(&product);
    }
}

static void weight_gradient(const layer *self, const pass *now, const float *in, const float *out_gradient)
{
    size_t inputs = shape_size(self->in), outputs = shape_size(self->out),
           stride = round_to(outputs, now->k->panel);
    bool straight = stride == outputs;
    float *padded = now->shared, *wide = padded + now->rows * stride;
    for (size_t r = 0; !straight && r < now->rows; r++) {
        memcpy(padded + r * stride, out_gradient + r * outputs, outputs * sizeof *padded);
        memset(padded + r * stride + outputs, 0, (stride - outputs) * sizeof *padded);
    }
    weights_job job = {
        self, now, in, straight ? out_gradient : padded, stride, straight ? now->gradients : wide};
    team_run(now->workers, (inputs + WEIGHTS_AN_ITEM - 1) / WEIGHTS_AN_ITEM, weight_rows, &job);
    for (size_t i = 0; !straight && i < inputs; i++)
        memcpy(now->gradients + i * outputs, wide + i * stride, outputs * sizeof *wide);
    if (!self->affine) return;
    float *bias = now->gradients + inputs * outputs;
    memset(bias, 0, outputs * sizeof *bias);
    for (size_t r = 0; r < now->rows; r++) now->k->add(bias, out_gradient + r * outputs, outputs);
}

static void backward(const layer *self, const pass *now, const float *in, const float *out,
                     const float *out_gradient, float *in_gradient)
{
    (void)out;
    size_t inputs = shape_size(self->in), outputs = shape_size(self->out);
    if (in_gradient) {
        float *packed = now->keep + packed_forward(self, now->k);
        pack(now, packed, now->parameters, outputs, inputs, true);
        dense_job job = {self, now, out_gradient, packed, NULL, in_gradient, outputs, inputs};
        team_run(now->workers, (now->rows + ROWS_AN_ITEM - 1) / ROWS_AN_ITEM, multiply_rows, &job);
    }
    if (now->gradients) weight_gradient(self, now, in, out_gradient);
}

const layer_type layer_dense = {
    .name = "dense", .plan = plan, .tensors = tensors, .forward = forward, .backward = backward};
