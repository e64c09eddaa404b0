/* Encoding of a file's values as network inputs, learned from the training rows and saved with the model.
 *
 * Tables. A number x is stored as the float h = (x - pivot) * factor, with pivot and factor chosen to keep
 * the significant digits. h is clipped to [low, high] (see table_learn.c) and becomes scale * (h - mean) /
 * sd: mean 0 and standard deviation TABLE_SCALE over the non-missing training values. A missing number
 * becomes 0. A category becomes one column of 0 and 1 for each of the CATEGORIES_MAX most frequent
 * strings (seen at least twice) and one for all others; a missing one is 0 in all of them. If a training
 * row had a missing value, there is one more column: 1 for missing, else 0. Constant columns are dropped.
 *
 * A number that is not written plainly has a format (cell_format.h). A date has several consecutive
 * columns with the same name, one for each part; the dropped ones imply the type of date.
 *
 * Images are resized to height x width and divided by `divisor`; with a backbone its features are the
 * columns. */
#ifndef TABLE_ENCODING_TRANSFORM_H
#define TABLE_ENCODING_TRANSFORM_H

#include "backbone/backbone.h"
#include "base/json.h"
#include "kernels/encoding.h"
#include "table/cells/cell_format.h"
#include "table/encoding/derived.h"
#include "table/encoding/dictionary.h"

#include <math.h>

enum { CATEGORIES_MAX = 32 };
#define DROPPED_IDENTIFIER "every value occurs only once" /* reason of a dropped column */
/* Standard deviation of encoded numbers: networks start nearly linear and generalize after few steps
 * (docs/research/table-networks.md). */
#define TABLE_SCALE 0.25

typedef enum column_type { COLUMN_NUMBER, COLUMN_CATEGORY, COLUMN_DROPPED } column_type;

typedef struct transform_column {
    const char *name;   /* as in the file; for a part of a date "when (weekday)" */
    const char *source; /* the file's column from which it is computed */
    column_type type;
    const char *reason;             /* why it was dropped */
    cell_form form;                 /* of a number: the format of its cells */
    date_part part;                 /* of a date, which has several consecutive columns with the same name */
    double pivot, factor, mean, sd; /* of a number */
    double low, high, scale;        /* bounds of the numbers as held */
    /* an optional second step (value - shift) / spread, see transform_refit; spread 0 for none */
    double shift, spread;
    dictionary categories; /* by code, in the order of their columns */
    bool rest;             /* one more column for all other strings */
    bool indicator;        /* and a last one that marks missing values */
    size_t first, width;   /* position among the encoded columns */
    size_t place;          /* position in the training file; valid if transform.file_columns is set */
    bool feeds;            /* a derived column uses it; it is read even if it is dropped */
    number_coding coding;  /* of a derived number, applied before pivot and factor */
    /* Facts about the training rows; not stored in a model. */
    bool whole;      /* no number has a fraction */
    size_t distinct; /* distinct strings of a category */
} transform_column;

/* The order of the rows of a time series (series/time_axis.h). */
typedef struct time_axis {
    const char *time, *group; /* columns of the file, or NULL */
    cell_form form;           /* format of the time stamps: plain numbers or dates */
    /* median time between rows, and the gap that starts a new segment; 0 without times */
    double step, gap;
} time_axis;

typedef struct transform {
    arena memory;
    time_axis axis; /* of a time series; else {0} */
    bool image;
    int height, width, channels; /* of the encoded images */
    double divisor;              /* of pixels; 255 for 8-bit ones */
    backbone *backbone;          /* if its features are the columns; else NULL. Owned */
    char decimal;                /* decimal mark of the training file; 0 if it was the only possible one */
    bool named;                  /* match columns by name, otherwise by position */
    size_t input_count;          /* features of the file, including dropped ones */
    size_t column_count;         /* these and the derived columns after them */
    derivation derived;
    /* all columns of the training file, including labels and ids; 0 if there was no file */
    size_t file_columns;
    transform_column *columns;
    size_t encoded; /* number of encoded columns */
    double scale;   /* of all number columns */
} transform;

/* Whether rows are cells of a table rather than images. */
static inline bool transform_of_table(const transform *owner)
{
    return owner && !owner->image;
}

puad_status transform_new(transform **out, size_t column_count);
void transform_free(transform *owner); /* NULL is fine */

/* Whether a column is made from the same file column as its predecessor; the number of source columns; and
 * the source column of column `index`. */
bool transform_goes_on(const transform *owner, size_t index);
size_t transform_sources(const transform *owner);
size_t transform_source_of(const transform *owner, size_t index);

/* Whether the cells of an input column are read: for its encoded columns or for derived ones. */
static inline bool transform_reads(const transform_column *column)
{
    return column->type != COLUMN_DROPPED || column->feeds;
}

/* Whether any column has a format other than plain. */
bool transform_has_forms(const transform *owner);

/* Sets name and source. */
puad_status transform_name(transform *owner, transform_column *column, const char *source, date_part part);

/* Assigns each column its position among the encoded ones; call after the columns have been set. */
void transform_place(transform *owner);

/* Relearns mean and deviation of the numbers from the rows `kept`, and re-encodes all rows of a table.
 * This is a second affine step, so that scoring gives the same bits. Columns and categories are unchanged. */
void transform_refit(transform *owner, float *values, size_t rows, const uint32_t *kept, size_t kept_count);

bool transform_is_refit(const transform *owner);

/* Applies only the second step to a row. */
void transform_second_step(float *row, const transform *owner);

/* The names of the encoded columns: "age", "age is missing", "color=red", "color=(other)"; allocated in
 * `memory`. */
puad_status transform_names(const char ***out, arena *memory, const transform *owner);

/* Writes the encoded columns of one value. A NaN is a missing number; a text is missing as cell_is_missing
 * says. transform_text returns false for a category that was not seen in training. */
/* Returns false for a number outside the column's bounds, which is clipped. */
static inline bool transform_held(float *row, const transform_column *column, float held)
{
    bool missing = held != held;
    double value = missing ? column->mean : (double)held;
    bool below = value<column->low, above = value> column->high;
    if (below) value = column->low;
    if (above) value = column->high;
    float scaled = missing ? 0 : transform_scaled(value, column->mean, column->sd, column->scale);
    if (column->spread > 0 && !missing)
        scaled = transform_scaled((double)scaled, column->shift, column->spread, 1);
    row[column->first] = scaled;
    if (column->indicator) row[column->first + 1] = missing;
    return !below && !above && fabsf(scaled) < (float)ENCODED_MAX;
}
/* Decodes to the column's original unit, rounded to float precision. */
double transform_decoded(const transform_column *column, float encoded);
bool transform_number(float *row, const transform_column *column,
                      double value); /* returns like transform_held */
/* The same for the column's part of a date; `before` is the date of the previous row, or NaN. */
bool transform_dated(float *row, const transform_column *column, double value, double before);
/* CODE_MISSING, CODE_REST or a category */
void transform_code(float *row, const transform_column *column, uint32_t code);
bool transform_text(float *row, const transform_column *column, text_view text);
#define CODE_MISSING UINT32_MAX
#define CODE_REST (UINT32_MAX - 1)

/* One object; the caller deletes it. NULL when memory ran out. */
cJSON *transform_to_json(const transform *owner);
/* The encoding of a number: pivot to spread. */
bool transform_number_to_json(cJSON *object, const transform_column *column);
puad_status transform_number_from_json(transform_column *out, const cJSON *object);

/* `features` is the backbone that the object names, which the encoding then owns too; or NULL. */
puad_status transform_from_json(transform **out, const cJSON *object, backbone *features);

/* A copy that shares the backbone. */
puad_status transform_copy(transform **out, const transform *source);

#endif
