/* An ONNX graph under construction: named values, and nodes that compute one value from others.
 *
 *     const char *x = graph_input(g, "amount", ONNX_DOUBLE, (const int64_t[]){-1, 1}, 2);
 *     const char *y = GRAPH_NODE(g, "Sub", x, graph_double(g, 3));
 *     graph_output(g, y, "score", ONNX_DOUBLE, ...);
 *
 * The first failure is kept in graph.status; names returned after it are invalid. Names are borrowed from
 * the graph's memory. Rows are dimension 0 of every value that depends on the input. */
#ifndef EXPORT_ONNX_GRAPH_H
#define EXPORT_ONNX_GRAPH_H

#include "export/protobuf.h"

typedef enum onnx_type {
    ONNX_FLOAT = 1,
    ONNX_UINT8 = 2,
    ONNX_INT64 = 7,
    ONNX_STRING = 8,
    ONNX_BOOL = 9,
    ONNX_DOUBLE = 11,
} onnx_type;

typedef struct graph {
    arena *memory;
    wire nodes, constants, inputs, outputs;
    size_t *names;      /* counter for unique names, shared with nested graphs */
    puad_status status; /* failures outside the wire */
} graph;

void graph_free(graph *owner); /* {0} is fine; does not free the memory */
#define AUTO_GRAPH __attribute__((cleanup(graph_free)))

puad_status graph_status(const graph *g);

/* A dimension of -1 is the number of rows; -2 and -3 are sizes known at run time. */
const char *graph_input(graph *g, const char *name, onnx_type type, const int64_t *shape, size_t rank);
/* Gives a value its public name. */
void graph_output(graph *g, const char *value, const char *name, onnx_type type, const int64_t *shape,
                  size_t rank);

const char *graph_floats(graph *g, const float *values, const int64_t *shape, size_t rank);
const char *graph_doubles(graph *g, const double *values, const int64_t *shape, size_t rank);
const char *graph_integers(graph *g, const int64_t *values, const int64_t *shape, size_t rank);
const char *graph_float(graph *g, float value);   /* a scalar */
const char *graph_double(graph *g, double value); /* a scalar */
const char *graph_vector(graph *g, const int64_t *values, size_t count);
#define GRAPH_VECTOR(g, ...)                                                                                 \
    graph_vector(g, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* A node with attributes: begin, inputs and attributes in any order, end. */
typedef struct node {
    graph *owner;
    wire bytes;
} node;
node node_begin(graph *g, const char *type);
void node_domain(node *to, const char *domain);
void node_input(node *to, const char *value);
void node_integer(node *to, const char *name, int64_t value);
void node_number(node *to, const char *name, float value);
void node_text(node *to, const char *name, const char *text);
void node_integers(node *to, const char *name, const int64_t *values, size_t count);
void node_floats(node *to, const char *name, const float *values, size_t count);
/* String attributes, one by one or the same one many times; get(context, i) is NUL-terminated. */
void node_texts(node *to, const char *name, const char *(*get)(const void *context, size_t place),
                const void *context, size_t count);
void node_graph(node *to, const char *name, graph *inner); /* `inner` is freed */
const char *node_output(node *made);                       /* an output before the last one */
const char *node_end(node *made);

/* A node without attributes. */
const char *graph_apply(graph *g, const char *type, const char *const *inputs);
#define GRAPH_NODE(g, type, ...) graph_apply(g, type, (const char *const[]){__VA_ARGS__, NULL})
const char *graph_cast(graph *g, const char *value, onnx_type type);
/* Concat, Gather ... along an axis; `inputs` ends with NULL. */
const char *graph_along(graph *g, const char *type, int64_t axis, const char *const *inputs);

/* The whole graph as a protobuf message. */
void graph_encode(wire *to, unsigned field, graph *g, const char *name);

#endif
