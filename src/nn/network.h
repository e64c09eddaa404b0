/* A network: a sequence of layers with one flat block each for values, gradients and moments of the
 * parameters, and the memory of a pass. It is created for a maximum batch size; forward, backward and step
 * allocate nothing. */
#ifndef NN_NETWORK_H
#define NN_NETWORK_H

#include "base/memory.h"
#include "nn/layer.h"

enum {
    NETWORK_LAYERS_MAX = 48,
    LAYER_VALUES_MAX =
        /* values of a row before or after a layer: small enough that products of two sizes and a batch do
         * not overflow */
    1 << 26
};

typedef struct network_options {
    size_t rows;       /* maximum batch size */
    bool training;     /* allocate gradients, moments and all activations; otherwise only for scoring */
    team *workers;     /* borrowed; may be NULL */
    rank_group *ranks; /* each runs a part of the batch; borrowed, may be NULL */
    const kernels *k;  /* NULL for the best of this machine */
} network_options;

typedef struct network {
    arena memory;
    network_options options;
    size_t layer_count;
    layer layers[NETWORK_LAYERS_MAX];
    size_t parameter_count, state_count;
    float *parameters, *gradients, *first_moment, *second_moment; /* parameter_count each */
    float *part_gradients[2];                                     /* of one layer, for parts of the batch */
    float *state;                                                 /* running moments */
    const float *input;                                           /* the caller's input of layer 0 */
    float *activations[NETWORK_LAYERS_MAX + 1];                   /* [i] is the input of layer i, from 1 on */
    /* for scoring only: outputs of layers, alternating */
    float *turns[2];
    float *gradient_blocks[2]; /* alternate in the backward pass */
    float *given_gradient; /* by the network's input, from layers that also read it; NULL if there are none */
    float *keep[NETWORK_LAYERS_MAX];
    float *shared, *thread;
    size_t thread_stride;
    size_t last_rows; /* rows, end and mode of the last forward pass */
    size_t last_end;
    bool last_training;
    bool weights_changed[NETWORK_LAYERS_MAX];
    uint64_t steps; /* Adam steps taken */
} network;

/* Creates a network from `count` configured layers (type and options set; `in` of the first layer set, the
 * others are derived). Parameters are zero until network_start, or until they are written and
 * network_weights_changed is called. */
puad_status network_new(network **out, const layer *layers, size_t count, const network_options *options);
void network_cleanup(network **owner);
#define AUTO_NETWORK __attribute__((cleanup(network_cleanup)))
void network_free(network *net); /* NULL is fine */

/* The number of parameters and state floats of such a network without creating it; fails if a layer is too
 * large. For untrusted sizes from a file. */
puad_status network_sizes(size_t *out_parameters, size_t *out_state, const layer *layers, size_t count);

/* Initializes weights uniformly in +-1/sqrt(fan_in) from the seed, and resets the running moments. */
void network_start(network *net, uint64_t seed);

/* Runs layers [0, end) on `rows` rows; returns the output, borrowed until the next pass. The input is
 * borrowed until the backward pass is done. */
const float *network_forward(network *net, const float *in, size_t rows, size_t end, bool training);

/* Gradients of the parameters of layers [0, end) of the last forward pass, from the gradient of its output;
 * those of later layers become 0. With in_gradient not NULL also the gradient by the input. */
void network_backward(network *net, const float *out_gradient, float *in_gradient);

/* Like network_backward, but leaves the gradients of the parameters unchanged. */
void network_input_gradient(network *net, const float *out_gradient, float *in_gradient);

/* One Adam step over the parameters of layers [0, end), with decay * w added to the gradient; a decoupled
 * decay (AdamW) subtracts rate * decoupled * w from the weights instead. */
typedef struct adam_options {
    double rate, beta1, beta2, epsilon, decay, decoupled;
} adam_options;
extern const adam_options adam_standard; /* 1e-4, 0.9, 0.999, 1e-8, 1e-3 */
void network_step(network *net, const adam_options *options, size_t end);

void network_weights_changed(network *net);                       /* call after writing parameters or state */
size_t network_parameters_before(const network *net, size_t end); /* parameters of layers [0, end) */

#endif
