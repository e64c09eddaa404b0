/* puad: anomaly detection for data that already contains unlabeled anomalies.
 *
 * This header is the simple interface. It trains, saves, loads, scores, explains and decides; the headers
 * included by <puad/advanced.h> add streams, calibration, time series, custom objectives and more.
 *
 *     puad_options *options = NULL;
 *     puad_dataset *train = NULL, *fresh = NULL;
 *     puad_detector *model = NULL;
 *     puad_options_new(&options);
 *     puad_options_set(options, "label_column", "fraud");
 *     puad_dataset_open(&train, "train.csv", NULL, options);
 *     if (puad_detector_fit(&model, train, options) != PUAD_OK) puts(puad_last_error());
 *     puad_detector_save(model, "model.safetensors");
 *     puad_dataset_open(&fresh, "new.csv", model, NULL);
 *     puad_detector_score(model, scores, capacity, fresh);
 *     puad_detector_free(model);
 *     puad_dataset_free(fresh);
 *     puad_dataset_free(train);
 *     puad_options_free(options);
 *
 * examples/first.c is the complete program. These rules hold for every call of the library:
 *
 * Names and order: puad_noun_verb. A call that creates an object has `out` first. Every other call has its
 * object first, then its results, then its inputs; options come last. An array is followed by its capacity
 * (an output) or its count (an input).
 *
 * Errors: a call that can fail returns a puad_status and leaves a message for puad_last_error. A call that
 * creates an object first sets *out to NULL. A NULL argument that is not documented as optional is
 * PUAD_INVALID. A call that returns a value instead of a status returns 0 or NULL for a NULL object.
 *
 * Structs: a struct that starts with struct_size is sized, so that fields can be added at its end. Set
 * struct_size before the call, as in `puad_reason reason = {.struct_size = sizeof reason};`. The call fills
 * as many bytes as the caller's struct has. In an array of such structs set struct_size of the first element
 * only: it is the distance between elements too.
 *
 * Ownership: the caller frees every object it gets by `out`; the _free of NULL does nothing. Pointers in
 * results, and strings that a call returns, belong to the object they were asked of. Arguments are copied or
 * used only during the call. Strings are UTF-8.
 *
 * Threads: a trained detector and an open dataset do not change, and any number of threads may share them.
 * Every other object belongs to one thread at a time. The error message is kept per thread. */
#ifndef PUAD_PUAD_H
#define PUAD_PUAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PUAD_API __attribute__((visibility("default")))
#else
#define PUAD_API
#endif

typedef struct puad_options puad_options;
typedef struct puad_dataset puad_dataset;
typedef struct puad_detector puad_detector;

/* ---- Errors and version ---- */

typedef enum puad_status {
    PUAD_OK = 0,
    PUAD_INVALID,   /* an argument or option is wrong: the caller can correct it */
    PUAD_IO,        /* the system refused to open, read or write a file */
    PUAD_FORMAT,    /* a file is truncated, corrupted or of another format */
    PUAD_MEMORY,    /* out of memory, or a size is too large for this machine */
    PUAD_NUMERIC,   /* a non-finite value occurred, or the trained model failed its sanity checks */
    PUAD_CANCELLED, /* a callback or a stop token ended the call */
} puad_status;

/* Returns the message of the last failure in this thread: one line without a newline, "" if there was none.
 * It names options as in `option 'epochs'`.
 * Ownership: valid until the next failing call in this thread. */
PUAD_API const char *puad_last_error(void);

/* Returns "PUAD_INVALID" and so on; "unknown status" for any other number. */
PUAD_API const char *puad_status_name(puad_status status);

#define PUAD_VERSION_MAJOR 1
#define PUAD_VERSION_MINOR 0
#define PUAD_VERSION_PATCH 0
#define PUAD_VERSION_TEXT "1.0.0"
#define PUAD_VERSION_NUMBER (PUAD_VERSION_MAJOR * 1000000 + PUAD_VERSION_MINOR * 1000 + PUAD_VERSION_PATCH)

/* Returns the version of the linked library, which may be newer than this header: "1.0.0". */
PUAD_API const char *puad_version(void);

/* ---- Options ---- */

/* Creates a set of options, all at their defaults. `puad list options` prints names, types and defaults;
 * puad_option_at (<puad/options.h>) returns them. A call uses the options that concern it and ignores the
 * others; NULL stands for the defaults.
 * Errors: PUAD_MEMORY. */
PUAD_API puad_status puad_options_new(puad_options **out);

/* Sets an option from a string; `value` NULL restores the default. A list option gets this one entry.
 * Errors: PUAD_INVALID for an unknown name or a value out of range; names of columns, methods and files are
 * checked by the call that uses them. */
PUAD_API puad_status puad_options_set(puad_options *options, const char *name, const char *value);

PUAD_API void puad_options_free(puad_options *options);

/* ---- Rows ---- */

/* The label of a row, stored as int8_t. */
typedef enum puad_label {
    PUAD_LABEL_NORMAL = -1,
    PUAD_LABEL_UNLABELED = 0,
    PUAD_LABEL_ANOMALY = 1
} puad_label;

/* Opens CSV or TSV (plain, gzip, Zstandard or xz; "-" for standard input), the first sheet of an Excel
 * workbook (.xlsx), NPY, NPZ, IDX, a folder of CSV files with the same columns, or a folder of images (PNG,
 * JPEG, TIFF, BMP).
 * model: NULL learns the encoding of the columns, for training. Otherwise columns are found by name and
 * encoded as the training data of the model were.
 * options: those of the groups INPUT and MORE ("label_column", "ignore", "id_column" ...), or NULL.
 * Errors: PUAD_IO, PUAD_FORMAT with file and line, PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_dataset_open(puad_dataset **out, const char *path, const puad_detector *model,
                                       const puad_options *options);

/* A matrix of the caller. */
typedef struct puad_array {
    size_t struct_size;
    const double *values; /* rows x columns, row after row; NaN where missing */
    size_t rows, columns;
    const char *const *names; /* one per column, unique; NULL numbers them */
    const int8_t *labels;     /* a puad_label per row; NULL: all unlabeled */
} puad_array;

/* Makes a dataset of a matrix in memory. model, options and errors as in puad_dataset_open. Tables with
 * categories and dates: puad_table_new (<puad/dataset.h>).
 * Ownership: the values are copied. */
PUAD_API puad_status puad_dataset_from_array(puad_dataset **out, const puad_array *array,
                                             const puad_detector *model, const puad_options *options);

/* Returns the number of rows. */
PUAD_API size_t puad_dataset_rows(const puad_dataset *data);

PUAD_API void puad_dataset_free(puad_dataset *data);

/* ---- Train, save, load ---- */

/* Trains a detector. "method" selects it; "calibrate" holds out a fraction of the rows, which
 * puad_detector_decide needs for all but "threshold"; alpha "auto" first estimates the fraction of anomalies
 * among the unlabeled rows. Doubtful labels, columns and models are reported to the warning callback
 * (puad_options_set_warning).
 * options: those of the groups FIT, METHOD and COMMON, or NULL.
 * Errors: PUAD_INVALID for options that do not fit the rows; PUAD_NUMERIC for a useless model, unless "force"
 * is set; PUAD_CANCELLED; PUAD_MEMORY. */
PUAD_API puad_status puad_detector_fit(puad_detector **out, const puad_dataset *data,
                                       const puad_options *options);

/* Writes the model as a safetensors file, completely or not at all.
 * Errors: PUAD_IO, PUAD_MEMORY. */
PUAD_API puad_status puad_detector_save(const puad_detector *model, const char *path);

/* Reads a model file.
 * Errors: PUAD_IO, PUAD_FORMAT for a damaged file, PUAD_MEMORY. */
PUAD_API puad_status puad_detector_load(puad_detector **out, const char *path);

PUAD_API void puad_detector_free(puad_detector *model);

/* ---- Score ---- */

/* Writes the score of each row of `data`; larger is more anomalous. A puad_scorer (<puad/detector.h>) does
 * the same faster for many calls.
 * scores: puad_dataset_rows(data) of them; capacity is how many fit.
 * Errors: PUAD_INVALID for rows that were not encoded for `model`; PUAD_NUMERIC; PUAD_MEMORY. */
PUAD_API puad_status puad_detector_score(const puad_detector *model, float *scores, size_t capacity,
                                         const puad_dataset *data);

/* ---- Explain ---- */

/* A frequent category of a column and its fraction of the unlabeled training rows. */
typedef struct puad_category {
    const char *name;
    double fraction;
} puad_category;

enum { PUAD_TYPICAL_CATEGORIES = 3 };

/* Typical values of a column: quantiles of a number, or the most frequent categories. */
typedef struct puad_typical {
    double low, median, high; /* 5%, 50% and 95% quantiles of the unlabeled training rows; NaN if unknown */
    size_t count;             /* of the entries in `categories` */
    puad_category categories[PUAD_TYPICAL_CATEGORIES]; /* most frequent first */
} puad_typical;

/* What a reason is about. Models of time series see a window of rows: its values relative to their mean, the
 * mean, and the spread. */
typedef enum puad_aspect {
    PUAD_ASPECT_VALUE,
    PUAD_ASPECT_SHAPE,     /* of a window; `step` is the row that contributes most */
    PUAD_ASPECT_LEVEL,     /* of a window: the mean is `value` */
    PUAD_ASPECT_AMPLITUDE, /* of a window: the standard deviation is `value` */
} puad_aspect;

/* How a column that the model adds is computed from the columns `first` and `second` of the input. `first` may be
 * derived itself: "value / quantity". */
typedef enum puad_derivation {
    PUAD_DERIVED_NOT,
    PUAD_DERIVED_COUNT,            /* training rows with the category of `second`; `first` is NULL */
    PUAD_DERIVED_GROUP_RATIO,      /* `first` divided by its median in rows with the category of `second` */
    PUAD_DERIVED_GROUP_DIFFERENCE, /* `first` minus that median */
    PUAD_DERIVED_RATIO,
    PUAD_DERIVED_DIFFERENCE,
    PUAD_DERIVED_TIME /* from the date `second` to the date `first`, in seconds */
} puad_derivation;

/* One column's part in the score of a row. Numbers are in the units of the input; unknown ones are NaN. */
typedef struct puad_reason {
    size_t struct_size;
    const char *column;  /* name in the input; NULL for a pixel or an unnamed value */
    size_t index;        /* of the column in the training data; of the value if `column` is NULL */
    double contribution; /* fraction of the score; the reasons of a row add up to at most 1 */
    puad_aspect aspect;
    int missing;          /* 1: the cell is empty */
    int beyond;           /* 1 or -1: the cell may hold any number at least, or at most, `value` */
    double value;         /* of a number */
    const char *category; /* of a category; "(other)" if it is rare or was not seen in training; else NULL */
    puad_typical typical;
    size_t x, y;        /* of a pixel */
    size_t step, steps; /* of a window: from 0, and how many rows it has */
    puad_derivation derivation;
    const char *first, *second; /* columns that a derived column is computed from; else NULL */
} puad_reason;

/* Writes the columns that contribute to the score of one row, the largest contribution first.
 * reasons: `capacity` of them, the first with its struct_size set; *out_count of them are filled.
 * Errors: PUAD_INVALID for a method that cannot explain, or rows not encoded for `model`; PUAD_MEMORY.
 * Ownership: strings belong to `model`. */
PUAD_API puad_status puad_detector_explain(const puad_detector *model, puad_reason *reasons, size_t capacity,
                                           size_t *out_count, const puad_dataset *data, size_t row);

typedef enum puad_reason_part {
    PUAD_REASON_ALL,     /* "amount=9120 (usual 12 to 340) 0.520" */
    PUAD_REASON_VALUE,   /* "9120", "9120 or more", "home", "(missing)" */
    PUAD_REASON_TYPICAL, /* "80 (12 to 340)", "home 62%, office 30%"; "" if unknown */
} puad_reason_part;

/* Formats a reason, or a part of it, for people; `text` is always terminated.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_reason_text(const puad_reason *reason, char *text, size_t capacity,
                                      puad_reason_part part);

/* ---- Decide ---- */

/* The decision about one row. */
typedef struct puad_decision {
    size_t struct_size;
    double p;           /* p-value against held-out unlabeled rows; NaN without them */
    double probability; /* that the row is an anomaly; NaN if alpha is unknown */
    int flagged;        /* 1: treat the row as an anomaly */
} puad_decision;

/* Decides about the rows of one batch from their scores.
 * decisions: `rows` of them, the first with its struct_size set.
 * options: one of "fdr" (expected fraction of false alarms among flagged rows), "flag_rate" (fraction of rows
 * to flag) and "threshold"; with none, no row is flagged. "p_values" and "alpha" refine them.
 * Errors: PUAD_INVALID if the model holds out no rows and the options need them; PUAD_NUMERIC for a score
 * that is NaN; PUAD_MEMORY. */
PUAD_API puad_status puad_detector_decide(const puad_detector *model, puad_decision *decisions,
                                          const float *scores, size_t rows, const puad_options *options);

#ifdef __cplusplus
}
#endif
#endif
