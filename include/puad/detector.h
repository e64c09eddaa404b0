/* Detectors: train again, score many times, inspect, and convert to bytes.
 *
 *     puad_scorer *scorer = NULL;
 *     puad_scorer_new(&scorer, model, NULL);
 *     while (next_batch(&data))
 *         if (puad_scorer_run(scorer, scores, capacity, data) != PUAD_OK) puts(puad_last_error());
 *     puad_scorer_free(scorer);
 *
 * A prepared row is a table of one row: rewrite the buffers that were added to it before each
 * puad_scorer_run_table.
 *
 * Threads: a scorer belongs to one thread at a time and keeps its memory between calls: puad_scorer_run,
 * puad_scorer_run_encoded and puad_scorer_run_table without options allocate nothing once they have scored
 * that many rows, except for windows of a time series. A scorer used in a forked child starts its own threads there. */
#ifndef PUAD_DETECTOR_H
#define PUAD_DETECTOR_H

#include <puad/dataset.h>
#include <puad/objective.h>
#include <puad/options.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_scorer puad_scorer;

/* A custom score head: one score per row from the output of the network, which is that of an autoencoder. */
typedef struct puad_own_head {
    const char *name;
    int reads_code; /* 1: `values` is the embedding; 0: it is the reconstruction */
    /* Returns the score of one row and, unless slopes is NULL, writes d score / d value for all `count`
     * values. conv32 turns a gray image into three channels: then count is 3 x columns, and values[i] belongs
     * to row[i / 3]. Called from several threads at a time. */
    double (*evaluate)(void *context, float *slopes, const float *values, size_t count, const float *row,
                       size_t columns);
    const puad_loss_pair *losses; /* the cost of a score, as a normal row and as an anomaly */
    void *context;
} puad_own_head;

/* Trains again with more labels. Options that are not set keep their value of `source`, and rows that `source`
 * held out are held out again if they are found. With labeled normals the method becomes the one with the
 * same head that uses them.
 * data: must have all answers (puad_dataset_add_answers) and further files that `source` was trained with.
 * Errors: as puad_detector_fit. */
PUAD_API puad_status puad_detector_refit(puad_detector **out, const puad_detector *source,
                                         const puad_dataset *data, const puad_options *options);

/* Checks labels, columns and rows as puad_detector_fit does before it trains, and reports warnings to the
 * callback of the options. A column that is clearly the label is a warning here ("likely_label", the most
 * likely column first) and an error in puad_detector_fit.
 * Errors: as puad_detector_fit. */
PUAD_API puad_status puad_dataset_check(const puad_dataset *data, const puad_options *options);

/* Sets the options of the group INPUT that are not set to the values the training data were read with.
 * Errors: PUAD_MEMORY. */
PUAD_API puad_status puad_options_take_input(puad_options *options, const puad_detector *model);

/* Writes the bytes of the model file (docs/reference/model-format.md) to memory.
 * Errors: PUAD_MEMORY.
 * Ownership: *out_bytes is freed by puad_free. */
PUAD_API puad_status puad_detector_save_memory(unsigned char **out_bytes, size_t *out_size,
                                               const puad_detector *model);

/* Reads a model from the bytes of a model file.
 * Errors: PUAD_FORMAT if they are damaged, PUAD_MEMORY. */
PUAD_API puad_status puad_detector_load_memory(puad_detector **out, const unsigned char *bytes, size_t size);

/* Frees the memory that puad_detector_save_memory and puad_detector_to_json return. */
PUAD_API void puad_free(void *memory);

/* Facts about a detector and its training. */
typedef struct puad_model_info {
    size_t struct_size;
    const char *method, *title, *network, *head;
    const char *alpha_kind; /* "given", "alpha_U" (estimated), "alpha_all" or "assumed"; "" if the method uses
                               no alpha */
    const char *version;    /* of the library that trained it */
    const char *remark;     /* set by puad_detector_set_remark; or NULL */
    double alpha;           /* NaN if the method uses none, or averages forests for several alphas */
    size_t rows, anomalies, normals; /* trained on: all, labeled anomalies, labeled normals */
    size_t height, width, channels;  /* of a row */
    size_t columns;                  /* values that the model takes for a row */
    size_t epochs, best_epoch, parameters;
    double valid_loss, seconds, pretrain_seconds; /* times are NaN after loading */
    size_t answers;                               /* rows labeled by a reviewer */
    size_t trees, tree_rows;
    int image;
    size_t compared_rows;  /* training rows that puad_detector_compare uses; 0: it cannot compare */
    size_t window, stride; /* of a time series; 0 for other data */
    const char *time_column, *series_column; /* or NULL */
    int time_is_date;                        /* 0: time stamps are plain numbers */
    size_t column_count; /* of the training data, including dropped ones, for puad_detector_column
                            (<puad/explain.h>); 0 for images and unnamed columns */
    size_t warning_count;
    size_t pretrain_epochs; /* of pretraining; `epochs` counts those of training */
    int backbone;           /* 1: rows are features of images, for puad_heat_map_read */
} puad_model_info;

/* Fills *out with the facts about a model.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_detector_info(const puad_detector *model, puad_model_info *out);

/* Sets a string that the model file keeps; NULL removes it. No other thread may use the model during the
 * call.
 * Errors: PUAD_MEMORY. */
PUAD_API puad_status puad_detector_set_remark(puad_detector *model, const char *text);

/* Returns a warning emitted during training; model files keep them. NULL past the end. */
PUAD_API const puad_warning *puad_detector_warning(const puad_detector *model, size_t index);

/* Writes the value of an option that the model was trained with, in the form that puad_options_set takes; ""
 * if the option does not apply.
 * Errors: PUAD_INVALID for an unknown option. */
PUAD_API puad_status puad_detector_option(const puad_detector *model, char *text, size_t capacity,
                                          const char *name);

/* Writes everything except the weights as one JSON object.
 * Errors: PUAD_MEMORY.
 * Ownership: *out is freed by puad_free. */
PUAD_API puad_status puad_detector_to_json(char **out, const puad_detector *model);

/* Writes a line about one component of a detector without a network; "" past the end.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_detector_part(const puad_detector *model, char *text, size_t capacity,
                                        size_t index);

typedef struct puad_method {
    size_t struct_size;
    const char *name, *title, *head, *objective;
} puad_method;

typedef struct puad_network {
    size_t struct_size;
    const char *name, *title;
} puad_network;

/* Fill *out with a method or a network. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_method_at(puad_method *out, size_t index);
PUAD_API puad_status puad_network_at(puad_network *out, size_t index);

/* Creates a scorer. The detector must outlive it.
 * options: "threads"; and the head, if the model was trained with a custom one. Only its name is stored in
 * the model, so the names must match.
 * Errors: PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_scorer_new(puad_scorer **out, const puad_detector *model,
                                     const puad_options *options);

PUAD_API void puad_scorer_free(puad_scorer *scorer);

/* Writes the score of each row of a dataset; larger is more anomalous.
 * scores: room for at least puad_dataset_rows(data).
 * Errors: PUAD_INVALID if the rows have another encoding than the model; PUAD_NUMERIC; PUAD_MEMORY. */
PUAD_API puad_status puad_scorer_run(puad_scorer *scorer, float *scores, size_t capacity,
                                     const puad_dataset *data);

/* Writes the scores of the rows of a table, which is encoded a few thousand rows at a time. Scores are the
 * same as with puad_dataset_from_table and puad_scorer_run.
 * options: NULL, or else rows are also compared with those of training: differences go to the warning
 * callback, and notes about invalid cells to the note callback.
 * Errors: as puad_scorer_run. */
PUAD_API puad_status puad_scorer_run_table(puad_scorer *scorer, float *scores, size_t capacity,
                                           const puad_table *table, const puad_options *options);

/* Writes the scores of rows x columns values that are encoded already.
 * Errors: PUAD_INVALID; PUAD_NUMERIC if a value is not finite. */
PUAD_API puad_status puad_scorer_run_encoded(puad_scorer *scorer, float *scores, const float *values,
                                             size_t rows, size_t columns);

/* Compares rows encoded for the model with its training rows and reports differences to the warning callback
 * (docs/reference/warnings.md): missing cells, new categories, units, spread of columns and scores. A stream
 * does this automatically. Models of images have no data to compare with: the call does nothing.
 * scores: of all rows, or NULL.
 * Errors: PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_detector_compare(const puad_detector *model, const puad_dataset *data,
                                           const float *scores, const puad_options *options);

#ifdef __cplusplus
}
#endif
#endif
