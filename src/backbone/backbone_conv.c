/* Convolutions of a backbone. Pixels are channels-last, so that the taps of a kernel row are neighbors in
 * memory and each row of outputs is one matrix product. */
#include "backbone/runner.h"

#include <string.h>

/* Rows of a pointwise product per step: its inputs stay in the second-level cache for all panels. */
enum { POINTWISE_TILES = 4 };

static size_t round_up(size_t value, size_t step)
{
    return (value + step - 1) / step * step;
}

static conv_form form_of(const graph_node *node)
{
    bool padded = node->same || node->pad[0] || node->pad[1] || node->pad[2] || node->pad[3];
    if (node->groups > 1 && node->groups == node->in && node->out == node->in) return CONV_DEPTHWISE;
    if (node->tall == 1 && node->wide == 1 && node->stride == 1 && node->groups == 1 &&
        (!padded || node->same))
        return CONV_POINTWISE;
    return CONV_DENSE;
}

static void pack_depthwise(float *packed, const graph_node *node)
{
    size_t taps = node->tall * node->wide;
    for (size_t c = 0; c < node->out; c++)
        for (size_t t = 0; t < taps; t++) packed[t * node->out + c] = node->weight[c * taps + t];
}

static void pack_dense(float *packed, float *bias, const graph_node *node, size_t panel)
{
    size_t outputs = node->out / node->groups, wide = round_up(outputs, panel);
    size_t depth = node->tall * node->wide * (node->in / node->groups);
    for (size_t g = 0; g < node->groups; g++)
        for (size_t n = 0; n < outputs; n++) {
            size_t start = g * outputs + n;
            float *to = packed + g * wide * depth + n / panel * panel * depth + n % panel;
            for (size_t d = 0; d < depth; d++) to[d * panel] = node->weight[start * depth + d];
            bias[g * wide + n] = node->bias[start];
        }
}

/* The shape of the padded copy of a group's channels, limited to rows and columns that the products read. */
static graph_shape copy_shape(const backbone_runner *runner, size_t index)
{
    const graph_node *node = &runner->source->nodes[index];
    const graph_shape *out = &runner->shapes[index + 1];
    return (graph_shape){(out->height - 1) * node->stride + node->tall,
                         (out->width - 1) * node->stride + node->wide, node->in / node->groups};
}

static bool needs_copy(const backbone_runner *runner, size_t index)
{
    const graph_node *node = &runner->source->nodes[index];
    const graph_shape in = runner->shapes[node->inputs[0]], copy = copy_shape(runner, index);
    const graph_padding padding = runner->nodes[index].padding;
    return node->groups > 1 || padding.top || padding.left || copy.height > in.height ||
           copy.width > in.width;
}

puad_status runner_pack(backbone_runner *runner, size_t index)
{
    const graph_node *node = &runner->source->nodes[index];
    run_node *made = &runner->nodes[index];
    float *weight = NULL, *bias = NULL;
    size_t panel = runner->k->panel, depth = node->tall * node->wide * (node->in / node->groups);
    size_t wide = round_up(node->out / node->groups, panel) * node->groups;
    made->form = form_of(node);
    made->bias = node->bias;
    if (made->form == CONV_DEPTHWISE) {
        TRY(arena_new(&runner->memory, &weight, node->out * depth, sizeof *weight));
        pack_depthwise(weight, node);
    } else {
        TRY(arena_new(&runner->memory, &weight, wide * depth, sizeof *weight));
        TRY(arena_new(&runner->memory, &bias, wide, sizeof *bias));
        pack_dense(weight, bias, node, panel);
        made->bias = bias;
    }
    made->weight = weight;
    if (made->form == CONV_DENSE && needs_copy(runner, index)) {
        graph_shape copy = copy_shape(runner, index);
        size_t max = (size_t)1 << 28;
        if (copy.height * copy.width > max / copy.channels)
            FAIL(PUAD_FORMAT, "node %zu (conv): a padded copy of %zu x %zu x %zu values is too large", index,
                 copy.height, copy.width, copy.channels);
        made->copy = copy.height * copy.width * copy.channels;
    }
    return PUAD_OK;
}

void activation_run(const kernels *k, activation which, float *values, size_t count)
{
    switch (which) {
    case ACTIVATION_none: break;
    case ACTIVATION_relu: k->leaky(values, values, 0, count); break;
    case ACTIVATION_relu6: k->clamp(values, 0, 6, count); break;
    case ACTIVATION_silu: k->silu(values, values, count); break;
    case ACTIVATION_hard_swish: k->hard_swish(values, values, count); break;
    case ACTIVATION_sigmoid: k->sigmoid(values, values, count); break;
    case ACTIVATION_hard_sigmoid:
        for (size_t i = 0; i < count; i++) values[i] += 3;
        k->clamp(values, 0, 6, count);
        for (size_t i = 0; i < count; i++) values[i] /= 6;
        break;
    }
}

/* The fields that all products of a node share. ReLU is part of the product, other activations follow it. */
static multiply_job product_of(const backbone_runner *runner, const graph_node *node)
{
    static const float zero = 0;
    return (multiply_job){.a_step = 1,
                          .b_step = (ptrdiff_t)runner->k->panel,
                          .c_row = (ptrdiff_t)node->out,
                          .slope = node->activation == ACTIVATION_relu ? &zero : NULL,
                          .segments = 1,
                          .padded = true};
}

static void run_panels(const backbone_runner *runner, multiply_job *job, const run_node *packed, size_t group,
                       size_t outputs)
{
    size_t panel = runner->k->panel, wide = round_up(outputs, panel), depth = job->segments * job->depth;
    float *out = job->c;
    for (size_t n = 0; n < outputs; n += panel) {
        job->b = packed->weight + group * wide * depth + n * depth;
        job->bias = packed->bias + group * wide + n;
        job->c = out + n;
        job->columns = outputs - n < panel ? outputs - n : panel;
        runner->k->multiply(job);
    }
    job->c = out;
}

static void run_pointwise(const backbone_runner *runner, size_t index, float *out, const float *in)
{
    const graph_node *node = &runner->source->nodes[index];
    const graph_shape *size = &runner->shapes[index + 1];
    size_t pixels = size->height * size->width, step = POINTWISE_TILES * runner->k->tile;
    multiply_job job = product_of(runner, node);
    job.a_row = (ptrdiff_t)node->in;
    job.depth = node->in;
    for (size_t first = 0; first < pixels; first += job.rows) {
        job.rows = pixels - first < 2 * step ? pixels - first : step;
        job.a = in + first * node->in;
        job.c = out + first * node->out;
        run_panels(runner, &job, &runner->nodes[index], 0, node->out);
        if (!job.slope) activation_run(runner->k, node->activation, job.c, job.rows * node->out);
    }
}

static void run_depthwise(const backbone_runner *runner, size_t index, float *out, const float *in)
{
    const graph_node *node = &runner->source->nodes[index];
    const graph_shape *shape = &runner->shapes[node->inputs[0]], *to = &runner->shapes[index + 1];
    const run_node *packed = &runner->nodes[index];
    depthwise_job job = {.x = in,
                         .weights = packed->weight,
                         .bias = packed->bias,
                         .height = shape->height,
                         .width = shape->width,
                         .channels = node->in,
                         .tall = node->tall,
                         .wide = node->wide,
                         .stride = node->stride,
                         .top = packed->padding.top,
                         .left = packed->padding.left,
                         .out_width = to->width};
    size_t row_size = to->width * node->out;
    for (size_t row = 0; row < to->height; row++, out += row_size) {
        runner->k->depthwise(out, &job, row);
        activation_run(runner->k, node->activation, out, row_size);
    }
}

static void fill_copy(const backbone_runner *runner, size_t index, size_t group, float *copy, const float *in)
{
    const graph_node *node = &runner->source->nodes[index];
    const graph_shape *shape = &runner->shapes[node->inputs[0]];
    const graph_shape to = copy_shape(runner, index);
    const graph_padding padding = runner->nodes[index].padding;
    for (size_t y = 0; y < to.height; y++, copy += to.width * to.channels) {
        memset(copy, 0, to.width * to.channels * sizeof *copy);
        if (y < padding.top || y - padding.top >= shape->height) continue;
        const float *row = in + (y - padding.top) * shape->width * node->in + group * to.channels;
        for (size_t x = padding.left; x < to.width && x - padding.left < shape->width; x++)
            memcpy(copy + x * to.channels, row + (x - padding.left) * node->in, to.channels * sizeof *copy);
    }
}

static void run_dense(const backbone_runner *runner, size_t index, float *out, const float *in, float *copy)
{
    const graph_node *node = &runner->source->nodes[index];
    const graph_shape *size = &runner->shapes[index + 1];
    const run_node *packed = &runner->nodes[index];
    size_t channels = node->in / node->groups, outputs = node->out / node->groups;
    size_t line =
        (packed->copy ? copy_shape(runner, index).width : runner->shapes[node->inputs[0]].width) * channels;
    size_t panel = runner->k->panel, wide = round_up(outputs, panel);
    multiply_job job = product_of(runner, node);
    job.a_row = (ptrdiff_t)(node->stride * channels);
    job.a_segment = (ptrdiff_t)line;
    job.segments = node->tall;
    job.depth = node->wide * channels;
    job.b_segment = (ptrdiff_t)(job.depth * panel);
    job.rows = size->width;
    for (size_t g = 0; g < node->groups; g++) {
        if (packed->copy) fill_copy(runner, index, g, copy, in);
        /* panels in the outer loop, so that their weights stay in the cache */
        for (size_t n = 0; n < outputs; n += panel) {
            job.b = packed->weight + (g * wide + n) * job.segments * job.depth;
            job.bias = packed->bias + g * wide + n;
            job.columns = outputs - n < panel ? outputs - n : panel;
            for (size_t y = 0; y < size->height; y++) {
                job.a = (packed->copy ? copy : in) + y * node->stride * line;
                job.c = out + y * size->width * node->out + g * outputs + n;
                runner->k->multiply(&job);
            }
        }
    }
    if (!job.slope) activation_run(runner->k, node->activation, out, size->height * size->width * node->out);
}

void conv_run(const backbone_runner *runner, size_t index, float *out, const float *in, float *copy)
{
    switch (runner->nodes[index].form) {
    case CONV_POINTWISE: run_pointwise(runner, index, out, in); break;
    case CONV_DEPTHWISE: run_depthwise(runner, index, out, in); break;
    case CONV_DENSE: run_dense(runner, index, out, in, copy); break;
    }
}
