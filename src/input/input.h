/* Entry point for reading user files: an input becomes a dataset for training, a stream of rows to score,
 * or a profile. Its content, not its name, determines the format. */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "dataset/data_options.h"
#include "dataset/dataset.h"
#include "table/encoding/transform.h"
#include "table/profile/profile.h"

/* Rows for training, with the encoding learned from them, their labels, and notes for the user. */
puad_status data_open(dataset *out, const char *path, const data_options *options);

/* The same from borrowed arrays in memory: two dimensions are a table, three or four are images. `y` has
 * one label per row, or is NULL. */
struct array;
puad_status data_from_arrays(dataset *out, const struct array *x, const struct array *y, const char *name,
                             const data_options *options);

/* Images in memory with a model's encoding; `out` must be {0} except for its memory. */
puad_status data_images_for(dataset *out, const struct array *x, const char *name, const transform *encoding,
                            team *workers);

/* Rows in file order, with an encoding learned earlier. */
typedef struct row_source row_source;
typedef struct row_block {
    size_t rows;            /* 0 at the end */
    size_t first_row;       /* rows before this block */
    const float *values;    /* rows x encoded columns; all pointers are valid until the next call */
    const int8_t *labels;   /* or NULL */
    const char *const *ids; /* or NULL */
    const double *times;    /* of a time series; or NULL */
    /* for a series with groups: 1 if the row's group differs from the previous row's */
    const uint8_t *regroup;
    const uint8_t *breaks;  /* of scored windows: 1 for each row that begins a segment; else NULL */
    const text_view *cells; /* all columns of the file, rows x row_source_cells; or NULL */
} row_block;

/* Columns are matched by name (by position if the model or the file has no names); unknown columns are
 * ignored. Labels are read if options->label_column or y names them. CSV is streamed in constant memory;
 * `encoding` and the strings of the options must outlive the source. */
puad_status row_source_open(row_source **out, const char *path, const transform *encoding,
                            const data_options *options);
puad_status row_source_next(row_block *out, row_source *source, size_t rows_most);
const char *row_source_id_name(const row_source *source); /* "file", the id column's name, or NULL */

/* Per column of the encoding: true if the input lacks it. NULL if none is missing. */
const bool *row_source_absent(const row_source *source);
/* Columns of the input that the training file lacks, and their number. */
const char *const *row_source_added(const row_source *source, size_t *out_count);

/* Columns whose cells are delivered with the rows, and their number: 0 unless the options request cells. */
const char *const *row_source_cells(const row_source *source, size_t *out_count);

/* Notes on the rows read so far: missing columns, unseen categories, cells that are not numbers. Complete
 * after the last row. */
puad_status row_source_notes(notes *out, const row_source *source);
const unreadable_images *row_source_unreadable(const row_source *source); /* so far; or NULL */
void row_source_free(row_source *source);                                 /* NULL is fine */

/* Encodes a numeric category by the string that a CSV file would have for it; false if it was not seen in
 * training. */
bool transform_number_category(float *row, const transform_column *column, double value);

#endif
