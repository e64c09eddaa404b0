/* Inputs of an exported model: columns of a table, images, or encoded rows. */
#include "export/onnx_parts.h"

enum { IMAGE_SIDE_MAX = 4096 };

static const char *size_of(graph *g, const char *value, int64_t dimension)
{
    node made = node_begin(g, "Shape");
    node_input(&made, value);
    node_integer(&made, "start", dimension);
    node_integer(&made, "end", dimension + 1);
    return node_end(&made);
}

/* `to` x `source` weights that resize one axis as image/image_resize.c does; ONNX's Resize rounds
 * differently when shrinking. `source` is a vector of one integer. */
static const char *axis_weights(graph *g, const char *source, size_t to)
{
    double centers[IMAGE_SIDE_MAX];
    for (size_t i = 0; i < to; i++) centers[i] = (double)i + 0.5;
    const char *scale = GRAPH_NODE(g, "Div", graph_cast(g, source, ONNX_DOUBLE), graph_double(g, (double)to));
    const char *reach = GRAPH_NODE(g, "Max", scale, graph_double(g, 1));
    const char *zero = graph_integers(g, &(int64_t){0}, NULL, 0),
               *one = graph_integers(g, &(int64_t){1}, NULL, 0);
    const char *places = GRAPH_NODE(g, "Range", zero, GRAPH_NODE(g, "Squeeze", source), one);
    places = GRAPH_NODE(g, "Add", graph_cast(g, places, ONNX_DOUBLE), graph_double(g, 0.5));
    const char *center =
        GRAPH_NODE(g, "Mul", scale, graph_doubles(g, centers, (const int64_t[]){(int64_t)to, 1}, 2));
    const char *away =
        GRAPH_NODE(g, "Abs", GRAPH_NODE(g, "Div", GRAPH_NODE(g, "Sub", places, center), reach));
    const char *weights =
        GRAPH_NODE(g, "Max", GRAPH_NODE(g, "Sub", graph_double(g, 1), away), graph_double(g, 0));
    const char *sums = GRAPH_NODE(g, "ReduceSum", weights, GRAPH_VECTOR(g, 1));
    return graph_cast(g, GRAPH_NODE(g, "Div", weights, sums), ONNX_FLOAT);
}

/* rows x height x width x channels -> the new height and width. */
static const char *resized(graph *g, const char *x, shape to)
{
    const char *height = size_of(g, x, 1), *width = size_of(g, x, 2);
    const char *down = axis_weights(g, height, to.height), *along = axis_weights(g, width, to.width);
    int64_t channels = (int64_t)to.channels;
    x = GRAPH_NODE(g, "Reshape", x, GRAPH_VECTOR(g, 0, 0, -1));
    x = GRAPH_NODE(g, "MatMul", down, x);
    const char *sizes[] = {GRAPH_VECTOR(g, -1), width, GRAPH_VECTOR(g, channels), NULL};
    x = GRAPH_NODE(g, "Reshape", x, graph_along(g, "Concat", 0, sizes));
    x = GRAPH_NODE(g, "MatMul", along, x);
    return GRAPH_NODE(g, "Reshape", x, GRAPH_VECTOR(g, -1, (int64_t)to.height, (int64_t)to.width, channels));
}

/* 8-bit images of any size, resized, with values from 0 to 1. */
static puad_status any_size(const char **out, graph *g, shape to)
{
    if (to.height > IMAGE_SIDE_MAX || to.width > IMAGE_SIDE_MAX)
        FAIL(PUAD_INVALID, "images of %zux%zu pixels: export takes at most %dx%d", to.height, to.width,
             IMAGE_SIDE_MAX, IMAGE_SIDE_MAX);
    const char *x =
        graph_input(g, "images", ONNX_UINT8, (const int64_t[]){-1, -2, -3, (int64_t)to.channels}, 4);
    x = resized(g, graph_cast(g, x, ONNX_FLOAT), to);
    *out = GRAPH_NODE(g, "Min", GRAPH_NODE(g, "Div", x, graph_float(g, 255)), graph_float(g, 1));
    return PUAD_OK;
}

/* 8-bit images of any size; if pixels have another type, of the size that the network takes. */
puad_status export_images(const char **out, graph *g, const puad_detector *model)
{
    const transform *encoding = model->table;
    int64_t channels = (int64_t)model->in.channels, height = (int64_t)model->in.height,
            width = (int64_t)model->in.width;
    if (!encoding || encoding->divisor != 255) {
        const char *x =
            graph_input(g, "images", ONNX_FLOAT, (const int64_t[]){-1, height, width, channels}, 4);
        *out = encoding && encoding->divisor != 1
                   ? GRAPH_NODE(g, "Div", x, graph_float(g, (float)encoding->divisor))
                   : x;
        return PUAD_OK;
    }
    return any_size(out, g, model->in);
}

puad_status export_rows(const char **out, graph *g, const puad_detector *model)
{
    if (model->table && model->table->backbone) {
        const transform *encoding = model->table;
        const char *pixels;
        TRY(any_size(
            &pixels, g,
            (shape){.channels = 3, .height = (size_t)encoding->height, .width = (size_t)encoding->width}));
        return export_backbone(out, g, encoding->backbone, encoding->height, pixels);
    }
    if (model->image) return export_images(out, g, model);
    if (model->table) return export_table(out, g, model->table);
    *out = graph_input(g, "rows", ONNX_FLOAT, (const int64_t[]){-1, (int64_t)shape_size(model->in)}, 2);
    return PUAD_OK;
}
