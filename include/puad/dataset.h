/* Rows for training or scoring, from a file or from columns in memory.
 *
 *     puad_table *table = NULL;
 *     puad_table_new(&table, rows);
 *     puad_table_add_doubles(table, "amount", amounts, 0);     NaN where missing
 *     puad_table_add_texts(table, "country", countries, 0);    NULL or "" where missing
 *     puad_table_set_labels(table, labels);
 *     puad_dataset_from_table(&data, table, NULL, NULL);       learns the encoding of the columns
 *     ...
 *     puad_dataset_from_table(&fresh, other, model, NULL);     uses the encoding of the model
 *
 * A dataset holds encoded rows: numbers have mean 0 and standard deviation 0.25 over the rows the encoding
 * was learned from, a category becomes one column for each of its values, and so on
 * (docs/reference/input-formats.md). A model keeps the encoding it was trained with; a scorer rejects
 * datasets with another encoding.
 *
 * Ownership: a table borrows the arrays added to it until it is freed; a dataset copies them. Threads: a
 * dataset changes only in puad_dataset_add_answers. */
#ifndef PUAD_DATASET_H
#define PUAD_DATASET_H

#include <puad/options.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_table puad_table;

/* Creates a table of `rows` rows without columns.
 * Errors: PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_table_new(puad_table **out, size_t rows);

PUAD_API void puad_table_free(puad_table *table);

/* Add a column of numbers (NaN if missing), or of categories (NULL or "" if missing).
 * name: unique; NULL generates a name from the column index.
 * stride: bytes from one row to the next; 0 means that the values are contiguous.
 * Errors: PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_table_add_doubles(puad_table *table, const char *name, const double *values,
                                            ptrdiff_t stride);
PUAD_API puad_status puad_table_add_floats(puad_table *table, const char *name, const float *values,
                                           ptrdiff_t stride);
PUAD_API puad_status puad_table_add_texts(puad_table *table, const char *name, const char *const *texts,
                                          ptrdiff_t stride);

/* Add `columns` columns of numbers at once.
 * names: one per column; NULL generates them.
 * row_stride, column_stride: bytes from one row and from one column to the next. Both 0: row after row. For
 * column after column pass sizeof(value) and rows * sizeof(value).
 * Errors: PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_table_add_double_matrix(puad_table *table, const char *const *names,
                                                  const double *values, size_t columns, ptrdiff_t row_stride,
                                                  ptrdiff_t column_stride);
PUAD_API puad_status puad_table_add_float_matrix(puad_table *table, const char *const *names,
                                                 const float *values, size_t columns, ptrdiff_t row_stride,
                                                 ptrdiff_t column_stride);

/* Sets the puad_label of each row.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_table_set_labels(puad_table *table, const int8_t *labels);

/* Creates a dataset from a table. model, options and errors as in puad_dataset_open. The options
 * "time_column" and "series_column" name columns of a time series, whose rows must be in time order; times
 * are dates as strings, or numbers. */
PUAD_API puad_status puad_dataset_from_table(puad_dataset **out, const puad_table *table,
                                             const puad_detector *model, const puad_options *options);

typedef enum puad_pixel { PUAD_PIXEL_U8, PUAD_PIXEL_U16, PUAD_PIXEL_FLOAT, PUAD_PIXEL_DOUBLE } puad_pixel;

/* Images of the caller, rows x height x width x channels. 16-bit values are divided by 65535; floats and
 * doubles lie within [0, 1], or within [0, 255] and are divided by 255. With 4 channels the last one is
 * dropped; rows x channels x height x width is recognized too. */
typedef struct puad_pixels {
    size_t struct_size;
    const void *values;
    puad_pixel type;
    size_t rows, height, width, channels;
    const int8_t *labels; /* a puad_label per row; NULL: all unlabeled */
} puad_pixels;

/* Creates a dataset from images in memory, resized to the size that `model` takes, or to 32 x 32 without a
 * model. If the model was trained on divided pixel values, these are divided in the same way. Errors as in
 * puad_dataset_open.
 * Ownership: the pixels are copied. */
PUAD_API puad_status puad_dataset_from_pixels(puad_dataset **out, const puad_pixels *pixels,
                                              const puad_detector *model, const puad_options *options);

/* Returns the number of rows with a label. */
PUAD_API size_t puad_dataset_count(const puad_dataset *data, puad_label label);

/* Returns the id of a row, or the file name of an image; NULL if it has none. */
PUAD_API const char *puad_dataset_id(const puad_dataset *data, size_t row);

/* The encoded rows of a dataset. Pointers belong to the dataset. */
typedef struct puad_dataset_rows_info {
    size_t struct_size;
    size_t columns;       /* encoded values of a row, not columns of the file */
    const float *values;  /* rows x columns */
    const int8_t *labels; /* a puad_label per row; or NULL */
    int image;            /* 1: images of this height, width and channels; else 1, 1 and columns */
    int height, width, channels;
    const char *id_name;                 /* of the id column; or NULL */
    size_t class_count;                  /* classes of the input (folders of images); 0 without */
    const int32_t *classes;              /* the class of each row; or NULL */
    const double *times;                 /* of a time series: seconds since 1970, or plain numbers; else
                                            NULL */
    const unsigned char *segment_starts; /* of a time series: 1 for each row that starts a segment; else
                                            NULL */
    const float *scores;                 /* set by puad_query_choose; else NULL */
    uint64_t encoding;                   /* fingerprint: datasets with equal ones encode rows identically */
    size_t note_count;                   /* for puad_dataset_note */
    size_t rows_read;            /* rows of the input; more than those of the dataset if it is a sample */
    const uint64_t *row_numbers; /* of a sample: the row of the input of each row; else NULL */
} puad_dataset_rows_info;

/* Fills *out with the rows of a dataset.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_dataset_info(const puad_dataset *data, puad_dataset_rows_info *out);

typedef enum puad_column_kind {
    PUAD_COLUMN_UNUSED, /* does not exist, is not a feature, or is constant and was dropped */
    PUAD_COLUMN_NUMBER,
    PUAD_COLUMN_CATEGORY,
} puad_column_kind;

/* Returns how a column of the input is used. */
PUAD_API puad_column_kind puad_dataset_column_kind(const puad_dataset *data, const char *column);

/* Writes the numbers of a column of the input, one per row, in the units of the input: rounded to float and
 * limited to the bounds of the encoding; NaN if missing.
 * out: `rows` numbers, at least puad_dataset_rows.
 * Errors: PUAD_INVALID if the column is not a number. */
PUAD_API puad_status puad_dataset_numbers(const puad_dataset *data, const char *column, double *out,
                                          size_t rows);

/* Counts the rows of a number column in `bins` equal intervals from `start` to `to`; values outside are
 * counted in the first and the last interval, missing ones nowhere. Labeled anomalies go to out_anomalies.
 * Other rows go to out_others; if there are more than `max`, an evenly spaced sample is counted.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_dataset_bins(const puad_dataset *data, const char *column, double start, double to,
                                       size_t max, size_t *out_others, size_t *out_anomalies, size_t bins);

/* Returns the name of a class; NULL past the end. */
PUAD_API const char *puad_dataset_class_name(const puad_dataset *data, size_t number);

/* Returns a note about the input, one line: columns left out, cells that are not numbers; NULL past the end. */
PUAD_API const char *puad_dataset_note(const puad_dataset *data, size_t index);

#ifdef __cplusplus
}
#endif
#endif
