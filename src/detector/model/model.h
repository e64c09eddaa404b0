/* The inside of a trained detector: what it needs to score, and what it knows of its training. */
#ifndef DETECTOR_MODEL_MODEL_H
#define DETECTOR_MODEL_MODEL_H

#include "base/memory.h"
#include "detector/ensemble/ensemble.h"
#include "detector/model/calibration.h"
#include "detector/model/column_profile.h"
#include "detector/model/detectors.h"
#include "detector/network/history.h"
#include "detector/network/trainer.h"
#include "options/option_row.h"
#include "table/encoding/transform.h"

#include "detector/model/fit_options.h"
#include "options/warnings.h"

/* More epochs, or rows in a batch, than this are refused, in a fit and in a file. */
enum { RECIPE_COUNT_MOST = 1000000000 };

/* The most rows, the longest side of a row (columns of a table), and the widest layer of mlp; in a fit and in
 * a file. */
enum { MODEL_ROWS_MOST = 1000000000, ROW_SIDE_MOST = 1000000, RECIPE_WIDTH_MOST = 8192 };

/* How a detector is trained: its kind, with every option given a value. */
#define ALPHA_ASSUMED "assumed" /* alpha_kind where nobody gave or estimated alpha */

typedef struct recipe {
    const detector_kind *kind;
    const puad_objective *trains; /* the kind's, or the caller's own */
    char network[32];
    char alpha_kind[16];
    char own_head[64], own_objective[64]; /* names, where the caller brought its own; else "" */
    head_kind head;
    bool linear_code;
    size_t depth, width, latent; /* 0 from the data */
    size_t window, stride;       /* of a time series: rows of a window, and from one to the next; else 0 */
    double noise;
    double learning_rate, decay;
    augment_kind augment; /* of training images */
    bool drops_suspects;  /* trained twice, see retrain_without_suspects.h */
    double novelty;       /* of the committee: the share of anomalies of a kind not labeled */
    puad_objective_options objective;
    size_t epochs, pretrain_epochs, steps, patience, batch; /* steps: 0 for no limit */
    uint64_t seed;
    bool pretrain_given; /* else as many as epochs, or what a checkpoint has */
    bool sampler_given;
    sampler_kind sampler;
} recipe;

/* Turns the options of a fit into a recipe for rows of this shape; every name and value is checked. */
puad_status recipe_make(recipe *out, const puad_fit_options *options, shape in, bool image);

/* Whether an option of the group METHOD means something to the method, its network or its objective. */
bool recipe_takes(const recipe *out, const char *name);

/* Sets "name=value"; the message lists what the method takes. */
puad_status recipe_set(recipe *out, const char *setting);

struct puad_detector {
    arena memory;
    recipe how;
    shape in;
    bool image;
    float *parameters, *state, *centre; /* of the layers a score needs */
    size_t parameter_count, state_count, centre_count;
    ensemble parts;         /* instead of a network */
    transform *table;       /* what makes rows of a file; NULL when rows come as floats. Owned */
    column_profile profile; /* of the table's columns, in `memory`; 0 rows in older models and for images */
    float *usual; /* of the table's columns (typical_values.h), in `memory`; NULL in older models and for
                     images */
    float *usual_levels, *usual_amplitudes; /* the same of windows of a time series; else NULL */
    history pretraining, training;
    char *input;  /* how the file was read, as the program that read it says; NULL without. Owned */
    char *remark; /* of whoever trained it, for itself; NULL without. Owned */
    const char **label_files; /* of answers, as `input` names them; in `memory` */
    size_t label_file_count;
    calibration held_out;  /* unlabeled_count is 0 without one */
    warning_list warnings; /* of its training */
    /* Rows that somebody was asked about and whose answers were trained with: their numbers in the training
     * data and their keys (row_keys.h). In `memory`; 0 without. */
    uint32_t *answer_rows;
    uint64_t *answer_keys;
    size_t answer_count;
    size_t rows, anomalies, normals;
    size_t best_epoch;
    size_t steps,
        negative_steps; /* of training, and with a negative risk of the unlabeled rows; not kept in files */
    double valid_loss, seconds, pretrain_seconds;
    char fingerprint[32]; /* of the values and labels trained on */
    char version[32];
};

puad_status model_new(puad_detector **out, const recipe *how, shape in, bool image);

/* Room for the network's floats; the sizes follow from the recipe and the shape. */
puad_status model_room(puad_detector *model);
/* Whether a network makes the scores; else the parts do. */
bool model_has_network(const puad_detector *model);

/* Whether alpha is known to somebody; else it is a default. */
/* What is trained where nobody chooses. */
const char *recipe_default_method(bool image);
bool recipe_alpha_known(const recipe *how);

puad_status model_architecture(architecture *out, const puad_detector *model);

const puad_detector *scorer_model(const puad_scorer *scorer);

/* transform_fingerprint of the model's encoding, computed once. */
puad_status scorer_encoding(uint64_t *out, puad_scorer *scorer, bool first);

/* Which values of a row its score is made of, as shares that sum to 1: the reconstruction
 * head's part of the squared error, or the size of gradient x input for the others with a
 * network; see ensemble_explain for those without. Not for forests of older files. */
bool scorer_can_explain(const puad_scorer *scorer);
puad_status scorer_explain(puad_scorer *scorer, float *shares, const float *row);

/* Where the detector sees rows: their codes, or the rows themselves without a network. */
size_t scorer_code_columns(const puad_scorer *scorer);
puad_status scorer_codes(puad_scorer *scorer, float *codes, const float *values, size_t rows);

/* 64 bits of every value and label, as text. */
void rows_fingerprint(char out[32], const train_rows *rows);

/* Training with the row numbers, labels and shape as given: what puad_detector_fit does after checking.
 * `shared` may hold the result of the pre-training, which is then adopted; or is filled with it when it is
 * empty. */
typedef struct shared_pretraining {
    float *parameters, *state;
    size_t parameter_count, state_count;
    double seconds;
} shared_pretraining;
void shared_pretraining_free(shared_pretraining *owner);

puad_status model_fit(puad_detector **out, const train_rows *rows, bool image, const recipe *how,
                      const puad_fit_options *options, team *workers, shared_pretraining *shared);

#endif
