/* The networks of the paper as rows of layers: an encoder up to `code`, then a decoder or a logit. */
#ifndef NN_ARCHITECTURE_H
#define NN_ARCHITECTURE_H

#include "nn/network.h"

/* What turns a network's output into one score per row; see head.h. */
typedef enum head_kind {
    HEAD_RECONSTRUCTION,
    HEAD_DISTANCE,
    HEAD_LOGIT,
    HEAD_LOGISTIC,   /* the same score, trained with the logistic loss and a schedule of rates */
    HEAD_ICL,        /* what the network ends with: the contrastive loss of the row's windows, */
    HEAD_NEUTRAL,    /* of the row's learned transformations, */
    HEAD_ROT,        /* or the cross-entropy of which way an image was turned */
    HEAD_OWN_CODE,   /* a caller's function of the autoencoder's code */
    HEAD_OWN_OUTPUT, /* the same of its output */
} head_kind;
const char *head_name(head_kind head);

static inline bool head_is_logit(head_kind head)
{
    return head == HEAD_LOGIT || head == HEAD_LOGISTIC;
}

typedef struct architecture_options {
    shape in; /* what a row is; one channel of a 32x32 image stands for three equal ones */
    head_kind head;
    bool linear_code; /* conv32: the code is the dense layer's raw output, without BatchNorm and LeakyReLU */
    size_t depth;     /* mlp: hidden layers each way; 0 for three */
    size_t window;    /* conv1d: rows of a window of a time series (series/window.h); else 0 */
    size_t width, latent; /* mlp, and of conv1d's dense layers: units of a hidden layer, size of the code; 0
                             chooses from the data */
} architecture_options;

typedef struct architecture {
    layer layers[NETWORK_LAYERS_MOST];
    size_t count; /* all layers */
    size_t code;  /* layers of the encoder */
    size_t head;  /* layers a score needs: code for heads that read the code, else count */
} architecture;

/* Network names: "conv32", "conv1d", "mlp". Fails when the name is unknown or the rows do not fit it. */
puad_status architecture_make(architecture *out, const char *name, const architecture_options *options);

/* "mlp" for tables, "conv32" for 32x32 images; what the head takes where that is one alone. */
const char *architecture_default(shape in, bool image, head_kind head);

/* Whether an option (embedding, depth, width, latent) means something to this network. */
bool architecture_takes(const char *name, const char *setting);

#endif
