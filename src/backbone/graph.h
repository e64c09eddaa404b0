/* The graph of a backbone as its file describes it, checked, and the shapes of its values for a side. */
#ifndef BACKBONE_GRAPH_H
#define BACKBONE_GRAPH_H

#include "backbone/backbone.h"

#include <stdatomic.h>

enum {
    NODES_MOST = 2048,
    STAGES_MOST = 16,
    KERNEL_MOST = 32,
    STAGE_STATISTICS = 3, /* features of each channel of a stage: mean, deviation, max */
};

typedef enum graph_operator {
#define OPERATOR(name, inputs) OPERATOR_##name,
#include "backbone/operators.def"
#undef OPERATOR
} graph_operator;

typedef enum activation {
#define ACTIVATION(name) ACTIVATION_##name,
#include "backbone/activations.def"
#undef ACTIVATION
} activation;

/* Value 0 is the picture; node i makes value i + 1 of earlier values. */
typedef struct graph_node {
    graph_operator kind;
    activation activation;
    size_t inputs[2];
    size_t tall, wide, stride, groups;
    size_t pad[4];  /* top, left, bottom, right */
    bool same;      /* instead of `pad`: outputs = inputs / stride, rounded up, the odd pixel at the end */
    size_t in, out; /* channels */
    const char *tensor;         /* of a conv: the name of its weights and bias in the file */
    const float *weight, *bias; /* [out][tall][wide][in / groups]; out */
} graph_node;

struct backbone {
    arena memory;
    atomic_int owners;              /* beside the first */
    const char *name, *description; /* the JSON text */
    char fingerprint[17];
    int side;
    float mean[3], deviation[3]; /* of pixels, 0 to 255: (pixel - mean) / deviation enters the graph */
    size_t node_count, stage_count, feature_count;
    graph_node *nodes;
    size_t stages[STAGES_MOST]; /* values */
};

typedef struct graph_shape {
    size_t height, width, channels;
} graph_shape;

const char *operator_name(graph_operator which);

size_t graph_channels(const backbone *owner, size_t value);

/* Shapes of all values, node_count + 1 of them, and the resolved padding of each node, top and left, for
 * pictures of a side. Fails where a value would have no pixels or too many. */
typedef struct graph_padding {
    size_t top, left;
} graph_padding;
puad_status graph_shapes(graph_shape *shapes, graph_padding *padding, const backbone *owner, int side);

#endif
