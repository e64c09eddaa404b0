/* What reasons and columns have in common: the values of a row in the units of the input, and typical ones. */
#ifndef DETECTOR_REASONS_H
#define DETECTOR_REASONS_H

#include "detector/model/model.h"

#include <puad/explain.h>

/* Typical values of a column; NaN and none if the model keeps none. */
void typical_of(puad_typical *out, const puad_detector *model, const transform_column *column);

/* A reason about a column as a whole, without a value. */
puad_reason reason_of(const puad_detector *model, size_t column, double contribution);

/* Sets the value or category, missing and beyond from an encoded row. */
void reason_set_cell(puad_reason *out, const transform_column *column, const float *row);

/* How much of a score comes from one column. In a window: by aspect; of other rows all of it is `level`. */
typedef struct aspect_contributions {
    float shape, level, amplitude;
    size_t step; /* of the window, which contributes most to the shape */
} aspect_contributions;
aspect_contributions aspects_of(const puad_detector *model, const float *encoded, size_t column);

/* "80 (12 to 340)", or "12 to 340" without the median; "home 62%, office 30%". */
void typical_text(char *text, size_t capacity, const puad_typical *of, bool with_median);

#endif
