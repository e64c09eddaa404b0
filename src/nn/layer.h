/* A layer: a function of a batch with parameters, and its gradient. Layers do not own memory: the network
 * passes them the blocks they need, so a pass allocates nothing. Shapes: N rows of H x W x C, channels
 * last. A layer may make several rows (views) of one (row_views.c). The following layers process them as
 * separate rows, until a loss layer (contrastive_loss.c, view_loss.c) or an average reduces them to one. */
#ifndef NN_LAYER_H
#define NN_LAYER_H

#include "base/rng.h"
#include "base/threads.h"
#include "kernels/kernels.h"
#include "nn/ranks.h"

typedef struct shape {
    size_t height, width, channels;
} shape;

static inline size_t shape_size(shape s)
{
    return s.height * s.width * s.channels;
}

struct layer_type;

#define NORM_EPSILON 1e-5         /* added to a variance */
#define CONTRAST_SQUARE_MIN 1e-6f /* added to a squared length */

typedef struct layer {
    const struct layer_type *type;
    shape in, out;
    size_t taps; /* convolution: 5 or 3, square.  conv1d: odd */
    /* convolution: number of equal stored input channels that one channel represents; else 1 */
    size_t repeat;
    bool upsample; /* convolution: nearest up-sampling by 2 comes first */
    bool direct;   /* convolution: never use the Winograd form; for tests */
    bool affine;   /* norm: has scale and shift. dense: has a bias */
    bool pool;     /* norm: followed by max-pool 2 */
    float slope;   /* norm, leaky: slope below zero; 1 is the identity */
    size_t window; /* windows: number of columns per window; see row_views.c */
    /* dense: inputs and outputs of the first of two parallel layers; 0 for a single layer */
    size_t split_in, split_out;
    bool pairs;        /* contrast: each view is two vectors, a question and its answer */
    float temperature; /* contrast */
    /* rows per row of the network's input, before and after the layer; views_out 0: unchanged */
    size_t views, views_out;
    size_t parameters, parameters_at; /* number of floats in the flat blocks, and their offset */
    size_t state, state_at;           /* floats that training updates without a gradient: running moments */
    size_t fan_in;                    /* weights are drawn uniform in +-1/sqrt(fan_in); 0 for none */
    size_t keep;                      /* floats kept from forward to backward and between passes */
    size_t shared, thread;            /* floats of scratch: one shared block, and one per thread */
} layer;

/* The resources of one pass over a layer. */
typedef struct pass {
    team *workers;
    rank_group *ranks; /* ranks that process the other rows of the batch; may be NULL */
    const kernels *k;
    size_t rows;          /* views included */
    size_t parts;         /* sums over rows are made in this many parts, see ranks_parts */
    bool training;        /* use the batch's moments and their gradient; otherwise the running ones */
    bool weights_changed; /* since the last pass: packed copies are out of date */
    const float *parameters;
    float *gradients; /* by the parameters; overwritten. NULL if not needed */
    float *state;
    float *keep, *shared, *thread; /* thread: layer->thread floats per thread */
    /* The network's input, for layers that read it too; and a buffer for its gradient, NULL if not needed. */
    const float *given;
    float *given_gradient;
    size_t thread_stride;
    /* scoring: slope of the following leaky layer, which this layer applies too; else NULL */
    const float *slope;
} pass;

/* Named floats of a layer, as stored in a model file. */
typedef struct layer_tensor {
    const char *name;
    bool state; /* in the state, otherwise in the parameters */
    int dimensions;
    size_t shape[4];
} layer_tensor;
enum { LAYER_TENSORS_MAX = 4 };

typedef struct layer_type {
    const char *name;
    bool back_in_place; /* the gradient by the input may overwrite the input */
    bool reads_output;  /* backward needs the layer's output */
    bool reads_given;   /* forward and backward read the network's input, see pass */
    bool takes_slope;   /* forward applies a following leaky layer if the pass has its slope */
    bool sums_batch;    /* exchanges sums over the whole batch, so it runs even if this rank has no rows */
    /* Sets sizes from the configuration, for batches of at most `rows`. */
    void (*plan)(layer *self, const kernels *k, size_t rows);
    /* Names all parameters, then all of the state, in storage order; returns the number of tensors. NULL
     * for a layer without any. network_new and the conformance tests reject a layer that omits some. */
    size_t (*tensors)(const layer *self, layer_tensor out[LAYER_TENSORS_MAX]);
    /* Sets parameters that do not start in +-1/sqrt(fan_in), and the state; may be NULL. */
    void (*start)(const layer *self, float *parameters, float *state);
    void (*forward)(const layer *self, const pass *now, const float *in, float *out);
    /* in_gradient may be NULL. A layer without `weights` also computes the gradients by its parameters
     * here, summed over the ranks. */
    void (*backward)(const layer *self, const pass *now, const float *in, const float *out,
                     const float *out_gradient, float *in_gradient);
    /* Gradients by the parameters for some rows of the batch, after `backward`; may be NULL. */
    void (*weights)(const layer *self, const pass *now, const float *in, const float *out_gradient);
} layer_type;

/* The tensors of a planned layer; *out_parameters and *out_state receive their total sizes. */
size_t layer_tensors(const layer *self, layer_tensor out[LAYER_TENSORS_MAX], size_t *out_parameters,
                     size_t *out_state);
size_t layer_tensor_size(const layer_tensor *tensor);

#define LAYER(name) extern const layer_type layer_##name;
#include "nn/layers.def"
#undef LAYER

static inline float *thread_scratch(const pass *now, int thread)
{
    return now->thread + (size_t)thread * now->thread_stride;
}

/* First row of a part of a pass; all views of a row are in the same part. */
static inline size_t pass_part_begin(const layer *self, const pass *now, size_t part)
{
    return ranks_part_begin(now->rows / self->views, part, now->parts) * self->views;
}

/* For windows, turns and mirror: the index of the row's value at this place of a view. */
size_t view_source(const layer *self, size_t view, size_t value);

/* Values after a layer for each row of the network's input. */
static inline size_t layer_values(const layer *self)
{
    return self->views_out * shape_size(self->out);
}

static inline size_t round_to(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

#endif
