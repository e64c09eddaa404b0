/* Between the files of a backbone's runner: weights packed for the kernels, and the memory of a thread. */
#ifndef BACKBONE_RUNNER_H
#define BACKBONE_RUNNER_H

#include "backbone/graph.h"
#include "kernels/kernels.h"

typedef enum conv_form {
    CONV_POINTWISE, /* 1x1 without stride: pixels x weights */
    CONV_DEPTHWISE, /* a group for each channel */
    CONV_DENSE,     /* a product for each row of outputs, from a padded copy if there is padding or groups */
} conv_form;

typedef struct run_node {
    conv_form form;
    graph_padding padding;
    const float *weight, *bias; /* dense: [group][panel][taps x in][lane]; depthwise: [taps][channels] */
    size_t copy;                /* floats of the padded copy; 0 for none */
} run_node;

typedef struct run_thread {
    float **values; /* of each value: where it lies; NULL for the picture */
    float *block;   /* owns them */
    float *copy;    /* of the padded input of a convolution */
    double *sums;   /* two for each channel of the widest stage */
} run_thread;

struct backbone_runner {
    arena memory;
    const backbone *source;
    const kernels *k;
    size_t side;
    graph_shape *shapes;
    run_node *nodes;
    run_thread *threads;
    float *zeros; /* as many as the widest value has channels */
    size_t thread_count;
};

/* Weights as run_node has them. */
puad_status runner_pack(backbone_runner *runner, size_t index);

/* Runs a convolution for one picture. */
void conv_run(const backbone_runner *runner, size_t index, float *out, const float *in, float *copy);

/* Applies an activation in place. */
void activation_run(const kernels *k, activation which, float *values, size_t count);

#endif
