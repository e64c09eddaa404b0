/* The graph of a backbone, read from its file and checked, and the shapes of its values for an image size. */
#ifndef BACKBONE_GRAPH_H
#define BACKBONE_GRAPH_H

#include "backbone/backbone.h"
#include "backbone/patches.h"

#include <stdatomic.h>

enum {
    NODES_MAX = 2048,
    STAGES_MAX = PATCH_STAGES_MAX,
    KERNEL_MAX = 32,
    STAGE_STATISTICS = 3, /* features per channel of a stage: mean, standard deviation, max */
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

/* Value 0 is the image; node i computes value i + 1 from earlier values. */
typedef struct graph_node {
    graph_operator kind;
    activation activation;
    size_t inputs[2];
    size_t tall, wide, stride, groups;
    size_t pad[4]; /* top, left, bottom, right */
    /* instead of `pad`: outputs = inputs / stride, rounded up; an odd pixel of padding goes to the end */
    bool same;
    size_t in, out;             /* channels */
    const char *tensor;         /* of a conv: the name of its weights and bias in the file */
    const float *weight, *bias; /* [out][height][width][in / groups]; out */
} graph_node;

struct backbone {
    arena memory;
    atomic_int owners;              /* in addition to the first */
    const char *name, *description; /* the JSON string */
    char fingerprint[17];
    int side;
    float mean[3], deviation[3]; /* of pixels, 0 to 255: the graph's input is (pixel - mean) / deviation */
    size_t node_count, stage_count, feature_count;
    graph_node *nodes;
    size_t stages[STAGES_MAX]; /* indices of values */
    patch_model patches;       /* of a model; not learned in a backbone file */
};

typedef struct graph_shape {
    size_t height, width, channels;
} graph_shape;

/* From the description, the weights and the usual patches. */
void backbone_make_fingerprint(backbone *owner);

const char *operator_name(graph_operator which);

size_t graph_channels(const backbone *owner, size_t value);

/* Shapes of all values, node_count + 1 of them, and the top and left padding of each node, for square
 * images of a given side. Fails if a value would have no pixels or too many. */
typedef struct graph_padding {
    size_t top, left;
} graph_padding;
puad_status graph_shapes(graph_shape *shapes, graph_padding *padding, const backbone *owner, int side);

#endif
