/* The networks as lists of layers: an encoder up to `code`, then a decoder or a logit. */
#ifndef NN_ARCHITECTURE_H
#define NN_ARCHITECTURE_H

#include "nn/network.h"

/* Converts a network's output to one score per row; see head.h. */
typedef enum head_kind {
    HEAD_RECONSTRUCTION,
    HEAD_DISTANCE,
    HEAD_LOGIT,
    HEAD_LOGISTIC,   /* the same score, trained with the logistic loss and a learning rate schedule */
    HEAD_ICL,        /* the network ends with the contrastive loss of the row's windows, */
    HEAD_NEUTRAL,    /* of the row's learned transformations, */
    HEAD_ROT,        /* or the cross-entropy of predicting an image's rotation */
    HEAD_OWN_CODE,   /* a custom function of the autoencoder's embedding */
    HEAD_OWN_OUTPUT, /* a custom function of its output */
} head_kind;
const char *head_name(head_kind head);

static inline bool head_is_logit(head_kind head)
{
    return head == HEAD_LOGIT || head == HEAD_LOGISTIC;
}

typedef struct architecture_options {
    shape in; /* shape of a row; one channel of a 32x32 image represents three equal ones */
    head_kind head;
    bool linear_code; /* conv32: the embedding is the dense layer's output, without BatchNorm and LeakyReLU */
    bool mirrors;     /* conv32 with a logit: the score is the mean over the image and its mirror image */
    size_t depth;     /* mlp: hidden layers in each direction; 0 for three */
    size_t window;    /* conv1d: rows of a window of a time series (series/window.h); else 0 */
    /* mlp, and conv1d's dense layers: units of a hidden layer, size of the embedding; 0: depends on the
     * data */
    size_t width, latent;
} architecture_options;

typedef struct architecture {
    layer layers[NETWORK_LAYERS_MAX];
    size_t count; /* all layers */
    size_t code;  /* layers of the encoder */
    size_t head;  /* layers that a score needs: `code` for heads that read the embedding, else count */
} architecture;

/* Network names: "conv32", "conv1d", "mlp". Fails if the name is unknown or the rows do not fit it. */
puad_status architecture_make(architecture *out, const char *name, const architecture_options *options);

/* "mlp" for tables, "conv32" for 32x32 images; the head's network if it supports only one. */
const char *architecture_default(shape in, bool image, head_kind head);

/* Whether this network uses an option (embedding, depth, width, latent). */
bool architecture_takes(const char *name, const char *setting);

#endif
