/* Rows to learn from or to score: opened from a file, or made of numbers in memory.
 *
 *     puad_dataset *data = NULL;
 *     puad_dataset_options options = puad_dataset_options_standard();
 *     options.label_column = "label";
 *     if (puad_dataset_open(&data, "train.csv", &options) != PUAD_OK) {
 *         fprintf(stderr, "%s\n", puad_last_error());
 *         return 1;
 *     }
 *     ...
 *     puad_dataset_free(data);
 *
 * What an input may be and how tables are encoded is told in docs/data.md. */
#ifndef PUAD_DATASET_H
#define PUAD_DATASET_H

#include <puad/detector.h>
#include <puad/label.h>
#include <puad/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_dataset puad_dataset;

typedef enum puad_header { PUAD_HEADER_DETECT = 0, PUAD_HEADER_YES, PUAD_HEADER_NO } puad_header;

/* What is known about an input. Texts and lists are borrowed for the time of the call. All zeros are the
 * default. */
typedef struct puad_dataset_options {
    const char *label_column;  /* of CSV: the column with labels, or NULL for none */
    const char *id_column;     /* of CSV: a column that names rows and is no feature in training, or NULL */
    const char *const *ignore; /* of CSV: columns that are no features */
    size_t ignore_count;
    const char *const *categorical; /* of CSV: columns that are categories even if they look like numbers */
    size_t categorical_count;
    const char *const *positive; /* label values of anomalies; none means "1" */
    size_t positive_count;
    const char *const *unlabeled; /* of unlabeled rows; none means "0"; no value is always unlabeled */
    size_t unlabeled_count;
    const char *const *negative; /* of labeled normal rows; none means "-1" */
    size_t negative_count;
    const char *anomalies, *normals; /* more inputs, all rows of which have that label; or NULL */
    const char *x, *y;  /* arrays of an NPZ file, "X" and "y" when NULL; y of NPY and IDX is a file */
    puad_header header; /* of CSV */
    char delimiter;     /* of CSV; 0 detects it */
    char decimal;       /* of CSV: the decimal mark, '.' or ','; 0 detects it, or takes that of the model */
    int threads;        /* 0 for one per processor */
} puad_dataset_options;

PUAD_API puad_dataset_options puad_dataset_options_standard(void);

/* Opens CSV or TSV (plain or gzip, "-" for standard input), NPY, NPZ, IDX, or a folder of PNG and JPEG files.
 * NULL options are the default. The caller frees *out. */
PUAD_API puad_status puad_dataset_open(puad_dataset **out, const char *path,
                                       const puad_dataset_options *options);

/* Opens an input to be scored by `model`, in any of the formats above: its columns are found by name and
 * encoded as those of the training data were, by their means, spreads and categories. (A dataset opened by
 * itself is encoded by its own.) Labels are read when the options name them. PUAD_INVALID for a model that
 * knows of no file, having been trained by puad_detector_fit. */
PUAD_API puad_status puad_dataset_open_for(puad_dataset **out, const puad_detector *model, const char *path,
                                           const puad_dataset_options *options);

/* A table of rows x columns numbers, row after row, NaN where missing; copied. It is encoded like the
 * table of a file: mean 0 and standard deviation 0.25, extreme values bounded (docs/data.md). `labels` has one puad_label a row, or is NULL. */
PUAD_API puad_status puad_dataset_from_floats(puad_dataset **out, const float *values, size_t rows,
                                              size_t columns, const int8_t *labels);

/* Images of 8-bit pixels, rows x height x width x channels (1 or 3), resized to 32 x 32; copied. */
PUAD_API puad_status puad_dataset_from_images(puad_dataset **out, const unsigned char *pixels, size_t rows,
                                              size_t height, size_t width, size_t channels,
                                              const int8_t *labels);

PUAD_API size_t puad_dataset_rows(const puad_dataset *data);

/* Numbers per row as a network takes them; not the columns of the file. */
PUAD_API size_t puad_dataset_columns(const puad_dataset *data);

/* puad_detector_fit on a dataset, whose encoding goes into the model: puad_dataset_open_for and the program
 * `puad score` make rows of other files with it. So do the options it was opened with: the program's `query`
 * and `fit --from` then read a file as this one was read, with its label column and its id column. */
PUAD_API puad_status puad_detector_fit_dataset(puad_detector **out, const puad_dataset *data,
                                               const puad_fit_options *options);

/* Scores of all rows of a dataset; PUAD_INVALID when they are not of the model's shape. */
PUAD_API puad_status puad_scorer_run_dataset(puad_scorer *scorer, float *scores, const puad_dataset *data);

/* The rows as puad_detector_fit takes them; borrowed. */
PUAD_API puad_rows puad_dataset_as_rows(const puad_dataset *data);

/* Height, width and channels of images; 1, 1 and the columns for a table. Any pointer may be NULL. */
PUAD_API void puad_dataset_shape(const puad_dataset *data, int *out_height, int *out_width,
                                 int *out_channels);
PUAD_API int puad_dataset_is_image(const puad_dataset *data);

/* rows x columns numbers; borrowed, as all that follows. */
PUAD_API const float *puad_dataset_values(const puad_dataset *data);
PUAD_API const int8_t *puad_dataset_labels(const puad_dataset *data); /* NULL when there are none */
PUAD_API size_t puad_dataset_count(const puad_dataset *data, puad_label label);
PUAD_API const char *puad_dataset_column_name(const puad_dataset *data, size_t column); /* NULL for images */
PUAD_API const char *puad_dataset_id(const puad_dataset *data,
                                     size_t row); /* id or file name; NULL when there is none */

/* What the user should know about this input, one line each: columns left out, cells that are no numbers ...
 */
PUAD_API size_t puad_dataset_note_count(const puad_dataset *data);
PUAD_API const char *puad_dataset_note(const puad_dataset *data, size_t index);

PUAD_API void puad_dataset_free(puad_dataset *data); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
