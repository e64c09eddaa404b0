/* What a fit of rows of floats is told, below the option table; and what a model can say of itself. */
#ifndef DETECTOR_MODEL_FIT_OPTIONS_H
#define DETECTOR_MODEL_FIT_OPTIONS_H

#include <puad/detector.h>
#include <stdint.h>

/* Rows to train on. Values are floats, row after row; images are channels last in [0, 1]. */
typedef struct puad_rows {
    const float *values;
    const int8_t *labels; /* puad_label of each row; NULL when all are unlabeled */
    size_t rows;
    size_t height, width, channels; /* a table has height = width = 1 and one channel per column */
} puad_rows;

struct trainer;

typedef struct puad_fit_options {
    const char *method;     /* a name of detectors.def; NULL: by the rows */
    double alpha;           /* what is put into the formulas; NaN: nobody said */
    const char *alpha_kind; /* "given", "alpha_U" or "alpha_all": where alpha comes from; only recorded */
    size_t epochs;          /* at most; 200 */
    size_t pretrain_epochs; /* of distance detectors; SIZE_MAX: as many as epochs */
    /* Steps of Adam, at most, in training and again in pre-training; 0: as many as the epochs have. Where
     * they are given without patience the last weights are kept and no rows are held out. SIZE_MAX: 250 for a
     * table when epochs are the standard ones and there is no patience, else 0. */
    size_t steps;
    size_t window, stride;             /* of a time series whose windows the rows are; 0 for none */
    const struct channel_scale *scale; /* of its channels; NULL: from the windows. Borrowed during the fit */
    const uint32_t *first;             /* the first row of each window; NULL: not known. Borrowed */
    size_t patience; /* epochs without a better validation loss before training stops; 0: never */
    size_t batch;    /* rows a mini-batch; 128 */
    uint64_t seed;
    struct team *workers; /* borrowed; NULL: the calling thread alone */
    const char *network;  /* "conv32", "mlp"; NULL: by the rows */
    const char *sampler;  /* "shuffle", "stratified"; NULL: by the number of labels */
    double learning_rate; /* of Adam; when 0, 1e-4 for conv32 and 1e-3 for mlp */
    /* A method's own options, "name=value" each: weight, balance, soft, eta, embedding, noise, depth,
     * width, latent, decay, novelty. */
    const char *const *settings;
    size_t setting_count;
    /* Instead of the method's own; borrowed during the fit. */
    const puad_objective *objective;
    const puad_own_head *head;
    const puad_ranks *ranks; /* that share the fit; NULL: one process. Borrowed during the fit */
    /* Called from the calling thread; NULL for none. */
    puad_answer (*progress)(void *context, const puad_progress *now);
    void *context;
    /* Called after each epoch of training (not of pre-training) with the trainer as it stands, which it
     * leaves as it was; its time does not count. Not in the second training of methods that drop suspects
     * (retrain_without_suspects.h), whose rows are scaled. NULL for none. */
    puad_status (*watch)(void *watcher, struct trainer *state, size_t epoch);
    void *watcher;
    /* Where to keep what a stopped training needs to go on, written after every epoch; NULL for nowhere. With
     * `resume` an existing checkpoint of the same options and data is taken up, and ends in the same bits as
     * one run. It stays after a fit that succeeds; the caller removes it when the model is saved. */
    const char *checkpoint;
    int resume;
} puad_fit_options;

puad_fit_options puad_fit_options_standard(void);

/* Trains. NULL options are the standard ones. PUAD_INVALID for options or rows that do not fit, PUAD_NUMERIC
 * when something stops being finite. */
puad_status detector_fit(puad_detector **out, const puad_rows *rows, const puad_fit_options *options);

/* Refuses no rows, more rows and rows of a shape that no model file can state. */
puad_status detector_check_size(size_t rows, size_t height, size_t width, size_t channels);

/* What a detector is: borrowed, valid as long as it lives. */
typedef struct puad_facts {
    const char *method, *title, *network, *head, *alpha_kind, *version;
    double alpha, valid_loss, seconds, pretrain_seconds;
    size_t rows, anomalies, normals; /* trained on: all, labeled anomalies, labeled normals */
    size_t height, width, channels;  /* of a row */
    size_t best_epoch, epochs;       /* the epoch kept, and how many were run */
    size_t parameters;
    uint64_t seed;
} puad_facts;

puad_facts detector_facts(const puad_detector *model);

/* puad_scorer_new and puad_scorer_run_encoded below the options: `workers` is borrowed, or NULL; `head` is
 * NULL but for a detector trained with one of the caller's own. */
puad_status scorer_new(puad_scorer **out, const puad_detector *model, struct team *workers,
                       const puad_own_head *head);
puad_status scorer_run(puad_scorer *scorer, float *scores, const float *values, size_t rows);

#endif
