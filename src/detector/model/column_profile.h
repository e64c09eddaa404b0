/* How the training rows of a table were spread, column by column: what rows to score are compared with.
 *
 * Kept for every encoded column: PROFILE_EDGES of its values at even shares of the rows, and the share of
 * rows that are at most so large, once among the unlabeled rows and once among all of them, for new rows may
 * be drawn like either. Missing numbers do not count. And the share of rows in which the column is 1 (of a
 * category or a mark of missing values) or, of a number, exactly 0, which is what a missing one is encoded
 * as. */
#ifndef DETECTOR_MODEL_COLUMN_PROFILE_H
#define DETECTOR_MODEL_COLUMN_PROFILE_H

#include "io/safetensors.h"
#include "table/encoding/transform.h"

enum { PROFILE_EDGES = 16, PROFILED_MOST = 8192 };
typedef enum profile_part { PROFILE_UNLABELED, PROFILE_ALL, PROFILE_PARTS } profile_part;

typedef struct column_profile {
    uint32_t rows;                 /* looked at, of either part at least; 0 where nothing is known */
    float *edges;                  /* columns x PROFILE_EDGES */
    float *through[PROFILE_PARTS]; /* the same: shares of rows */
    float *marked[PROFILE_PARTS];  /* columns: shares of rows */
} column_profile;

/* From rows that have had the first step of `table`; the values kept have had the second too. `labels` may be
 * NULL. */
puad_status column_profile_learn(column_profile *out, arena *memory, const transform *table,
                                 const float *values, const int8_t *labels, size_t rows);

/* Whether a row counts among column_profile.marked, and whether it has a value in the column: for both sides
 * of a comparison. */
bool profile_marks(const transform_column *column, size_t encoded, float value);
bool profile_has_value(const transform_column *column, const float *row);

puad_status column_profile_write(safetensors *file, const column_profile *of, size_t columns);
puad_status column_profile_read(column_profile *out, arena *memory, const safetensors *file, size_t columns);

#endif
