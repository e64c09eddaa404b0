/* The distribution of each column over the training rows of a table, for drift checks of scored rows.
 *
 * For every encoded column: PROFILE_EDGES evenly spaced quantiles, and the fraction of rows up to each of
 * them, both among the unlabeled rows and among all of them, because new rows may resemble either. Missing
 * numbers are ignored. In addition the fraction of rows in which the column is 1 (for a category or a
 * missing-value mark) or, for a number, exactly 0, the encoding of a missing one. */
#ifndef DETECTOR_MODEL_COLUMN_PROFILE_H
#define DETECTOR_MODEL_COLUMN_PROFILE_H

#include "io/safetensors.h"
#include "table/encoding/transform.h"

enum { PROFILE_EDGES = 16, PROFILED_MAX = 8192 };
typedef enum profile_part { PROFILE_UNLABELED, PROFILE_ALL, PROFILE_PARTS } profile_part;

typedef struct column_profile {
    uint32_t rows;                 /* number of rows used, at least, in either group; 0 if unknown */
    float *edges;                  /* columns x PROFILE_EDGES */
    float *through[PROFILE_PARTS]; /* the same: cumulative fractions of rows */
    float *marked[PROFILE_PARTS];  /* per column: fraction of rows */
} column_profile;

/* Learns from rows that have had the first step of `table`; the stored values have had the second too.
 * `labels` may be NULL. */
puad_status column_profile_learn(column_profile *out, arena *memory, const transform *table,
                                 const float *values, const int8_t *labels, size_t rows);

/* Whether a row counts in column_profile.marked, and whether it has a value in the column; used for both
 * sides of a comparison. */
bool profile_marks(const transform_column *column, size_t encoded, float value);
bool profile_has_value(const transform_column *column, const float *row);

puad_status column_profile_write(safetensors *file, const column_profile *profile, size_t columns);
puad_status column_profile_read(column_profile *out, arena *memory, const safetensors *file, size_t columns);

#endif
