/* Principal components: rows are far out by how much of them the components that hold most of the variance
 * of the unlabeled rows do not explain. A plain baseline. Rows are taken as they are encoded, where numbers
 * have one standard deviation; of windows, level and amplitude weigh as they do for every method. */
#ifndef DETECTOR_ENSEMBLE_PCA_H
#define DETECTOR_ENSEMBLE_PCA_H

#include "base/memory.h"
#include "base/threads.h"

#define PRINCIPAL_VARIANCE 0.95      /* that the components kept hold */
enum { PRINCIPAL_SIDE_MOST = 1024 }; /* of rows with more columns, as many rows are looked at */

typedef struct principal {
    arena memory; /* owns the arrays */
    size_t columns, kept;
    float *mean; /* columns */
    float *axes; /* kept x columns, each of length 1 */
} principal;

/* Room for one; for readers of model files, which fill the arrays and call principal_check. */
puad_status principal_new(principal *out, size_t columns, size_t kept);
puad_status principal_check(const principal *from);

/* Learns from the rows with these numbers. At least one direction is left out. */
puad_status principal_fit(principal *out, const float *values, size_t columns, const uint32_t *numbers,
                          size_t count);

/* The length of what the components leave over. */
puad_status principal_score(float *scores, const principal *from, const float *values, size_t rows,
                            team *workers, arena *scratch);

/* The parts of a row's squared score by column, as shares that sum to 1. */
puad_status principal_explain(float *shares, const principal *from, const float *row);

void principal_free(principal *owner); /* {0} is fine */

#endif
