/* The options of a fit of float rows, below the option table; and the facts about a model. */
#ifndef DETECTOR_MODEL_FIT_OPTIONS_H
#define DETECTOR_MODEL_FIT_OPTIONS_H

#include <puad/detector.h>
#include <stdint.h>

/* Training rows. Values are floats, row by row; images are channels-last in [0, 1]. */
typedef struct labeled_rows {
    const float *values;
    const int8_t *labels; /* puad_label of each row; NULL if all are unlabeled */
    size_t rows;
    size_t height, width, channels; /* a table has height = width = 1 and one channel per column */
    /* not 0 for rows that a reviewer was asked about, for example because of their score: they are not a random
     * sample. NULL: none */
    const uint8_t *asked;
} labeled_rows;

struct trainer;

typedef struct fit_options {
    const char *method;     /* a name in detectors.def; NULL: depends on the rows */
    double alpha;           /* used in the formulas; NaN: not given */
    const char *alpha_kind; /* "given", "alpha_U" or "alpha_all": the source of alpha; only recorded */
    size_t epochs;          /* maximum; default 200 */
    size_t pretrain_epochs; /* for distance detectors; SIZE_MAX: as many as epochs */
    /* Maximum number of Adam steps, in training and again in pretraining; 0: as many as the epochs have.
     * If steps are given without patience, the last weights are kept and no rows are held out. SIZE_MAX:
     * 250 for a table with default epochs and without patience, else 0. */
    size_t steps;
    size_t window, stride; /* for a time series whose windows the rows are; 0 for none */
    size_t patches;        /* see recipe.h */
    /* of its channels; NULL: learned from the windows. Borrowed during the fit */
    const struct channel_scale *scale;
    const uint32_t *first; /* the first row of each window; NULL: unknown. Borrowed */
    /* of a model of more windows (recurrence_forest.h), for a model of a fold; NULL: learned. Borrowed */
    const struct evidence_weights *weights;
    size_t patience; /* stop after this many epochs without a better validation loss; 0: never */
    size_t batch;    /* rows per mini-batch; default 128 */
    uint64_t seed;
    struct team *workers; /* borrowed; NULL: only the calling thread */
    const char *network;  /* "conv32", "mlp"; NULL: depends on the rows */
    const char *sampler;  /* "shuffle", "stratified"; NULL: depends on the number of labels */
    double learning_rate; /* of Adam; 0: the default of the method and network */
    /* Options of the method, "name=value" each: weight, balance, soft, eta, embedding, noise, depth,
     * width, latent, decay, novelty. */
    const char *const *settings;
    size_t setting_count;
    /* Replaces the method's objective; borrowed during the fit. */
    const puad_objective *objective;
    const puad_own_head *head;
    const puad_ranks *ranks; /* processes that share the fit; NULL: one process. Borrowed during the fit */
    /* Called from the calling thread; may be NULL. */
    puad_answer (*progress)(void *context, const puad_progress *now);
    void *context;
    /* Called after each epoch of training (not of pretraining) with the trainer, which it must leave
     * unchanged; its time is excluded from the training time. Not called in the second training of methods
     * that drop suspects (retrain_without_suspects.h), whose rows are scaled. May be NULL. */
    puad_status (*watch)(void *watcher, struct trainer *state, size_t epoch);
    void *watcher;
    /* Path of the checkpoint, written after every epoch; NULL for none. With `resume` an existing
     * checkpoint of the same options and data is continued, with the same bits as one run. The checkpoint
     * remains after a successful fit; the caller removes it once the model is saved. */
    const char *checkpoint;
    int resume;
} fit_options;

fit_options fit_options_standard(void);

/* Trains a detector. NULL options are the defaults. PUAD_INVALID for options or rows that do not fit,
 * PUAD_NUMERIC if a value becomes non-finite. */
puad_status detector_fit(puad_detector **out, const labeled_rows *rows, const fit_options *options);

/* Rejects zero rows, and sizes larger than a model file can store. */
puad_status detector_check_size(size_t rows, size_t height, size_t width, size_t channels);

/* Facts about a detector: borrowed, valid during its lifetime. */
typedef struct model_facts {
    const char *method, *title, *network, *head, *alpha_kind, *version;
    double alpha, valid_loss, seconds, pretrain_seconds;
    size_t rows, anomalies, normals; /* training rows: all, labeled anomalies, labeled normals */
    size_t height, width, channels;  /* of a row */
    size_t best_epoch, epochs;       /* the epoch kept, and the number of epochs run */
    size_t parameters;
    uint64_t seed;
} model_facts;

model_facts detector_facts(const puad_detector *model);

/* puad_scorer_new and puad_scorer_run_encoded without the option table: `workers` is borrowed, or NULL;
 * `head` is NULL unless the detector was trained with a custom head. */
puad_status scorer_new(puad_scorer **out, const puad_detector *model, struct team *workers,
                       const puad_own_head *head);
puad_status scorer_run(puad_scorer *scorer, float *scores, const float *values, size_t rows);

/* Free what the variable holds when its scope ends. */
void scorer_cleanup(puad_scorer **owner);
void detector_cleanup(puad_detector **owner);
#define AUTO_SCORER __attribute__((cleanup(scorer_cleanup)))
#define AUTO_DETECTOR __attribute__((cleanup(detector_cleanup)))

#endif
