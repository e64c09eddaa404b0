/* The dense layer: out = in W (+ b). Parameters: W [in][out], then b if `affine`. With `split_in` it is
 * two parallel dense layers: the first `split_in` inputs give the first `split_out` outputs, the others
 * give the others, and the parameters of the second layer follow those of the first. */
#include "nn/layer.h"

#include <math.h>
#include <string.h>

enum { ROWS_AN_ITEM = 24, WEIGHTS_AN_ITEM = 48 };

/* One of the parallel layers: its width, and the offsets of its columns, parameters and packed weights. */
typedef struct block {
    size_t in, out, in_at, out_at, parameters_at, packed_at;
} block;

/* keep, for each block: weights in panels, forward [panel][in][lane] followed by the bias, and backward
 * [panel][out][lane]; shared: the output's gradient and the weights' gradient, with rows padded to whole
 * panels */
static size_t packed_forward(const block *source, const kernels *k)
{
    return (source->in + 1) * round_to(source->out, k->panel);
}

static size_t packed_backward(const block *source, const kernels *k)
{
    return source->out * round_to(source->in, k->panel);
}

static size_t blocks_of(const layer *self, const kernels *k, block out[2])
{
    size_t in = shape_size(self->in), units = shape_size(self->out);
    if (!self->split_in) {
        out[0] = (block){.in = in, .out = units};
        return 1;
    }
    out[0] = (block){.in = self->split_in, .out = self->split_out};
    out[1] = (block){.in = in - self->split_in,
                     .out = units - self->split_out,
                     .in_at = self->split_in,
                     .out_at = self->split_out,
                     .parameters_at = out[0].in * out[0].out + (self->affine ? out[0].out : 0),
                     .packed_at = packed_forward(&out[0], k) + packed_backward(&out[0], k)};
    return 2;
}

static void plan(layer *self, const kernels *k, size_t rows)
{
    block blocks[2];
    size_t count = blocks_of(self, k, blocks);
    self->parameters = self->keep = self->shared = 0;
    for (size_t i = 0; i < count; i++) {
        const block *source = &blocks[i];
        size_t wide = round_to(source->out, k->panel);
        self->parameters += source->in * source->out + (self->affine ? source->out : 0);
        self->keep += packed_forward(source, k) + packed_backward(source, k);
        if ((rows + source->in) * wide > self->shared) self->shared = (rows + source->in) * wide;
    }
    self->fan_in = blocks[0].in; /* the second block has another bound; see start() */
}

static size_t tensors(const layer *self, layer_tensor out[LAYER_TENSORS_MAX])
{
    static const char *const names[2][2] = {{"weight", "bias"}, {"second_weight", "second_bias"}};
    block blocks[2];
    size_t count = blocks_of(self, kernels_best(), blocks), made = 0;
    for (size_t i = 0; i < count; i++) {
        out[made++] =
            (layer_tensor){.name = names[i][0], .dimensions = 2, .shape = {blocks[i].in, blocks[i].out}};
        if (self->affine)
            out[made++] = (layer_tensor){.name = names[i][1], .dimensions = 1, .shape = {blocks[i].out}};
    }
    return made;
}

/* All parameters are drawn for the number of inputs of the first block; those of the second are rescaled. */
static void start(const layer *self, float *parameters, float *state)
{
    (void)state;
    block blocks[2];
    if (blocks_of(self, kernels_best(), blocks) == 1) return;
    float factor = sqrtf((float)blocks[0].in / (float)blocks[1].in);
    for (size_t i = blocks[1].parameters_at; i < self->parameters; i++) parameters[i] *= factor;
}

typedef struct dense_job {
    const pass *now;
    const float *source, *packed, *bias; /* inputs of this product; the bias, or NULL, also in whole panels */
    float *to;
    size_t in, out; /* its width on both sides, and the width of whole rows */
    size_t from_row, to_row;
    const float *slope; /* or NULL, see pass */
} dense_job;

/* Each item packs one panel: columns of a matrix with `rows` rows, or of its transpose. */
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
    size_t width = job->now->k->panel, first = panel * width, in = job->in;
    size_t lanes = job->out - first < width ? job->out - first : width;
    float *to = job->packed + first * in;
    if (lanes < width) memset(to, 0, in * width * sizeof *to);
    if (!job->transposed) {
        for (size_t i = 0; i < in; i++)
            memcpy(to + i * width, job->weights + i * job->out + first, lanes * sizeof *to);
        return;
    }
    enum { BLOCK = 8 }; /* values of a column read at a time */
    for (size_t start = 0; start < in; start += BLOCK) {
        size_t end = in - start < BLOCK ? in : start + BLOCK;
        for (size_t lane = 0; lane < lanes; lane++)
            for (size_t i = start; i < end; i++) to[i * width + lane] = job->weights[(first + lane) * in + i];
    }
}

static void pack(const pass *now, float *packed, const float *weights, size_t in, size_t out, bool transposed)
{
    pack_job job = {now, weights, packed, in, out, transposed};
    team_run(now->workers, (out + now->k->panel - 1) / now->k->panel, pack_panel, &job);
}

/* to = from x packed, for some rows */
static void multiply_rows(void *context, size_t item, int thread)
{
    (void)thread;
    const dense_job *job = context;
    const kernels *k = job->now->k;
    size_t width = k->panel, first = item * ROWS_AN_ITEM, rows = job->now->rows - first;
    multiply_job product = {
        .a = job->source + first * job->from_row,
        .a_row = (ptrdiff_t)job->from_row,
        .a_step = 1,
        .b_step = (ptrdiff_t)width,
        .c_row = (ptrdiff_t)job->to_row,
        .slope = job->slope,
        .rows = rows < ROWS_AN_ITEM ? rows : ROWS_AN_ITEM,
        .segments = 1,
        .depth = job->in,
        .padded = true,
    };
    for (size_t column = 0; column < job->out; column += width) {
        product.b = job->packed + column * job->in;
        product.c = job->to + first * job->to_row + column;
        product.bias = job->bias ? job->bias + column : NULL;
        product.columns = job->out - column < width ? job->out - column : width;
        k->multiply(&product);
    }
}

static void run_rows(dense_job *job)
{
    team_run(job->now->workers, (job->now->rows + ROWS_AN_ITEM - 1) / ROWS_AN_ITEM, multiply_rows, job);
}

static void forward(const layer *self, const pass *now, const float *in, float *out)
{
    block blocks[2];
    size_t count = blocks_of(self, now->k, blocks);
    for (size_t i = 0; i < count; i++) {
        const block *source = &blocks[i];
        const float *weights = now->parameters + source->parameters_at;
        float *packed = now->keep + source->packed_at;
        float *bias = packed + source->in * round_to(source->out, now->k->panel);
        if (now->weights_changed) {
            pack(now, packed, weights, source->in, source->out, false);
            if (self->affine) memcpy(bias, weights + source->in * source->out, source->out * sizeof *bias);
        }
        dense_job job = {.now = now,
                         .source = in + source->in_at,
                         .packed = packed,
                         .bias = self->affine ? bias : NULL,
                         .to = out + source->out_at,
                         .in = source->in,
                         .out = source->out,
                         .from_row = shape_size(self->in),
                         .to_row = shape_size(self->out),
                         .slope = now->slope};
        run_rows(&job);
    }
}

/* Gradient of some rows of weights; each item sums over the batch in order. */
typedef struct weights_job {
    const pass *now;
    const float *in, *source; /* input and output's gradient, from the block's first column */
    size_t inputs, in_row, from_row;
    size_t stride; /* of the gradient: the block's outputs in whole panels */
    float *gradient;
} weights_job;

static void weight_rows(void *context, size_t item, int thread)
{
    (void)thread;
    const weights_job *job = context;
    size_t first = item * WEIGHTS_AN_ITEM, rows = job->inputs - first;
    if (rows > WEIGHTS_AN_ITEM) rows = WEIGHTS_AN_ITEM;
    for (size_t column = 0; column < job->stride; column += job->now->k->panel) {
        multiply_job product = {
            .a = job->in + first,
            .a_row = 1,
            .a_step = (ptrdiff_t)job->in_row,
            .b = job->source + column,
            .b_step = (ptrdiff_t)job->from_row,
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

static void weight_gradient(const layer *self, const block *source, const pass *now, const float *in,
                            const float *out_gradient)
{
    size_t outputs = shape_size(self->out), stride = round_to(source->out, now->k->panel);
    bool straight = stride == source->out;
    float *padded = now->shared, *wide = padded + now->rows * stride;
    float *gradients = now->gradients + source->parameters_at;
    out_gradient += source->out_at;
    for (size_t r = 0; !straight && r < now->rows; r++) {
        memcpy(padded + r * stride, out_gradient + r * outputs, source->out * sizeof *padded);
        memset(padded + r * stride + source->out, 0, (stride - source->out) * sizeof *padded);
    }
    weights_job job = {.now = now,
                       .in = in + source->in_at,
                       .source = straight ? out_gradient : padded,
                       .inputs = source->in,
                       .in_row = shape_size(self->in),
                       .from_row = straight ? outputs : stride,
                       .stride = stride,
                       .gradient = straight ? gradients : wide};
    team_run(now->workers, (source->in + WEIGHTS_AN_ITEM - 1) / WEIGHTS_AN_ITEM, weight_rows, &job);
    for (size_t i = 0; !straight && i < source->in; i++)
        memcpy(gradients + i * source->out, wide + i * stride, source->out * sizeof *wide);
    if (!self->affine) return;
    float *bias = gradients + source->in * source->out;
    memset(bias, 0, source->out * sizeof *bias);
    for (size_t r = 0; r < now->rows; r++) now->k->add(bias, out_gradient + r * outputs, source->out);
}

static void backward(const layer *self, const pass *now, const float *in, const float *out,
                     const float *out_gradient, float *in_gradient)
{
    (void)in, (void)out;
    if (!in_gradient) return;
    block blocks[2];
    size_t count = blocks_of(self, now->k, blocks);
    for (size_t i = 0; i < count; i++) {
        const block *source = &blocks[i];
        float *packed = now->keep + source->packed_at + packed_forward(source, now->k);
        pack(now, packed, now->parameters + source->parameters_at, source->out, source->in, true);
        dense_job job = {.now = now,
                         .source = out_gradient + source->out_at,
                         .packed = packed,
                         .to = in_gradient + source->in_at,
                         .in = source->out,
                         .out = source->in,
                         .from_row = shape_size(self->out),
                         .to_row = shape_size(self->in)};
        run_rows(&job);
    }
}

static void weights(const layer *self, const pass *now, const float *in, const float *out_gradient)
{
    block blocks[2];
    size_t count = blocks_of(self, now->k, blocks);
    for (size_t i = 0; i < count; i++) weight_gradient(self, &blocks[i], now, in, out_gradient);
}

const layer_type layer_dense = {.name = "dense",
                                .takes_slope = true,
                                .plan = plan,
                                .tensors = tensors,
                                .start = start,
                                .forward = forward,
                                .backward = backward,
                                .weights = weights};
