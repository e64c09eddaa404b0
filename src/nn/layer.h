/* A layer: a function of a batch with parameters, and its gradient. Layers do not own memory: the network
 * hands each pass the blocks it needs, so a pass allocates nothing. Shapes: N rows of H x W x C, channels
 * last. A layer may make several rows of one, its views (views.c); they pass through the layers behind it as
 * so many rows, until another layer (contrastive_loss.c, view_loss.c) makes one number of them. */
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

#define NORM_EPSILON 1e-5           /* added to a variance */
#define CONTRAST_SQUARE_LEAST 1e-6f /* added to a squared length */

typedef struct layer {
    const struct layer_type *type;
    shape in, out;
    size_t taps; /* convolution: 5 or 3, square.  conv1d: odd */
    /* convolution: how many equal stored input channels each given channel stands for; else 1 */
    size_t repeat;
    bool upsample;              /* convolution: nearest up-sampling by 2 comes first */
    bool direct;                /* convolution: never use the Winograd form; for tests */
    bool affine;                /* norm: has scale and shift.  dense: has a bias */
    bool pool;                  /* norm: max-pool 2 behind it */
    float slope;                /* norm, leaky: slope below zero; 1 is the identity */
    size_t window;              /* windows: columns of one; see views.c */
    size_t split_in, split_out; /* dense: two layers side by side, the first of so many inputs and outputs; 0
                                   for one */
    bool pairs;                 /* contrast: each view is two vectors, which belong together */
    float temperature;          /* contrast */
    size_t views, views_out;    /* rows for each row that enters the network, before and behind the layer;
                                   views_out 0: as many */
    size_t parameters, parameters_at; /* floats in the flat blocks, and where they begin */
    size_t state, state_at;           /* floats that training changes without a gradient: running moments */
    size_t fan_in;                    /* weights are drawn uniform in +-1/sqrt(fan_in); 0 for none */
    size_t keep;                      /* floats kept from forward to backward and from pass to pass */
    size_t shared, thread;            /* floats of scratch: one block, and one per thread */
} layer;

/* What one pass over a layer may use. */
typedef struct pass {
    team *workers;
    rank_group *ranks; /* that run the other rows of the batch; may be NULL */
    const kernels *k;
    size_t rows;          /* views included */
    size_t parts;         /* in which sums over these rows are made, see ranks_parts */
    bool training;        /* batch moments and their gradient; otherwise the running ones */
    bool weights_changed; /* since the last pass: packed copies must be made again */
    const float *parameters;
    float *gradients; /* by the parameters; written, not added to. NULL when not needed */
    float *state;
    float *keep, *shared, *thread; /* thread: layer->thread floats for each thread */
    /* What entered the network, for layers that read it too; and room for the gradient by it, NULL when it is
     * not needed. */
    const float *given;
    float *given_gradient;
    size_t thread_stride;
    const float *slope; /* scoring: of the leaky layer behind, which this one does on the way; else NULL */
} pass;

/* Some floats of a layer that belong together, as a model file keeps them. */
typedef struct layer_tensor {
    const char *name;
    bool state; /* in the state, otherwise among the parameters */
    int dimensions;
    size_t shape[4];
} layer_tensor;
enum { LAYER_TENSORS_MOST = 4 };

typedef struct layer_type {
    const char *name;
    bool back_in_place; /* the gradient by the input may be written over the input */
    bool reads_output;  /* backward needs the layer's output */
    bool reads_given;   /* forward and backward read what entered the network, see pass */
    bool takes_slope;   /* forward does a leaky layer behind it where the pass has its slope */
    bool sums_batch;    /* exchanges sums over the whole batch, and so runs where this rank has no rows too */
    /* Sets sizes from the configuration, for batches of at most `rows`. */
    void (*plan)(layer *self, const kernels *k, size_t rows);
    /* Names all parameters, then all of the state, in the order in which
     * they lie; returns how many tensors. NULL for a layer that has neither.
     * network_new and the conformance tests refuse one that forgets any. */
    size_t (*tensors)(const layer *self, layer_tensor out[LAYER_TENSORS_MOST]);
    /* Parameters that do not start as +-1/sqrt(fan_in), and the state; may be NULL. */
    void (*start)(const layer *self, float *parameters, float *state);
    void (*forward)(const layer *self, const pass *now, const float *in, float *out);
    /* in_gradient may be NULL when nobody needs it. Of a layer without `weights` also the gradients by its
     * parameters, summed over the ranks. */
    void (*backward)(const layer *self, const pass *now, const float *in, const float *out,
                     const float *out_gradient, float *in_gradient);
    /* Gradients by the parameters, after `backward`, of some rows of the batch at a time; may be NULL. */
    void (*weights)(const layer *self, const pass *now, const float *in, const float *out_gradient);
} layer_type;

/* The tensors of a planned layer; what they hold together comes back in *out_parameters and *out_state. */
size_t layer_tensors(const layer *self, layer_tensor out[LAYER_TENSORS_MOST], size_t *out_parameters,
                     size_t *out_state);
size_t layer_tensor_size(const layer_tensor *of);

#define LAYER(name) extern const layer_type layer_##name;
#include "nn/layers.def"
#undef LAYER

static inline float *thread_scratch(const pass *now, int thread)
{
    return now->thread + (size_t)thread * now->thread_stride;
}

/* Where a part of a pass's rows begins; all views of a row are in one. */
static inline size_t pass_part_begin(const layer *self, const pass *now, size_t part)
{
    return ranks_part_begin(now->rows / self->views, part, now->parts) * self->views;
}

/* Of windows and turns: which of a row's values stands at this place of a view. */
size_t view_source(const layer *self, size_t view, size_t value);

/* Values behind a layer for each row that enters the network. */
static inline size_t layer_values(const layer *self)
{
    return self->views_out * shape_size(self->out);
}

static inline size_t round_to(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

#endif
