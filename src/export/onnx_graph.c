/* Builds ONNX messages; field numbers are those of onnx.proto. */
#include "export/onnx_graph.h"

#include <string.h>

enum { GRAPH_NODE_FIELD = 1, GRAPH_NAME = 2, GRAPH_CONSTANT = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_TYPE = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_FLOAT = 2,
    ATTRIBUTE_INTEGER = 3,
    ATTRIBUTE_TEXT = 4,
    ATTRIBUTE_GRAPH = 6,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTEGERS = 8,
    ATTRIBUTE_TEXTS = 9,
    ATTRIBUTE_TYPE = 20,
};
enum {
    TYPE_FLOAT = 1,
    TYPE_INTEGER = 2,
    TYPE_TEXT = 3,
    TYPE_GRAPH = 5,
    TYPE_FLOATS = 6,
    TYPE_INTEGERS = 7,
    TYPE_TEXTS = 8
};
enum { TENSOR_SHAPE = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR = 1, TENSOR_ELEMENT = 1, TENSOR_SIZES = 2 };
enum { SIZES_ONE = 1, SIZE_VALUE = 1, SIZE_NAME = 2 };

void graph_free(graph *owner)
{
    wire_free(&owner->nodes);
    wire_free(&owner->constants);
    wire_free(&owner->inputs);
    wire_free(&owner->outputs);
}

puad_status graph_status(const graph *g)
{
    const wire *parts[] = {&g->nodes, &g->constants, &g->inputs, &g->outputs};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i]->status != PUAD_OK) return parts[i]->status;
    return g->status;
}

static const char *new_name(graph *g)
{
    const char *name = "";
    puad_status status = arena_print(g->memory, &name, "puad:%zu", ++*g->names);
    if (g->status == PUAD_OK) g->status = status;
    return status == PUAD_OK ? name : "";
}

static void write_value(wire *to, unsigned field, const char *name, onnx_type type, const int64_t *shape,
                        size_t rank)
{
    static const char *const unknown[] = {"", "rows", "height", "width"};
    wire sizes = {0}, tensor = {0}, kind = {0}, value = {0};
    for (size_t i = 0; i < rank; i++) {
        wire one = {0};
        if (shape[i] < 0)
            wire_text(&one, SIZE_NAME, unknown[-shape[i]]);
        else
            wire_integer(&one, SIZE_VALUE, shape[i]);
        wire_message(&sizes, SIZES_ONE, &one);
    }
    wire_integer(&tensor, TENSOR_ELEMENT, type);
    wire_message(&tensor, TENSOR_SIZES, &sizes);
    wire_message(&kind, TYPE_TENSOR, &tensor);
    wire_text(&value, VALUE_NAME, name);
    wire_message(&value, VALUE_TYPE, &kind);
    wire_message(to, field, &value);
}

const char *graph_input(graph *g, const char *name, onnx_type type, const int64_t *shape, size_t rank)
{
    write_value(&g->inputs, GRAPH_INPUT, name, type, shape, rank);
    return name;
}

void graph_output(graph *g, const char *value, const char *name, onnx_type type, const int64_t *shape,
                  size_t rank)
{
    node made = node_begin(g, "Identity");
    node_input(&made, value);
    wire_text(&made.bytes, NODE_OUTPUT, name);
    wire_message(&g->nodes, GRAPH_NODE_FIELD, &made.bytes);
    write_value(&g->outputs, GRAPH_OUTPUT, name, type, shape, rank);
}

static const char *constant(graph *g, onnx_type type, const void *values, size_t size, const int64_t *shape,
                            size_t rank)
{
    const char *name = new_name(g);
    wire tensor = {0}, raw = {0};
    size_t count = 1;
    for (size_t i = 0; i < rank; i++)
        if (!size_multiply(&count, count, (size_t)shape[i])) count = SIZE_MAX;
    wire_integers(&tensor, TENSOR_SHAPE, shape, rank);
    wire_integer(&tensor, TENSOR_TYPE, type);
    wire_text(&tensor, TENSOR_NAME, name);
    wire_raw(&raw, values, count, size);
    wire_message(&tensor, TENSOR_RAW, &raw);
    wire_message(&g->constants, GRAPH_CONSTANT, &tensor);
    return name;
}

const char *graph_floats(graph *g, const float *values, const int64_t *shape, size_t rank)
{
    return constant(g, ONNX_FLOAT, values, sizeof *values, shape, rank);
}

const char *graph_doubles(graph *g, const double *values, const int64_t *shape, size_t rank)
{
    return constant(g, ONNX_DOUBLE, values, sizeof *values, shape, rank);
}

const char *graph_integers(graph *g, const int64_t *values, const int64_t *shape, size_t rank)
{
    return constant(g, ONNX_INT64, values, sizeof *values, shape, rank);
}

const char *graph_float(graph *g, float value)
{
    return graph_floats(g, &value, NULL, 0);
}

const char *graph_double(graph *g, double value)
{
    return graph_doubles(g, &value, NULL, 0);
}

const char *graph_vector(graph *g, const int64_t *values, size_t count)
{
    return graph_integers(g, values, &(int64_t){(int64_t)count}, 1);
}

node node_begin(graph *g, const char *type)
{
    node made = {.owner = g};
    wire_text(&made.bytes, NODE_TYPE, type);
    return made;
}

void node_domain(node *to, const char *domain)
{
    wire_text(&to->bytes, NODE_DOMAIN, domain);
}

void node_input(node *to, const char *value)
{
    wire_text(&to->bytes, NODE_INPUT, value);
}

static wire attribute(const char *name, int type)
{
    wire made = {0};
    wire_text(&made, ATTRIBUTE_NAME, name);
    wire_integer(&made, ATTRIBUTE_TYPE, type);
    return made;
}

void node_integer(node *to, const char *name, int64_t value)
{
    wire made = attribute(name, TYPE_INTEGER);
    wire_integer(&made, ATTRIBUTE_INTEGER, value);
    wire_message(&to->bytes, NODE_ATTRIBUTE, &made);
}

void node_number(node *to, const char *name, float value)
{
    wire made = attribute(name, TYPE_FLOAT);
    wire_float(&made, ATTRIBUTE_FLOAT, value);
    wire_message(&to->bytes, NODE_ATTRIBUTE, &made);
}

void node_text(node *to, const char *name, const char *text)
{
    wire made = attribute(name, TYPE_TEXT);
    wire_text(&made, ATTRIBUTE_TEXT, text);
    wire_message(&to->bytes, NODE_ATTRIBUTE, &made);
}

void node_integers(node *to, const char *name, const int64_t *values, size_t count)
{
    wire made = attribute(name, TYPE_INTEGERS);
    wire_integers(&made, ATTRIBUTE_INTEGERS, values, count);
    wire_message(&to->bytes, NODE_ATTRIBUTE, &made);
}

void node_floats(node *to, const char *name, const float *values, size_t count)
{
    wire made = attribute(name, TYPE_FLOATS);
    wire_floats(&made, ATTRIBUTE_FLOATS, values, count);
    wire_message(&to->bytes, NODE_ATTRIBUTE, &made);
}

void node_texts(node *to, const char *name, const char *(*get)(const void *context, size_t place),
                const void *context, size_t count)
{
    wire made = attribute(name, TYPE_TEXTS);
    for (size_t i = 0; i < count; i++) wire_text(&made, ATTRIBUTE_TEXTS, get(context, i));
    wire_message(&to->bytes, NODE_ATTRIBUTE, &made);
}

void node_graph(node *to, const char *name, graph *inner)
{
    wire made = attribute(name, TYPE_GRAPH);
    if (to->owner->status == PUAD_OK) to->owner->status = inner->status;
    graph_encode(&made, ATTRIBUTE_GRAPH, inner, name);
    wire_message(&to->bytes, NODE_ATTRIBUTE, &made);
}

const char *node_output(node *made)
{
    const char *name = new_name(made->owner);
    wire_text(&made->bytes, NODE_OUTPUT, name);
    return name;
}

const char *node_end(node *made)
{
    const char *name = node_output(made);
    wire_message(&made->owner->nodes, GRAPH_NODE_FIELD, &made->bytes);
    return name;
}

const char *graph_apply(graph *g, const char *type, const char *const *inputs)
{
    node made = node_begin(g, type);
    for (; *inputs; inputs++) node_input(&made, *inputs);
    return node_end(&made);
}

const char *graph_cast(graph *g, const char *value, onnx_type type)
{
    node made = node_begin(g, "Cast");
    node_input(&made, value);
    node_integer(&made, "to", type);
    return node_end(&made);
}

const char *graph_along(graph *g, const char *type, int64_t axis, const char *const *inputs)
{
    node made = node_begin(g, type);
    for (; *inputs; inputs++) node_input(&made, *inputs);
    node_integer(&made, "axis", axis);
    return node_end(&made);
}

void graph_encode(wire *to, unsigned field, graph *g, const char *name)
{
    wire whole = {0};
    wire_text(&whole, GRAPH_NAME, name);
    wire_append(&whole, &g->nodes);
    wire_append(&whole, &g->constants);
    wire_append(&whole, &g->inputs);
    wire_append(&whole, &g->outputs);
    wire_message(to, field, &whole);
}
