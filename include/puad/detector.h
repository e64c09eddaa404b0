/* Detectors: train one on rows, score rows with it, keep it in a file.
 *
 *     puad_fit_options options = puad_fit_options_standard();
 *     puad_detector *model = NULL;
 *     if (puad_detector_fit(&model, rows, &options) != PUAD_OK ||
 *         puad_detector_save(model, "m.safetensors") != PUAD_OK)
 *         fprintf(stderr, "%s\n", puad_last_error());
 *     puad_detector_free(model);
 *
 * A detector does not change once it is trained, and any number of threads may share it. A scorer is one
 * thread's way to use it: it owns the memory a pass needs, so scoring allocates nothing. */
#ifndef PUAD_DETECTOR_H
#define PUAD_DETECTOR_H

#include <puad/objective.h>
#include <puad/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_detector puad_detector;
typedef struct puad_scorer puad_scorer;

/* Rows to train on. Values are floats, row after row; images are channels last in [0, 1]. */
typedef struct puad_rows {
    const float *values;
    const int8_t *labels; /* puad_label of each row; NULL when all are unlabeled */
    size_t rows;
    size_t height, width, channels; /* a table has height = width = 1 and one channel per column */
} puad_rows;

/* What a progress callback is told, after every mini-batch and at the end of every epoch (batch == batches).
 */
typedef struct puad_progress {
    int pretraining; /* the phase: 1 while a distance detector is pre-trained as an autoencoder */
    size_t epoch, epochs, batch, batches;
    double train_loss, valid_loss; /* NaN before the first */
    size_t best_epoch;
    double seconds; /* since the phase began */
} puad_progress;

typedef enum puad_answer {
    PUAD_GO_ON = 0,
    PUAD_FINISH, /* stop after this epoch and keep the best weights so far; while pre-training: train one
                    epoch */
    PUAD_ABORT,  /* stop now; the fit fails with PUAD_CANCELLED */
} puad_answer;

/* A score head of your own: one score from what the network says about a row. The network is the
 * autoencoder's, and the head reads its code or its output. */
typedef struct puad_own_head {
    const char *name;
    int reads_code; /* 1: `values` is the code; 0: it is the reconstruction */
    /* The score of one row and, where slopes is not NULL, d score / d value for all `count` values. Of a gray
     * image conv32 makes three channels of one: then count is 3 x columns and values[i] belongs to row[i /
     * 3]. Called from several threads at a time. */
    double (*evaluate)(void *context, float *slopes, const float *values, size_t count, const float *row,
                       size_t columns);
    const puad_loss_pair *losses; /* what a score costs either way */
    void *context;
} puad_own_head;

typedef struct puad_fit_options {
    const char *method;     /* a name of `puad list methods`; "pusvdd" */
    double alpha;           /* what is put into the formulas; 0.1 */
    const char *alpha_kind; /* "given", "alpha_U" or "alpha_all": where alpha comes from; only recorded */
    size_t epochs;          /* at most; 200 */
    size_t pretrain_epochs; /* of distance detectors; SIZE_MAX: as many as epochs */
    /* Steps of Adam, at most, in training and again in pre-training; 0: as many as the epochs have. Where they are
     * given without patience the last weights are kept and no rows are held out. SIZE_MAX: 250 for a table when
     * epochs are the standard ones and there is no patience, else 0. */
    size_t steps;
    size_t patience;        /* epochs without a better validation loss before training stops; 0: never */
    size_t batch;           /* rows a mini-batch; 128 */
    uint64_t seed;
    int threads;          /* 0: one per processor */
    const char *network;  /* "conv32", "mlp"; NULL: by the rows */
    const char *sampler;  /* "shuffle", "stratified"; NULL: by the number of labels */
    double learning_rate; /* of Adam; when 0, 1e-4 for conv32 and 1e-3 for mlp */
    /* A method's own options, "name=value" each: weight, balance, soft, eta, embedding, noise, depth,
     * width, latent, decay. */
    const char *const *settings;
    size_t setting_count;
    /* Instead of the method's own; borrowed during the fit. */
    const puad_objective *objective;
    const puad_own_head *head;
    /* Called from the calling thread; NULL for none. */
    puad_answer (*progress)(void *context, const puad_progress *now);
    void *context;
    /* Where to keep what a stopped training needs to go on, written after every epoch; NULL for nowhere. With
     * `resume` an existing checkpoint of the same options and data is taken up, and ends in the same bits as
     * one run. It stays after a fit that succeeds; the caller removes it when the model is saved. */
    const char *checkpoint;
    int resume;
} puad_fit_options;

PUAD_API puad_fit_options puad_fit_options_standard(void);

/* Trains. NULL options are the standard ones. PUAD_INVALID for options or rows that do not fit, PUAD_NUMERIC
 * when something stops being finite. */
PUAD_API puad_status puad_detector_fit(puad_detector **out, const puad_rows *rows,
                                       const puad_fit_options *options);
PUAD_API void puad_detector_free(puad_detector *model); /* NULL is fine */

/* Model files are safetensors (docs/model-format.md), written whole or not at all. */
PUAD_API puad_status puad_detector_save(const puad_detector *model, const char *path);
PUAD_API puad_status puad_detector_load(puad_detector **out, const char *path);

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

PUAD_API puad_facts puad_detector_facts(const puad_detector *model);

/* A scorer; the detector must outlive it. `head` is needed for a detector trained with an own head and must
 * have the same name, which is all that a file knows of it; else NULL. */
PUAD_API puad_status puad_scorer_new(puad_scorer **out, const puad_detector *model, int threads,
                                     const puad_own_head *head);
PUAD_API void puad_scorer_free(puad_scorer *scorer); /* NULL is fine */

/* Raw scores of rows x columns values, larger = more anomalous. Fails with PUAD_NUMERIC when a value is not
 * finite. */
PUAD_API puad_status puad_scorer_run(puad_scorer *scorer, float *scores, const float *values, size_t rows);

#ifdef __cplusplus
}
#endif
#endif
