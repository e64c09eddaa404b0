/* Shared by reasons and columns: decoded values of a row, and typical values. */
#ifndef DETECTOR_REASONS_H
#define DETECTOR_REASONS_H

#include "detector/model/model.h"

#include <puad/explain.h>

/* Typical values of a column; NaN and none if the model has none. */
void typical_of(puad_typical *out, const puad_detector *model, const transform_column *column);

/* A reason about a whole column, without a value. */
puad_reason reason_of(const puad_detector *model, size_t column, double contribution);

/* Sets the value or category, missing and beyond from an encoded row. */
void reason_set_cell(puad_reason *out, const transform_column *column, const float *row);

/* The contribution of one column to a score, by aspect in a window; for other rows all of it is `level`. */
typedef struct aspect_contributions {
    float shape, level, amplitude;
    size_t step; /* the step of the window that contributes most to the shape */
} aspect_contributions;
aspect_contributions aspects_of(const puad_detector *model, const float *encoded, size_t column);

/* "80 (12 to 340)", or "12 to 340" without the median; "home 62%, office 30%". */
void typical_text(char *text, size_t capacity, const puad_typical *typical, bool with_median);

#endif
