/* Internal to the backbone runner: weights packed for the kernels, and the memory of a thread. */
#ifndef BACKBONE_RUNNER_H
#define BACKBONE_RUNNER_H

#include "backbone/graph.h"
#include "kernels/kernels.h"

typedef enum conv_form {
    CONV_POINTWISE, /* 1x1 without stride: pixels x weights */
    CONV_DEPTHWISE, /* one group per channel */
    CONV_DENSE,     /* one product per row of outputs, on a padded copy if there is padding or groups */
} conv_form;

typedef struct run_node {
    conv_form form;
    graph_padding padding;
    const float *weight, *bias; /* dense: [group][panel][taps x in][lane]; depthwise: [taps][channels] */
    size_t copy;                /* floats of the padded copy; 0 for none */
} run_node;

typedef struct run_thread {
    float **values; /* address of each value; NULL for the image */
    float *block;   /* owns the values */
    float *copy;    /* padded input of a convolution */
    double *sums;   /* two per channel of the widest stage */
    float *patches; /* room for the products and the distances of a stage's patches */
} run_thread;

struct backbone_runner {
    arena memory;
    const backbone *source;
    const kernels *k;
    size_t side;
    graph_shape *shapes;
    patch_shape patches;
    run_node *nodes;
    run_thread *threads;
    float *zeros; /* as many as the widest value has channels */
    size_t thread_count;
};

/* Packs the weights of node `index` for the kernels. */
puad_status runner_pack(backbone_runner *runner, size_t index);

/* Runs a convolution for one image. */
void conv_run(const backbone_runner *runner, size_t index, float *out, const float *in, float *copy);

/* Applies an activation in place. */
void activation_run(const kernels *k, activation which, float *values, size_t count);

#endif
