/* The one door for users' files: any INPUT of the command line becomes a dataset to learn from, a stream of
 * rows to score, or a profile. Which kind it is tells its content, not its name. */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "dataset/data_options.h"
#include "dataset/dataset.h"
#include "table/encoding/transform.h"
#include "table/profile/profile.h"

/* Rows to learn from, with the transform learned from them, their labels and what the user should know
 * (notes). */
puad_status data_open(dataset *out, const char *path, const data_options *options);

/* The same from arrays in memory, which are borrowed: two dimensions are a table, three or four images. `y`
 * has one label a row, or is NULL. */
struct array;
puad_status data_from_arrays(dataset *out, const struct array *x, const struct array *y, const char *name,
                             const data_options *options);

/* Images in memory, encoded as a model's were; `out` is {0} but for its memory. */
puad_status data_images_for(dataset *out, const struct array *x, const char *name, const transform *how,
                            team *workers);

/* Rows in the order of the file, encoded by a transform that was learned before. */
typedef struct row_source row_source;
typedef struct row_block {
    size_t rows;            /* 0 at the end */
    size_t first_row;       /* rows before this block */
    const float *values;    /* rows x encoded columns; valid until the next call, as all of these */
    const int8_t *labels;   /* or NULL */
    const char *const *ids; /* or NULL */
    const double *times;    /* of a time series; or NULL */
    const uint8_t *regroup; /* of one with groups: whether the row is of another group than the one before */
    const text_view *cells; /* of all columns of the file, rows x row_source_cells; or NULL */
} row_block;

/* Columns are found by name (by place where the model has no names or the file has none); columns that the
 * transform does not know are ignored. Labels are read when options->label_column or y names them. CSV is
 * streamed in constant memory; `how` and the texts of the options must outlive the source. */
puad_status row_source_open(row_source **out, const char *path, const transform *how,
                            const data_options *options);
puad_status row_source_next(row_block *out, row_source *source, size_t rows_most);
const char *row_source_id_name(const row_source *source); /* "file", the id column's name, or NULL */

/* Of each column of the transform whether the input lacks it; NULL where it lacks none. */
const bool *row_source_absent(const row_source *source);
/* The columns it has that the training file had not, and their number. */
const char *const *row_source_added(const row_source *source, size_t *out_count);

/* The columns of the file whose cells come with the rows, and their number: 0 unless the options ask for
 * them. */
const char *const *row_source_cells(const row_source *source, size_t *out_count);

/* What was odd about the rows so far: missing columns, unseen categories, cells that are no numbers. Complete
 * after the last row. */
puad_status row_source_notes(notes *out, const row_source *source);
const unreadable_images *row_source_unreadable(const row_source *source); /* so far; or NULL */
void row_source_free(row_source *source);                                 /* NULL is fine */

/* Writes the encoded columns of a category given as a number, as the text that a CSV file would have for it;
 * false for one that was not seen in training. */
bool transform_number_category(float *row, const transform_column *column, double value);

#endif
