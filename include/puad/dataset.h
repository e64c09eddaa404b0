/* Rows to learn from or to score: opened from a file, or made of columns in memory.
 *
 *     puad_table *table = NULL;                       rows as you have them
 *     puad_table_new(&table, rows);
 *     puad_table_add_doubles(table, "amount", amounts, 0);     NaN where missing
 *     puad_table_add_texts(table, "country", countries, 0);    NULL or "" where missing
 *     puad_table_set_labels(table, labels);
 *     puad_dataset_from_table(&data, table, NULL, NULL);   learns how columns are encoded
 *     ...
 *     puad_dataset_from_table(&fresh, other, model, NULL); encodes as the model's rows were
 *
 * A dataset is encoded: numbers have mean 0 and standard deviation 0.25 over the rows it was learned from, a
 * category is a column for each of its texts, and so on (docs/reference/input-formats.md). The encoding goes into a model that
 * is trained on the dataset; a scorer refuses datasets that were encoded by another one.
 *
 * Ownership: a table borrows the arrays added to it, until it is freed; a dataset copies what it needs. What
 * a call returns by pointer is borrowed from the dataset. Threads: a dataset does not change but by
 * puad_dataset_add_answers, and may be shared by threads that only read it. Texts are UTF-8 and end with a
 * NUL. */
#ifndef PUAD_DATASET_H
#define PUAD_DATASET_H

#include <puad/options.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_table puad_table;

/* Columns in memory. Strides are in bytes from one row to the next (or, of a matrix, also from one column to
 * the next); 0 stands for values that lie side by side. Names must differ; NULL makes one up by the place. */
PUAD_API puad_status puad_table_new(puad_table **out, size_t rows);
PUAD_API void puad_table_free(puad_table *table); /* NULL is fine */
PUAD_API puad_status puad_table_add_doubles(puad_table *table, const char *name, const double *values,
                                            ptrdiff_t stride);
PUAD_API puad_status puad_table_add_floats(puad_table *table, const char *name, const float *values,
                                           ptrdiff_t stride);
PUAD_API puad_status puad_table_add_texts(puad_table *table, const char *name, const char *const *texts,
                                          ptrdiff_t stride); /* categories; NULL and "" are missing */
/* `columns` columns at once; row after row when both strides are 0, column after column with a row stride of
 * sizeof(double) and a column stride of rows * sizeof(double). `names` has one a column, or is NULL. */
PUAD_API puad_status puad_table_add_double_matrix(puad_table *table, const char *const *names,
                                                  const double *values, size_t columns, ptrdiff_t row_stride,
                                                  ptrdiff_t column_stride);
PUAD_API puad_status puad_table_add_float_matrix(puad_table *table, const char *const *names,
                                                 const float *values, size_t columns, ptrdiff_t row_stride,
                                                 ptrdiff_t column_stride);
PUAD_API puad_status puad_table_set_labels(puad_table *table,
                                           const int8_t *labels); /* puad_label of each row */
PUAD_API puad_status puad_table_set_ids(puad_table *table, const char *name, const char *const *ids);

/* Makes a dataset of the rows of a table. model, options and errors as in puad_dataset_open. The options
 * "time_column" and "series_column" name columns of a time series, whose rows are in the order of time: strings of dates, or
 * numbers. */
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

/* Makes a dataset of images in memory, resized to 32 x 32, or to the size that `model` takes. A model divides
 * numbers as those of its training were. Errors as in puad_dataset_open.
 * Ownership: the pixels are copied. */
PUAD_API puad_status puad_dataset_from_pixels(puad_dataset **out, const puad_pixels *pixels,
                                              const puad_detector *model, const puad_options *options);

PUAD_API size_t puad_dataset_count(const puad_dataset *data, puad_label label);
PUAD_API const char *puad_dataset_id(const puad_dataset *data,
                                     size_t row); /* id or file name; NULL when there is none */

/* The rows of a dataset as a model takes them. Pointers belong to the dataset. */
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
    const double *times;                 /* of a series: seconds since 1970, or plain numbers; or NULL */
    const unsigned char *segment_starts; /* of a series: 1 for each row that starts a segment; or NULL */
    const float *scores;                 /* of puad_query_choose; NULL before */
    uint64_t encoding;                   /* fingerprint: datasets with equal ones encode rows identically */
    size_t note_count;                   /* for puad_dataset_note */
} puad_dataset_rows_info;
PUAD_API puad_status puad_dataset_info(const puad_dataset *data, puad_dataset_rows_info *out);

/* Returns the name of an encoded value: "country=home"; NULL for images and past the end. */
PUAD_API const char *puad_dataset_column_name(const puad_dataset *data, size_t column);

typedef enum puad_column_kind {
    PUAD_COLUMN_UNUSED, /* does not exist, is not a feature, or is constant and was dropped */
    PUAD_COLUMN_NUMBER,
    PUAD_COLUMN_CATEGORY,
} puad_column_kind;

/* Returns what a column of the input became. */
PUAD_API puad_column_kind puad_dataset_column_kind(const puad_dataset *data, const char *column);

/* The numbers of a column of the input, one per row: as they were read, as far as the encoding keeps them (a float,
 * within the column's bounds), NaN where missing. `rows` is the room in `out`, puad_dataset_rows. */
PUAD_API puad_status puad_dataset_numbers(const puad_dataset *data, const char *column, double *out,
                                          size_t rows);

/* How many rows of a column of numbers are in each of `bins` equal intervals from `from` to `to`; what is beyond is
 * in the first and the last. Labeled anomalies are counted in out_anomalies, all others in out_others, of
 * which only `most` or somewhat more, evenly, are looked at. Missing values are not counted. */
PUAD_API puad_status puad_dataset_bins(const puad_dataset *data, const char *column, double from, double to,
                                       size_t most, size_t *out_others, size_t *out_anomalies, size_t bins);

/* Returns the name of a class; NULL past the end. */
PUAD_API const char *puad_dataset_class_name(const puad_dataset *data, size_t number);

/* Returns a note about the input, one line: columns left out, cells that are not numbers; NULL past the end. */
PUAD_API const char *puad_dataset_note(const puad_dataset *data, size_t index);

#ifdef __cplusplus
}
#endif
#endif
