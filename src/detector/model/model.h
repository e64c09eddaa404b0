/* Internals of a trained detector: what it needs for scoring, and records of its training. */
#ifndef DETECTOR_MODEL_MODEL_H
#define DETECTOR_MODEL_MODEL_H

#include "base/memory.h"
#include "detector/ensemble/ensemble.h"
#include "detector/model/calibration.h"
#include "detector/model/column_profile.h"
#include "detector/network/history.h"
#include "detector/network/trainer.h"
#include "options/option_row.h"
#include "table/encoding/transform.h"

#include "detector/model/fit_options.h"
#include "options/warnings.h"

/* Limits of epochs and batch size, in a fit and in a file. */
enum { RECIPE_COUNT_MAX = 1000000000 };

/* Limits of the number of rows, the longest side of a row (columns of a table), and the widest layer of
 * mlp; in a fit and in a file. */
enum { MODEL_ROWS_MAX = 1000000000, ROW_SIDE_MAX = 1000000, RECIPE_WIDTH_MAX = 8192 };

/* Converts the options of a fit to a config for rows of this shape; checks every name and value. */
puad_status recipe_make(recipe *out, const fit_options *options, shape in, bool image);

/* Whether the method, its network or its objective uses an option of the group METHOD. */
bool recipe_takes(const recipe *out, const char *name);

/* Sets "name=value"; the error message lists the method's options. */
puad_status recipe_set(recipe *out, const char *setting);

struct puad_detector {
    arena memory;
    recipe config;
    shape in;
    bool image;
    float *parameters, *state, *center; /* of the layers that a score needs */
    size_t parameter_count, state_count, center_count;
    ensemble parts;         /* instead of a network */
    transform *table;       /* encodes rows of a file; NULL for float rows. Owned */
    column_profile profile; /* of the table's columns, in `memory`; 0 rows for images */
    float *usual;           /* of the table's columns (typical_values.h), in `memory`; NULL for images */
    float *usual_levels, *usual_amplitudes; /* the same for windows of a time series; else NULL */
    history pretraining, training;
    char *input;              /* input options of the training file; NULL if unknown. Owned */
    char *remark;             /* a string stored for the caller; NULL if none. Owned */
    const char **label_files; /* of answers, as named in `input`; in `memory` */
    size_t label_file_count;
    calibration held_out;  /* unlabeled_count is 0 if there is none */
    warning_list warnings; /* of its training */
    /* Rows with answers of a reviewer that were used in training: indices in the training data, and keys
     * (row_keys.h). In `memory`; 0 if none. */
    uint32_t *answer_rows;
    uint64_t *answer_keys;
    size_t answer_count;
    size_t rows, anomalies, normals;
    size_t best_epoch;
    size_t steps,
        /* steps of training, and those with a negative risk of the unlabeled rows; not stored in files */
        negative_steps;
    double valid_loss, seconds, pretrain_seconds;
    char fingerprint[32]; /* of the training values and labels */
    char version[32];
};

/* Allocates the network's floats; the sizes follow from the config and the shape. */
puad_status model_room(puad_detector *model);
/* Whether a network computes the scores, rather than the parts. */
size_t model_column_count(const puad_detector *model); /* of the training data; 0 for images */
bool model_has_network(const puad_detector *model);

/* Whether alpha is known to somebody; else it is a default. */
/* The default method. */
const char *recipe_default_method(bool image, bool series);
bool recipe_alpha_known(const recipe *config);
/* The single alpha of a network or forest; NaN for forests if alpha is unknown: forests for several values
 * are averaged. */
double recipe_alpha(const recipe *config);
/* Whether the scores depend on alpha. */
bool model_uses_alpha(const puad_detector *model);

puad_status model_architecture(architecture *out, const puad_detector *model);

const puad_detector *scorer_model(const puad_scorer *scorer);
arena *scorer_reading(puad_scorer *scorer);          /* empty memory that the scorer keeps between calls */
struct team *scorer_team(const puad_scorer *scorer); /* NULL: the calling thread alone */

/* transform_fingerprint of the model's encoding, computed once. */
puad_status scorer_encoding(uint64_t *out, puad_scorer *scorer, bool first);

/* Contribution of each value to a row's score, as fractions that sum to 1: for the reconstruction head its
 * part of the squared error, for other heads of a network the magnitude of gradient x input; see
 * ensemble_explain for models without a network. */
puad_status scorer_explain(puad_scorer *scorer, float *shares, const float *row);

/* Number of columns of the embedding, or of the row if there is no network. */
size_t scorer_code_columns(const puad_scorer *scorer);
puad_status scorer_codes(puad_scorer *scorer, float *codes, const float *values, size_t rows);

/* 64-bit hash of every value and label, as a string. */
void rows_fingerprint(char out[32], const train_rows *rows);

/* Trains with the given row numbers, labels and shape: the part of puad_detector_fit after checking. If
 * `shared` holds the result of a pretraining, it is used; if it is empty, it receives the result. */
typedef struct shared_pretraining {
    float *parameters, *state;
    size_t parameter_count, state_count;
    double seconds;
} shared_pretraining;
void shared_pretraining_free(shared_pretraining *owner);

puad_status model_fit(puad_detector **out, const train_rows *rows, bool image, const recipe *config,
                      const fit_options *options, shared_pretraining *shared);

#endif
