/* The backbone of a model in ONNX: from rows x height x width x 3 pixels to rows x features, node by node.
 * Values between are rows x channels x height x width. */
#include "backbone/graph.h"
#include "export/onnx_parts.h"

#include <math.h>

typedef struct backbone_walk {
    graph *g;
    const backbone *source;
    graph_shape *shapes;
    graph_padding *padding;
    const char **values; /* names, by value of the backbone */
} backbone_walk;

static const char *activated(graph *g, const char *x, activation which)
{
    static const float sixth = 1.0F / 6;
    switch (which) {
    case ACTIVATION_none: return x;
    case ACTIVATION_relu: return GRAPH_NODE(g, "Relu", x);
    case ACTIVATION_relu6: return GRAPH_NODE(g, "Clip", x, graph_float(g, 0), graph_float(g, 6));
    case ACTIVATION_silu: return GRAPH_NODE(g, "Mul", x, GRAPH_NODE(g, "Sigmoid", x));
    case ACTIVATION_hard_swish: return GRAPH_NODE(g, "HardSwish", x);
    case ACTIVATION_sigmoid: return GRAPH_NODE(g, "Sigmoid", x);
    case ACTIVATION_hard_sigmoid: break;
    }
    node made = node_begin(g, "HardSigmoid");
    node_input(&made, x);
    node_number(&made, "alpha", sixth);
    node_number(&made, "beta", 0.5F);
    return node_end(&made);
}

/* The padding after the last pixel of an axis. */
static size_t end_padding(size_t in, size_t out, size_t taps, size_t before, const graph_node *operator,
                          bool across)
{
    if (!operator->same) return operator->pad[across + 2];
    size_t needed = (out - 1) * operator->stride + taps;
    return needed > in + before ? needed - in - before : 0;
}

static puad_status set_window(node *to, const backbone_walk *w, size_t index)
{
    const graph_node *operator= & w->source->nodes[index];
    const graph_shape *in = &w->shapes[operator->inputs[0]], *out = &w->shapes[index + 1];
    const graph_padding *before = &w->padding[index];
    const size_t pads[] = {before->top, before->left,
                           end_padding(in->height, out->height, operator->tall, before->top, operator, false),
                           end_padding(in->width, out->width, operator->wide, before->left, operator, true)};
    int64_t stored[4], stride = (int64_t) operator->stride;
    for (size_t i = 0; i < 4; i++) {
        size_t taps = i % 2 ? operator->wide : operator->tall;
        if (operator->kind != OPERATOR_conv && pads[i] >= taps)
            FAIL(PUAD_INVALID, "node %zu (%s) pads %zu pixels for %zu taps, which ONNX does not allow", index,
                 operator_name(operator->kind), pads[i], taps);
        stored[i] = (int64_t)pads[i];
    }
    node_integers(to, "kernel_shape", (const int64_t[]){(int64_t)operator->tall, (int64_t)operator->wide}, 2);
    node_integers(to, "strides", (const int64_t[]){stride, stride}, 2);
    node_integers(to, "pads", stored, 4);
    return PUAD_OK;
}

/* Weights are stored as [out][height][width][in of a group]; ONNX has the channels before the taps. */
static puad_status conv_weights(const char **out, graph *g, const graph_node *operator)
{
    AUTO_ARENA arena scratch = {0};
    size_t inner = operator->in / operator->groups, taps = operator->tall * operator->wide;
    float *turned;
    TRY(arena_new(&scratch, &turned, operator->out * inner * taps, sizeof *turned));
    for (size_t o = 0; o < operator->out; o++)
        for (size_t t = 0; t < taps; t++)
            for (size_t c = 0; c < inner; c++)
                turned[(o * inner + c) * taps + t] = operator->weight[(o * taps + t) * inner + c];
    *out = graph_floats(
        g, turned, (const int64_t[]){(int64_t)operator->out, (int64_t)inner, (int64_t)operator->tall, (int64_t)operator->wide},
        4);
    return PUAD_OK;
}

static puad_status add_window_node(const char **out, backbone_walk *w, size_t index, const char *type)
{
    graph *g = w->g;
    const graph_node *operator= & w->source->nodes[index];
    const char *weights = NULL;
    if (operator->kind == OPERATOR_conv) TRY(conv_weights(&weights, g, operator));
    node made = node_begin(g, type);
    node_input(&made, w->values[operator->inputs[0]]);
    if (weights) {
        node_input(&made, weights);
        node_input(&made, graph_floats(g, operator->bias, &(int64_t){(int64_t)operator->out}, 1));
        node_integer(&made, "group", (int64_t) operator->groups);
    }
    puad_status status = set_window(&made, w, index);
    *out = node_end(&made);
    return status;
}

static const char *over_pixels(graph *g, const char *type, const char *x)
{
    return GRAPH_NODE(g, type, x, GRAPH_VECTOR(g, 2, 3));
}

static puad_status add_node(backbone_walk *w, size_t index)
{
    graph *g = w->g;
    const graph_node *operator= & w->source->nodes[index];
    const char *x = w->values[operator->inputs[0]], *other = w->values[operator->inputs[1]];
    switch (operator->kind) {
    case OPERATOR_conv: TRY(add_window_node(&x, w, index, "Conv")); break;
    case OPERATOR_max_pool: TRY(add_window_node(&x, w, index, "MaxPool")); break;
    case OPERATOR_average_pool: TRY(add_window_node(&x, w, index, "AveragePool")); break;
    case OPERATOR_add: x = GRAPH_NODE(g, "Add", x, other); break;
    case OPERATOR_scale: x = GRAPH_NODE(g, "Mul", x, other); break;
    case OPERATOR_global_pool: x = over_pixels(g, "ReduceMean", x); break;
    case OPERATOR_activate: break;
    }
    w->values[index + 1] = activated(g, x, operator->activation);
    return PUAD_OK;
}

/* The mean of the largest values of each row. */
static const char *mean_of_top(graph *g, const char *values, int64_t top)
{
    node largest = node_begin(g, "TopK");
    node_input(&largest, values);
    node_input(&largest, GRAPH_VECTOR(g, top));
    values = node_output(&largest);
    node_end(&largest); /* their places */
    return GRAPH_NODE(g, "ReduceMean", values, GRAPH_VECTOR(g, 1));
}

/* Both scores of a stage's patches, rows x 1 each, by the formulas of backbone/patches.h. */
static puad_status patch_scores(const char **distance, const char **like, const backbone_walk *w,
                                const patch_stage *stage)
{
    graph *g = w->g;
    size_t value = w->source->stages[stage->stage], channels = stage->channels;
    size_t positions = w->shapes[value].height * w->shapes[value].width;
    int64_t *taken, count = (int64_t)channels, top = (int64_t)ceil(PATCHES_TOP * (double)positions);
    TRY(arena_new(g->memory, &taken, channels, sizeof *taken));
    for (size_t c = 0; c < channels; c++) taken[c] = (int64_t)(c * stage->step);
    const char *x = w->values[value];
    if (stage->step > 1)
        x = graph_along(g, "Gather", 1, (const char *const[]){x, graph_vector(g, taken, channels), NULL});
    node mean = node_begin(g, "AveragePool");
    node_input(&mean, x);
    node_integers(&mean, "kernel_shape", (const int64_t[]){3, 3}, 2);
    node_integers(&mean, "pads", (const int64_t[]){1, 1, 1, 1}, 4);
    x = node_end(&mean);
    x = GRAPH_NODE(g, "Reshape", x, GRAPH_VECTOR(g, 0, count, -1));
    node turned = node_begin(g, "Transpose");
    node_input(&turned, x);
    node_integers(&turned, "perm", (const int64_t[]){0, 2, 1}, 3);
    x = GRAPH_NODE(g, "Sub", node_end(&turned), graph_floats(g, stage->mean, &count, 1));
    const char *outputs =
        GRAPH_NODE(g, "MatMul", x, graph_floats(g, stage->direction, (const int64_t[]){count, 1}, 2));
    *like = mean_of_top(g, GRAPH_NODE(g, "Squeeze", outputs, GRAPH_VECTOR(g, 2)), top);
    x = GRAPH_NODE(g, "MatMul", x, graph_floats(g, stage->factor, (const int64_t[]){count, count}, 2));
    node squares = node_begin(g, "ReduceSumSquare");
    node_input(&squares, x);
    node_input(&squares, GRAPH_VECTOR(g, 2));
    node_integer(&squares, "keepdims", 0);
    x = GRAPH_NODE(g, "Log", GRAPH_NODE(g, "Add", node_end(&squares), graph_float(g, 1)));
    *distance = mean_of_top(g, x, top);
    return PUAD_OK;
}

/* Mean, standard deviation and max of each channel of each stage, as backbone_run computes them. */
static const char *pooled_stages(const backbone_walk *w)
{
    graph *g = w->g;
    const char *parts[STAGE_STATISTICS * STAGES_MAX + 1] = {NULL};
    for (size_t i = 0; i < w->source->stage_count; i++) {
        const char *x = w->values[w->source->stages[i]], *mean = over_pixels(g, "ReduceMean", x);
        const char *off = GRAPH_NODE(g, "Sub", x, mean);
        const char *variance = over_pixels(g, "ReduceMean", GRAPH_NODE(g, "Mul", off, off));
        parts[STAGE_STATISTICS * i] = mean;
        parts[STAGE_STATISTICS * i + 1] = GRAPH_NODE(g, "Sqrt", variance);
        parts[STAGE_STATISTICS * i + 2] = over_pixels(g, "ReduceMax", x);
    }
    const char *features = graph_along(g, "Concat", 1, parts);
    return graph_along(g, "Flatten", 1, (const char *const[]){features, NULL});
}

puad_status export_backbone(const char **out, graph *g, const backbone *source, int side, const char *pixels)
{
    float scale[3], shift[3];
    backbone_walk w = {.g = g, .source = source};
    TRY(arena_new(g->memory, &w.shapes, source->node_count + 1, sizeof *w.shapes));
    TRY(arena_new(g->memory, &w.padding, source->node_count, sizeof *w.padding));
    TRY(arena_new(g->memory, &w.values, source->node_count + 1, sizeof *w.values));
    TRY(graph_shapes(w.shapes, w.padding, source, side));
    for (int c = 0; c < 3; c++) {
        scale[c] = 255 / source->deviation[c];
        shift[c] = source->mean[c] / source->deviation[c];
    }
    const int64_t three = 3;
    pixels = GRAPH_NODE(g, "Mul", pixels, graph_floats(g, scale, &three, 1));
    pixels = GRAPH_NODE(g, "Sub", pixels, graph_floats(g, shift, &three, 1));
    node turned = node_begin(g, "Transpose");
    node_input(&turned, pixels);
    node_integers(&turned, "perm", (const int64_t[]){0, 3, 1, 2}, 4);
    w.values[0] = node_end(&turned);
    for (size_t i = 0; i < source->node_count; i++) TRY(add_node(&w, i));
    const char *columns[2 * STAGES_MAX + 2] = {pooled_stages(&w)};
    size_t stages = source->patches.count;
    for (size_t i = 0; i < stages; i++)
        TRY(patch_scores(&columns[i + 1], &columns[stages + i + 1], &w, &source->patches.stages[i]));
    *out = graph_along(g, "Concat", 1, columns);
    return PUAD_OK;
}
