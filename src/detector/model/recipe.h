/* The configuration of a fit, from the options to the trainer and the model file. */
#ifndef DETECTOR_MODEL_RECIPE_H
#define DETECTOR_MODEL_RECIPE_H

#include "detector/model/detectors.h"
#include "detector/network/augment.h"
#include "detector/network/head.h"
#include "detector/network/sampler.h"

/* How a detector is trained: its kind, with every option given a value. */
#define ALPHA_ASSUMED "assumed" /* alpha_kind if alpha is neither given nor estimated */

typedef struct recipe {
    const detector_kind *kind;
    const puad_objective *trains; /* the kind's, or the caller's custom one */
    char network[32];
    char alpha_kind[16];
    char own_head[64], own_objective[64]; /* names of custom ones; else "" */
    head_kind head;
    bool linear_code;
    size_t depth, width, latent; /* 0: derived from the data */
    size_t window, stride;       /* of a time series: rows per window, and rows between windows; else 0 */
    size_t patches; /* the last columns, which are patch scores of a backbone; not stored in files */
    double noise;
    double learning_rate, decay;
    bool rate_chosen; /* not given: the trainer lowers it for images that cannot be mirrored. Not stored */
    augment_kind augment; /* of training images */
    double turned; /* fraction of the unlabeled images of a batch that are turned and count as anomalies */
    size_t steps_least;  /* epochs are added until there are this many steps; not stored in files */
    bool drops_suspects; /* trained twice, see retrain_without_suspects.h */
    double novelty;      /* of the ensemble: the fraction of anomalies of a kind without labels */
    puad_objective_options objective;
    size_t epochs, pretrain_epochs;
    /* Maximum number of Adam steps in each phase; 0 for no limit. If it is given without patience, the
     * last weights are kept and no rows are held out. */
    size_t steps;
    /* Training ends after this many epochs without a better validation loss; 0 for never. */
    size_t patience;
    size_t batch;
    uint64_t seed;
    bool pretrain_given; /* else as many as epochs, or as the checkpoint has */
    bool sampler_given;
    sampler_kind sampler; /* if given; else chosen by sampler_choose */
} recipe;

#endif
