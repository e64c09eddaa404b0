/* Layers that create views of a row, and layers that score the views, in ONNX. Tensors are rows x views x
 * values only inside these layers; the layers between them treat views as rows. */
#include "export/onnx_parts.h"

#include <string.h>

static const char *reshape(graph *g, const char *value, const int64_t *sizes, size_t count)
{
    return GRAPH_NODE(g, "Reshape", value, graph_vector(g, sizes, count));
}
#define RESHAPE(g, value, ...)                                                                               \
    reshape(g, value, (const int64_t[]){__VA_ARGS__},                                                        \
            sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* Selects some vectors of rows x vectors x values. */
static const char *pick(graph *g, const char *value, const int64_t *which, size_t count)
{
    return graph_along(g, "Gather", 1, (const char *const[]){value, graph_vector(g, which, count), NULL});
}

/* windows, turns and mirror: reorders the values of a row (of an image by pixel); images are
 * channel-first. */
static puad_status export_order(const char **out, graph *g, const layer *self, const char *value)
{
    size_t values = shape_size(self->in), channels = self->in.channels, pixels = values / channels;
    bool image = self->type != &layer_windows;
    int64_t *places;
    TRY(arena_new(g->memory, &places, self->views_out * values, sizeof *places));
    for (size_t v = 0; v < self->views_out; v++)
        for (size_t i = 0; i < values; i++) {
            size_t start = image ? i % pixels * channels + i / pixels : i;
            places[v * values + i] = (int64_t)view_source(self, v, start);
        }
    const char *list =
        graph_integers(g, places, (const int64_t[]){(int64_t)self->views_out, (int64_t)values}, 2);
    const char *views = graph_along(g, "Gather", 1, (const char *const[]){value, list, NULL});
    *out = image ? RESHAPE(g, views, -1, (int64_t)channels, (int64_t)self->in.height, (int64_t)self->in.width)
                 : RESHAPE(g, views, -1, (int64_t)values);
    return PUAD_OK;
}

static const char *export_masks(graph *g, const layer *self, const char *value, const char *given)
{
    int64_t columns = (int64_t)shape_size(self->out), masks = (int64_t)self->views_out - 1;
    const char *row = RESHAPE(g, given, -1, 1, columns);
    const char *mask = GRAPH_NODE(g, "Sigmoid", RESHAPE(g, value, -1, masks, columns));
    const char *masked = GRAPH_NODE(g, "Mul", mask, row);
    return RESHAPE(g, graph_along(g, "Concat", 1, (const char *const[]){row, masked, NULL}), -1, columns);
}

/* The mean over the questions of the negative log probability of the right answer; logits are rows x
 * questions x answers. `right` is 1 at the right answers, `barred` a large negative number at invalid
 * ones. */
static puad_status mean_surprise(const char **out, graph *g, const char *values, size_t questions,
                                 size_t answers, bool first_is_right)
{
    float *right, *barred;
    const int64_t sizes[] = {1, (int64_t)questions, (int64_t)answers};
    TRY(arena_new(g->memory, &right, questions * answers, sizeof *right));
    TRY(arena_new(g->memory, &barred, questions * answers, sizeof *barred));
    for (size_t q = 0; q < questions; q++) {
        right[q * answers + (first_is_right ? 0 : q)] = -1 / (float)questions;
        if (first_is_right) barred[q * answers + q + 1] = -1e9f;
    }
    const char *allowed = GRAPH_NODE(g, "Add", values, graph_floats(g, barred, sizes, 3));
    const char *shares = graph_along(g, "LogSoftmax", 2, (const char *const[]){allowed, NULL});
    const char *parts = GRAPH_NODE(g, "Mul", shares, graph_floats(g, right, sizes, 3));
    *out = RESHAPE(g, GRAPH_NODE(g, "ReduceSum", parts, GRAPH_VECTOR(g, 1, 2)), -1, 1);
    return PUAD_OK;
}

static puad_status export_contrast(const char **out, graph *g, const layer *self, const char *value)
{
    size_t views = self->views, count = self->pairs ? 2 * views : views, step = self->pairs ? 2 : 1;
    size_t questions = self->pairs ? views : views - 1;
    int64_t *asked, *answers, size = (int64_t)(shape_size(self->in) / step);
    TRY(arena_new(g->memory, &asked, views, sizeof *asked));
    TRY(arena_new(g->memory, &answers, views, sizeof *answers));
    for (size_t i = 0; i < views; i++) {
        asked[i] = (int64_t)(self->pairs ? 2 * i : i + 1);
        answers[i] = (int64_t)(self->pairs ? 2 * i + 1 : i);
    }
    const char *vectors = RESHAPE(g, value, -1, (int64_t)count, size);
    const char *squares = GRAPH_NODE(g, "ReduceSumSquare", vectors, GRAPH_VECTOR(g, 2));
    const char *lengths =
        GRAPH_NODE(g, "Sqrt", GRAPH_NODE(g, "Add", squares, graph_float(g, CONTRAST_SQUARE_MIN)));
    const char *units = GRAPH_NODE(g, "Div", vectors, lengths);
    node turned = node_begin(g, "Transpose");
    node_input(&turned, pick(g, units, answers, views));
    node_integers(&turned, "perm", (const int64_t[]){0, 2, 1}, 3);
    const char *cosines = GRAPH_NODE(g, "MatMul", pick(g, units, asked, questions), node_end(&turned));
    const char *values = GRAPH_NODE(g, "Div", cosines, graph_float(g, self->temperature));
    return mean_surprise(out, g, values, questions, views, !self->pairs);
}

puad_status export_views(const char **out, bool *out_image, graph *g, const layer *self, const char *value,
                         const char *given)
{
    *out = NULL;
    if (self->type == &layer_windows || self->type == &layer_turns || self->type == &layer_mirror) {
        *out_image = self->type != &layer_windows;
        return export_order(out, g, self, value);
    }
    if (self->type == &layer_average) {
        int64_t values = (int64_t)shape_size(self->in);
        const char *views = RESHAPE(g, value, -1, (int64_t)self->views, values);
        *out = RESHAPE(g, GRAPH_NODE(g, "ReduceMean", views, GRAPH_VECTOR(g, 1)), -1, values);
    }
    if (self->type == &layer_masks) *out = export_masks(g, self, value, given);
    if (self->type == &layer_contrast) return export_contrast(out, g, self, value);
    if (self->type == &layer_choice) {
        int64_t views = (int64_t)self->views;
        return mean_surprise(out, g, RESHAPE(g, value, -1, views, views), self->views, self->views, false);
    }
    return PUAD_OK;
}
