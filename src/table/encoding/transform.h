/* From what a file holds to what a network takes, learned on the training rows and saved with the model.
 *
 * Tables. A number x is held as the float h = (x - pivot) * factor, pivot and factor being chosen so that
 * this keeps the digits that matter, moved to the nearest of low and high where it lies beyond them (see
 * table_learn.c), and becomes scale * (h - mean) / sd: mean 0 and standard deviation TABLE_SCALE over the
 * training rows that have a value. A missing number becomes 0. A category becomes one column of 0 and 1 for
 * each of the CATEGORIES_MOST most frequent texts (seen at least twice) and one for all the others together;
 * a missing one is 0 in all of them. Where a value was missing in a training row there is one more column, 1
 * for missing and 0 else. Columns that tell nothing apart are dropped.
 *
 * A number that is not written plainly has a form (cell_format.h). A date has several columns in a row, one
 * for each part of it, with the same name; which of them are dropped tells their type.
 *
 * Images are resized to height x width and divided by `divisor`; with a backbone its features are the columns. */
#ifndef TABLE_ENCODING_TRANSFORM_H
#define TABLE_ENCODING_TRANSFORM_H

#include "backbone/backbone.h"
#include "base/json.h"
#include "kernels/encoding.h"
#include "table/cells/cell_format.h"
#include "table/encoding/derived.h"
#include "table/encoding/dictionary.h"

#include <math.h>

enum { CATEGORIES_MOST = 32 };
#define DROPPED_IDENTIFIER "every value occurs only once" /* reason of a dropped column */
/* Standard deviation of encoded numbers: networks start near linear and learn with few steps what generalises
 * (docs/research/table-networks.md). */
#define TABLE_SCALE 0.25

typedef enum column_type { COLUMN_NUMBER, COLUMN_CATEGORY, COLUMN_DROPPED } column_type;

typedef struct transform_column {
    const char *name;   /* as in the file; of a part of a date "when (weekday)" */
    const char *source; /* the column of the file that it is made of */
    column_type type;
    const char *reason;             /* why it was dropped */
    cell_form form;                 /* of a number: how its cells are written */
    date_part part;                 /* of a date, which has several columns of the same name in a row */
    double pivot, factor, mean, sd; /* of a number */
    double low, high, scale;        /* bounds of the numbers as held */
    double shift, spread;  /* a second (value - shift) / spread, see transform_refit; spread 0 for none */
    dictionary categories; /* by code: the order of their columns */
    bool rest;             /* a column for all other texts follows the categories' */
    bool indicator;        /* and last the one that marks missing values */
    size_t first, width;   /* its place among the encoded columns */
    size_t place;          /* its place in the training file; known where transform.file_columns is */
    bool feeds;            /* a derived column is computed from it; it is read even if it is dropped */
    number_coding coding;  /* of a derived number, before pivot and factor */
    /* Of the rows it was learned from; a model does not keep them. */
    bool whole;      /* no number has a fraction */
    size_t distinct; /* texts of a category */
} transform_column;

/* How the rows of a time series follow each other (series/time_axis.h). */
typedef struct time_axis {
    const char *time, *group; /* columns of the file, or NULL */
    cell_form form;           /* of the time stamps: plain numbers or dates */
    double step, gap;         /* the usual time between rows, and one that ends a stretch; 0 without times */
} time_axis;

typedef struct transform {
    arena memory;
    time_axis axis; /* of a time series; else {0} */
    bool image;
    int height, width, channels; /* of the images that come out */
    double divisor;              /* of pixels; 255 for 8-bit ones */
    backbone *backbone;          /* of images whose features are the columns; else NULL. Owned */
    char decimal;                /* mark of the training file's numbers; 0 where that was no choice */
    bool named;                  /* columns are found by name; otherwise by their place */
    size_t input_count;          /* features of the file, dropped ones included */
    size_t column_count;         /* these and the derived columns after them */
    derivation derived;
    size_t file_columns; /* all columns of the training file, labels and ids too; 0 if it was none */
    transform_column *columns;
    size_t encoded; /* columns that come out */
    double scale;   /* of every number column */
} transform;

/* Whether rows are cells of a table, not images or features of them. */
static inline bool transform_of_table(const transform *owner)
{
    return owner && !owner->image;
}

puad_status transform_new(transform **out, size_t column_count);
void transform_free(transform *owner); /* NULL is fine */

/* Whether a column is made of the same column of the file as the one before it; how many columns of a file
 * there are; and which of these column `index` is made of. */
bool transform_goes_on(const transform *owner, size_t index);
size_t transform_sources(const transform *owner);
size_t transform_source_of(const transform *owner, size_t index);

/* Whether the cells of an input column are read: for its own encoded columns or for derived ones. */
static inline bool transform_reads(const transform_column *column)
{
    return column->type != COLUMN_DROPPED || column->feeds;
}

/* Whether any column has a form. */
bool transform_has_forms(const transform *owner);

/* Sets name and source. */
puad_status transform_name(transform *owner, transform_column *column, const char *source, date_part part);

/* Gives each column its place among the encoded ones; after the columns have been set. */
void transform_place(transform *owner);

/* Learns mean and deviation of the numbers anew from some of the rows, `kept`, and encodes all rows of a
 * table so: by a second step, so that scoring a row gives the same bits. Which columns and categories there
 * are stays. */
void transform_refit(transform *owner, float *values, size_t rows, const uint32_t *kept, size_t kept_count);

bool transform_is_refit(const transform *owner);

/* The second step alone, of a row that has had the first. */
void transform_second_step(float *row, const transform *owner);

/* The names of the encoded columns: "age", "age is missing", "colour=red", "colour=(other)"; into `memory`.
 */
puad_status transform_names(const char ***out, arena *memory, const transform *owner);

/* Writes the encoded columns of one value. A NaN is a missing number; a text is missing as cell_is_missing
 * says. transform_text returns false for a category that was not seen in training. */
/* Returns false for a number beyond the column's bounds, which counts as the nearest of them. */
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
    return !below && !above && fabsf(scaled) < (float)ENCODED_MOST;
}
/* The number in the units of the file that an encoded one
 * stands for, to the digits that an encoded one has. */
double transform_decoded(const transform_column *column, float encoded);
bool transform_number(float *row, const transform_column *column, double value); /* as transform_held */
/* The same for the part of a date that the column takes; `before` is the date of the row before, or NaN. */
bool transform_dated(float *row, const transform_column *column, double value, double before);
void transform_code(float *row, const transform_column *column, uint32_t code); /* CODE_MISSING, CODE_REST */
bool transform_text(float *row, const transform_column *column, text_view text);
#define CODE_MISSING UINT32_MAX
#define CODE_REST (UINT32_MAX - 1)

/* One object; the caller deletes it. NULL when memory ran out. */
cJSON *transform_to_json(const transform *owner);
/* The encoding of a number: pivot to spread. */
bool transform_number_to_json(cJSON *object, const transform_column *column);
puad_status transform_number_from_json(transform_column *out, const cJSON *object);

/* `features` is the backbone that the object names, of which the transform becomes an owner; or NULL. */
puad_status transform_from_json(transform **out, const cJSON *object, backbone *features);

/* A copy that shares the backbone. */
puad_status transform_copy(transform **out, const transform *from);

#endif
