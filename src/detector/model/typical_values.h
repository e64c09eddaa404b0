/* Typical values of each column among the unlabeled rows, which explanations compare a row with.
 *
 * For every encoded column of a table, in encoded numbers: the 5%, 50% and 95% quantiles of the
 * non-missing values, and the mean, which for the columns of a category is the fraction of rows that have
 * it. At most USUAL_ROWS_MAX evenly spaced rows are used. */
#ifndef DETECTOR_MODEL_TYPICAL_VALUES_H
#define DETECTOR_MODEL_TYPICAL_VALUES_H

#include "io/safetensors.h"
#include "table/encoding/transform.h"

enum { USUAL_ROWS_MAX = 8192 };
typedef enum usual_figure { USUAL_LOW, USUAL_MEDIAN, USUAL_HIGH, USUAL_MEAN, USUAL_FIGURES } usual_figure;

/* USUAL_FIGURES x table->encoded numbers, from rows that have had the table's first step; the results have
 * had the second one too. `labels` may be NULL. *out is NULL if there are no unlabeled rows. */
puad_status usual_learn(float **out, arena *memory, const transform *table, const float *values,
                        const int8_t *labels, size_t rows);

/* Writes and reads a tensor of this name. */
puad_status usual_write(safetensors *file, const char *name, const float *usual, size_t columns);
puad_status usual_read(float **out, arena *memory, const safetensors *file, const char *name, size_t columns);

#endif
