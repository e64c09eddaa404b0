/* Infers the shapes of a backbone's values. */
#include "backbone/graph.h"

static const size_t VALUES_MAX = (size_t)1 << 26; /* maximum number of floats of a value: 256 MiB */

const char *operator_name(graph_operator which)
{
    static const char *const names[] = {
#define OPERATOR(name, inputs) #name,
#include "backbone/operators.def"
#undef OPERATOR
    };
    return names[which];
}

size_t graph_channels(const backbone *owner, size_t value)
{
    return value ? owner->nodes[value - 1].out : 3;
}

/* Output size along an axis, and the padding before it. */
static bool outputs_of(size_t *out, size_t *before, size_t in, size_t taps, const graph_node *node,
                       bool across)
{
    if (node->same) {
        *out = (in + node->stride - 1) / node->stride;
        size_t needed = (*out - 1) * node->stride + taps;
        *before = needed > in ? (needed - in) / 2 : 0;
        return true;
    }
    size_t padded = in + node->pad[across] + node->pad[across + 2];
    *before = node->pad[across];
    if (padded < taps) return false;
    *out = (padded - taps) / node->stride + 1;
    return true;
}

static puad_status node_shape(graph_shape *out, graph_padding *padding, const graph_node *node,
                              const graph_shape in[2])
{
    *out = in[0];
    switch (node->kind) {
    case OPERATOR_add:
        if (in[0].height != in[1].height || in[0].width != in[1].width)
            FAIL(PUAD_FORMAT, "adds %zu x %zu and %zu x %zu pixels", in[0].height, in[0].width, in[1].height,
                 in[1].width);
        break;
    case OPERATOR_scale:
        if (in[1].height != 1 || in[1].width != 1)
            FAIL(PUAD_FORMAT, "scales by %zu x %zu pixels, expected one", in[1].height, in[1].width);
        break;
    case OPERATOR_global_pool: out->height = out->width = 1; break;
    case OPERATOR_conv:
    case OPERATOR_max_pool:
    case OPERATOR_average_pool:
        if (!outputs_of(&out->height, &padding->top, in[0].height, node->tall, node, false) ||
            !outputs_of(&out->width, &padding->left, in[0].width, node->wide, node, true))
            FAIL(PUAD_FORMAT, "has taps of %zu x %zu for %zu x %zu pixels", node->tall, node->wide,
                 in[0].height, in[0].width);
        break;
    case OPERATOR_activate: break;
    }
    out->channels = node->out;
    return PUAD_OK;
}

puad_status graph_shapes(graph_shape *shapes, graph_padding *padding, const backbone *owner, int side)
{
    shapes[0] = (graph_shape){(size_t)side, (size_t)side, 3};
    for (size_t i = 0; i < owner->node_count; i++) {
        const graph_node *node = &owner->nodes[i];
        const graph_shape in[2] = {shapes[node->inputs[0]], shapes[node->inputs[1]]};
        graph_shape *out = &shapes[i + 1];
        padding[i] = (graph_padding){0};
        puad_status status = node_shape(out, &padding[i], node, in);
        if (status != PUAD_OK) {
            status_prefix("node %zu (%s)", i, operator_name(node->kind));
            return status;
        }
        if (out->height * out->width > VALUES_MAX / out->channels)
            FAIL(PUAD_FORMAT, "node %zu (%s): the output has %zu x %zu x %zu values, at most %zu are allowed",
                 i, operator_name(node->kind), out->height, out->width, out->channels, VALUES_MAX);
    }
    return PUAD_OK;
}
