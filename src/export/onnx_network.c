/* Networks in ONNX, layer by layer, for scoring only: BatchNorm is folded into the layer before it, and
 * up-sampling with the following convolution becomes one 3x3 convolution of the small image, as in
 * nn/convolution.h. Images are rows x channels x height x width; other rows are rows x columns. */
#include "export/onnx_parts.h"

#include <math.h>
#include <string.h>

/* A layer's weights in ONNX: factor x stored weights, and a bias. */
typedef struct folded {
    double *factor, *bias; /* of each output channel */
    bool biased;
    const layer *norm; /* folded in, or NULL */
} folded;

typedef struct walk {
    graph *g;
    const puad_detector *model;
    const network *net;
    const char *value;
    bool image;        /* the value has four dimensions */
    const char *given; /* the encoded rows */
} walk;

static const float *parameters_of(const walk *w, const layer *self)
{
    return w->model->parameters + self->parameters_at;
}

/* Starts from the layer's bias (NULL if it has none), and folds in the following norm. */
static puad_status fold(folded *out, const walk *w, size_t index, size_t channels, const float *own)
{
    const layer *norm = &w->net->layers[index + 1];
    *out = (folded){.biased = own != NULL};
    TRY(arena_new(w->g->memory, &out->factor, channels, sizeof(double)));
    TRY(arena_new(w->g->memory, &out->bias, channels, sizeof(double)));
    for (size_t c = 0; c < channels; c++) {
        out->factor[c] = 1;
        out->bias[c] = own ? (double)own[c] : 0;
    }
    if (index + 1 >= w->net->layer_count || norm->type != &layer_norm) return PUAD_OK;
    const float *state = w->model->state + norm->state_at, *parameters = parameters_of(w, norm);
    for (size_t c = 0; c < channels; c++) {
        double scale = 1 / sqrt((double)state[channels + c] + NORM_EPSILON), shift = 0;
        if (norm->affine) {
            scale *= (double)parameters[c];
            shift = (double)parameters[channels + c];
        }
        out->factor[c] *= scale;
        out->bias[c] = (out->bias[c] - (double)state[c]) * scale + shift;
    }
    out->biased = true;
    out->norm = norm;
    return PUAD_OK;
}

static const char *leaky(graph *g, const char *value, float slope)
{
    if (slope == 1) return value;
    node made = node_begin(g, slope == 0 ? "Relu" : "LeakyRelu");
    node_input(&made, value);
    if (slope != 0) node_number(&made, "alpha", slope);
    return node_end(&made);
}

static const char *pool(graph *g, const char *value)
{
    node made = node_begin(g, "MaxPool");
    node_input(&made, value);
    node_integers(&made, "kernel_shape", (const int64_t[]){2, 2}, 2);
    node_integers(&made, "strides", (const int64_t[]){2, 2}, 2);
    return node_end(&made);
}

/* Applies the rest of a norm after scale and shift are folded into the weights. */
static void rest_of_norm(walk *w, const folded *affine)
{
    if (!affine->norm) return;
    w->value = leaky(w->g, w->value, affine->norm->slope);
    if (affine->norm->pool) w->value = pool(w->g, w->value);
}

static puad_status bias_of(const char **out, graph *g, const folded *affine, size_t channels, size_t repeat)
{
    float *values;
    *out = NULL;
    if (!affine->biased) return PUAD_OK;
    TRY(arena_new(g->memory, &values, channels * repeat, sizeof *values));
    for (size_t i = 0; i < channels * repeat; i++) values[i] = (float)affine->bias[i % channels];
    *out = graph_floats(g, values, &(int64_t){(int64_t)(channels * repeat)}, 1);
    return PUAD_OK;
}

/* One of two parallel layers: some columns of the input times their weights. */
static puad_status export_side(const char **out, walk *w, const float *stored, bool affine, size_t first,
                               size_t in, size_t units)
{
    graph *g = w->g;
    const char *x = GRAPH_NODE(g, "Slice", w->value, GRAPH_VECTOR(g, (int64_t)first),
                               GRAPH_VECTOR(g, (int64_t)(first + in)), GRAPH_VECTOR(g, 1));
    const char *matrix = graph_floats(g, stored, (const int64_t[]){(int64_t)in, (int64_t)units}, 2);
    *out = GRAPH_NODE(g, "MatMul", x, matrix);
    if (affine)
        *out =
            GRAPH_NODE(g, "Add", *out, graph_floats(g, stored + in * units, &(int64_t){(int64_t)units}, 1));
    return PUAD_OK;
}

static puad_status export_sides(walk *w, const layer *self)
{
    size_t in = self->split_in, out = self->split_out;
    const float *stored = parameters_of(w, self), *second = stored + in * out + (self->affine ? out : 0);
    const char *sides[3] = {NULL};
    TRY(export_side(&sides[0], w, stored, self->affine, 0, in, out));
    TRY(export_side(&sides[1], w, second, self->affine, in, shape_size(self->in) - in,
                    shape_size(self->out) - out));
    w->value = graph_along(w->g, "Concat", 1, sides);
    return PUAD_OK;
}

static puad_status export_dense(walk *w, size_t index)
{
    graph *g = w->g;
    if (w->net->layers[index].split_in) return export_sides(w, &w->net->layers[index]);
    const layer *self = &w->net->layers[index];
    size_t in = shape_size(self->in), out = shape_size(self->out), pixels = self->in.height * self->in.width;
    const float *stored = parameters_of(w, self);
    folded affine;
    float *weights;
    const char *bias;
    TRY(fold(&affine, w, index, out, self->affine ? stored + in * out : NULL));
    TRY(bias_of(&bias, g, &affine, out, 1));
    TRY(arena_new(g->memory, &weights, in * out, sizeof *weights));
    for (size_t i = 0; i < in; i++) { /* ONNX flattens images by channel, the stored order is by pixel */
        size_t start = w->image ? i % pixels * self->in.channels + i / pixels : i;
        for (size_t o = 0; o < out; o++)
            weights[i * out + o] = (float)((double)stored[start * out + o] * affine.factor[o]);
    }
    const char *x = w->value,
               *matrix = graph_floats(g, weights, (const int64_t[]){(int64_t)in, (int64_t)out}, 2);
    if (w->image) x = graph_along(g, "Flatten", 1, (const char *const[]){x, NULL});
    w->image = false;
    w->value = bias ? GRAPH_NODE(g, "Gemm", x, matrix, bias) : GRAPH_NODE(g, "MatMul", x, matrix);
    rest_of_norm(w, &affine);
    return PUAD_OK;
}

/* The weights [channel out][channel in][y][x] of the effective form; see nn/convolution.h. */
static puad_status effective_weights(float **out, walk *w, const layer *self, const folded *affine,
                                     size_t taps)
{
    size_t in = self->in.channels, channels = self->out.channels, phases = self->upsample ? 4 : 1;
    const float *stored = parameters_of(w, self);
    double *sums;
    size_t count = phases * channels * in * taps * taps;
    AUTO_ARENA arena scratch = {0};
    TRY(arena_new(&scratch, &sums, count, sizeof *sums));
    TRY(arena_new(w->g->memory, out, count, sizeof **out));
    for (size_t ky = 0; ky < self->taps; ky++)
        for (size_t kx = 0; kx < self->taps; kx++)
            for (size_t s = 0; s < in * self->repeat; s++)
                for (size_t o = 0; o < channels; o++)
                    for (size_t phase = 0; phase < phases; phase++) {
                        size_t y = self->upsample ? (ky + phase / 2) / 2 : ky;
                        size_t x = self->upsample ? (kx + phase % 2) / 2 : kx;
                        size_t to = (((phase * channels + o) * in + s / self->repeat) * taps + y) * taps + x;
                        size_t start = ((ky * self->taps + kx) * in * self->repeat + s) * channels + o;
                        sums[to] += (double)stored[start] * affine->factor[o];
                    }
    for (size_t i = 0; i < count; i++) (*out)[i] = (float)sums[i];
    return PUAD_OK;
}

static puad_status export_convolution(walk *w, size_t index)
{
    graph *g = w->g;
    const layer *self = &w->net->layers[index];
    size_t taps = self->upsample ? 3 : self->taps, phases = self->upsample ? 4 : 1;
    int64_t side = (int64_t)taps, pad = side / 2, channels = (int64_t)self->out.channels;
    folded affine;
    float *weights;
    const char *bias;
    TRY(fold(&affine, w, index, self->out.channels, NULL));
    TRY(bias_of(&bias, g, &affine, self->out.channels, phases));
    TRY(effective_weights(&weights, w, self, &affine, taps));
    const int64_t sizes[] = {(int64_t)phases * channels, (int64_t)self->in.channels, side, side};
    node made = node_begin(g, "Conv");
    node_input(&made, w->value);
    node_input(&made, graph_floats(g, weights, sizes, 4));
    if (bias) node_input(&made, bias);
    node_integers(&made, "kernel_shape", (const int64_t[]){side, side}, 2);
    node_integers(&made, "pads", (const int64_t[]){pad, pad, pad, pad}, 4);
    w->value = node_end(&made);
    if (self->upsample) {
        node spread = node_begin(g, "DepthToSpace");
        node_input(&spread, w->value);
        node_integer(&spread, "blocksize", 2);
        w->value = node_end(&spread);
    }
    rest_of_norm(w, &affine);
    return PUAD_OK;
}

static puad_status export_layer(walk *w, size_t index)
{
    graph *g = w->g;
    const layer *self = &w->net->layers[index], *before = index ? self - 1 : NULL;
    if (self->type == &layer_dense) return export_dense(w, index);
    if (self->type == &layer_convolution) return export_convolution(w, index);
    if (self->type == &layer_norm && before &&
        (before->type == &layer_dense || before->type == &layer_convolution))
        return PUAD_OK; /* folded into the layer before it */
    if (self->type == &layer_leaky) {
        w->value = leaky(g, w->value, self->slope);
    } else if (self->type == &layer_sigmoid) {
        w->value = GRAPH_NODE(g, "Sigmoid", w->value);
    } else if (self->type == &layer_unflatten) {
        w->value = GRAPH_NODE(g, "Reshape", w->value,
                              GRAPH_VECTOR(g, -1, (int64_t)self->out.channels, (int64_t)self->out.height,
                                           (int64_t)self->out.width));
        w->image = true;
    } else {
        const char *made;
        TRY(export_views(&made, &w->image, g, self, w->value, w->given));
        if (made) {
            w->value = made;
            return PUAD_OK;
        }
        FAIL(PUAD_INVALID, "layer %zu of the network, %s, has no counterpart in ONNX", index,
             self->type->name);
    }
    return PUAD_OK;
}

/* Sums, norms ... over all values of a row; the input is rows x values. */
static const char *over_row(graph *g, const char *type, const char *value)
{
    return GRAPH_NODE(g, type, value, GRAPH_VECTOR(g, 1));
}

static const char *flat(graph *g, const char *value)
{
    return graph_along(g, "Flatten", 1, (const char *const[]){value, NULL});
}

static puad_status export_head(walk *w, const char *rows)
{
    graph *g = w->g;
    const puad_detector *model = w->model;
    switch (model->config.head) {
    case HEAD_RECONSTRUCTION: {
        const char *off = GRAPH_NODE(g, "Sub", w->value, rows);
        w->value = over_row(g, "ReduceL2", w->image ? flat(g, off) : off);
        return PUAD_OK;
    }
    case HEAD_DISTANCE: {
        const char *center = graph_floats(g, model->center, &(int64_t){(int64_t)model->center_count}, 1);
        w->value = over_row(g, "ReduceSumSquare", GRAPH_NODE(g, "Sub", w->value, center));
        return PUAD_OK;
    }
    case HEAD_LOGIT:
    case HEAD_LOGISTIC:
    case HEAD_ICL:
    case HEAD_NEUTRAL:
    case HEAD_ROT: return PUAD_OK;
    default:
        FAIL(
            PUAD_INVALID,
            "the detector's head '%s' is a function of the program that trained it; a file cannot contain it",
            model->config.own_head);
    }
}

static puad_status walk_layers(walk *w, const architecture *plan, const char *rows)
{
    graph *g = w->g;
    bool conv = plan->layers[0].type == &layer_convolution;
    if (w->model->image && conv) {
        node turned = node_begin(g, "Transpose");
        node_input(&turned, rows);
        node_integers(&turned, "perm", (const int64_t[]){0, 3, 1, 2}, 4);
        rows = node_end(&turned);
    } else if (w->model->image) {
        rows = flat(g, rows);
    }
    w->value = w->given = rows;
    w->image = conv;
    for (size_t i = 0; i < plan->head; i++) TRY(export_layer(w, i));
    return export_head(w, rows);
}

puad_status export_network(const char **out, graph *g, const puad_detector *model, const char *rows)
{
    architecture plan;
    AUTO_NETWORK network *net = NULL;
    TRY(model_architecture(&plan, model));
    TRY(network_new(&net, plan.layers, plan.head, &(network_options){.rows = 1}));
    walk w = {.g = g, .model = model, .net = net};
    TRY(walk_layers(&w, &plan, rows));
    *out = w.value;
    return PUAD_OK;
}
