/* Detectors: train one on a dataset, score rows with it, keep it.
 *
 *     puad_options *options = NULL;
 *     puad_detector *model = NULL;
 *     puad_options_new(&options);
 *     puad_options_set(options, "method", "pusvdd");
 *     puad_options_set(options, "calibrate", "0.2");       holds rows out, for decisions
 *     if (puad_detector_fit(&model, data, options) != PUAD_OK ||
 *         puad_detector_save(model, "m.safetensors") != PUAD_OK)
 *         fprintf(stderr, "%s\n", puad_last_error());
 *
 * Ownership: the caller frees what comes back in *out; texts are borrowed from the model. Threads: a detector
 * does not change once it is trained, and any number of threads may share it. A scorer is used by one thread
 * at a time and keeps the memory of a pass: puad_scorer_run and puad_scorer_run_encoded allocate nothing once
 * they have scored as many rows (windows of a time series excepted). In a forked child a scorer starts
 * threads of its own. Texts are UTF-8. */
#ifndef PUAD_DETECTOR_H
#define PUAD_DETECTOR_H

#include <puad/dataset.h>
#include <puad/objective.h>
#include <puad/options.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_scorer puad_scorer;

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

/* Trains again after more is known: what the options do not set is that of `from`, rows that it held out are
 * held out again where they are found, and all answers it was trained with must be among those of `data`
 * (puad_dataset_add_answers), as must be further files it was trained with. With labeled normals the method
 * becomes the one of the same head that uses them. */
PUAD_API puad_status puad_detector_refit(puad_detector **out, const puad_detector *from,
                                         const puad_dataset *data, const puad_options *options);

/* The checks of labels, columns and rows that puad_detector_fit makes before it trains, without training.
 * Warnings go to the callback of the options. It fails where puad_detector_fit would, except that a column
 * that is clearly the label is a warning ("likely_label", the likeliest column first). */
PUAD_API puad_status puad_dataset_check(const puad_dataset *data, const puad_options *options);

/* Options of the group INPUT that are not set become those that the model's training data were read with. */
PUAD_API puad_status puad_options_take_input(puad_options *options, const puad_detector *model);

/* The bytes of a model file (docs/reference/model-format.md) in memory; *out_bytes is freed by puad_bytes_free. */
PUAD_API puad_status puad_detector_save_memory(unsigned char **out_bytes, size_t *out_size,
                                               const puad_detector *model);
PUAD_API puad_status puad_detector_load_memory(puad_detector **out, const unsigned char *bytes, size_t size);
PUAD_API void puad_bytes_free(unsigned char *bytes); /* NULL is fine */

/* What a detector is and what it was trained on. */
typedef struct puad_model_info {
    size_t struct_size;
    const char *method, *title, *network, *head;
    const char *alpha_kind; /* "given", "alpha_U" (estimated), "alpha_all", "assumed"; "" if it uses none */
    const char *version;    /* of the library that trained it */
    const char *remark;     /* of puad_detector_set_remark; or NULL */
    double alpha;           /* NaN if it uses none, or forests for several alphas vote */
    size_t rows, anomalies, normals; /* trained on: all, labeled anomalies, labeled normals */
    size_t height, width, channels;  /* of a row */
    size_t columns;                  /* values that it takes for a row */
    size_t epochs, best_epoch, parameters;
    double valid_loss, seconds, pretrain_seconds; /* times are NaN after loading */
    size_t answers;                               /* rows with answers of a person */
    size_t trees, tree_rows;
    int image;
    size_t compared_rows;  /* of training, that puad_detector_compare uses; 0: it cannot compare */
    size_t window, stride; /* of a time series; else 0 */
    const char *time_column, *series_column; /* or NULL */
    int time_is_date;                        /* 0: time stamps are plain numbers */
    size_t column_count;                     /* for puad_detector_column; 0 of images and unnamed rows */
    size_t warning_count, answer_file_count;
} puad_model_info;
PUAD_API puad_status puad_detector_info(const puad_detector *model, puad_model_info *out);

/* A text of the caller's own, which a model file keeps. NULL takes it back. Not
 * while other threads use the model. */
PUAD_API puad_status puad_detector_set_remark(puad_detector *model, const char *text);

/* What its training warned of. A model file keeps it; NULL behind the last. Borrowed from the model. */
PUAD_API const puad_warning *puad_detector_warning(const puad_detector *model, size_t index);

/* The option it was trained with, as puad_options_set takes it, into text[room]; "" where the option means
 * nothing to it. */
PUAD_API puad_status puad_detector_option(char *text, size_t room, const puad_detector *model,
                                          const char *name);

/* Everything but the weights as one JSON object; freed by puad_text_free. */
PUAD_API puad_status puad_detector_to_json(char **out, const puad_detector *model);
PUAD_API void puad_text_free(char *text); /* NULL is fine */

/* What a detector without a network is made of, a line for each part into text[room]; "" behind the last. */
PUAD_API puad_status puad_detector_part(char *text, size_t room, const puad_detector *model, size_t index);

/* The number of columns of the training data, dropped ones included; 0 for images and for rows without a
 * table. puad_detector_column (<puad/explain.h>) describes each. */
PUAD_API size_t puad_detector_column_count(const puad_detector *model);

/* The files of answers the model was trained with, as far as the program that trained it said. */
PUAD_API const char *puad_detector_answer_file(const puad_detector *model, size_t index);

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

/* A scorer; the detector must outlive it. Of the options it takes "threads" and the head, which is needed for
 * a detector trained with an own one and must have the same name, which is all that a file knows of it. */
PUAD_API puad_status puad_scorer_new(puad_scorer **out, const puad_detector *model,
                                     const puad_options *options);
PUAD_API void puad_scorer_free(puad_scorer *scorer); /* NULL is fine */

/* Scores of all rows of a dataset, larger = more anomalous; `room` is how many scores there is room for, at
 * least the dataset's rows. PUAD_INVALID for rows that were encoded by another encoding than the model's. */
PUAD_API puad_status puad_scorer_run(puad_scorer *scorer, float *scores, size_t room,
                                     const puad_dataset *data);

/* Scores of the rows of a table in memory, without a copy of all of them: they are encoded as the model's
 * rows were (as puad_dataset_from_table does, with the same scores) some thousand at a time. With options
 * they are compared with those of the training, as by a stream: the callback of puad_options_set_warning gets
 * the differences, the note callback odd cells. */
PUAD_API puad_status puad_scorer_run_table(puad_scorer *scorer, float *scores, size_t room,
                                           const puad_table *table, const puad_options *options);

/* Scores of rows x columns numbers that are encoded already. PUAD_NUMERIC when a value is not finite. */
PUAD_API puad_status puad_scorer_run_encoded(puad_scorer *scorer, float *scores, const float *values,
                                             size_t rows, size_t columns);

/* Compares rows that were encoded for the model with those of its training, and tells the callback of
 * puad_options_set_warning where they differ (docs/reference/warnings.md): missing cells, new categories, units, the
 * spread of a column, and with `scores` of all rows, which may be NULL, that of the score. A stream does this
 * by itself. Models of images have nothing to compare with. */
PUAD_API puad_status puad_detector_compare(const puad_detector *model, const puad_dataset *data,
                                           const float *scores, const puad_options *options);

#ifdef __cplusplus
}
#endif
#endif
