/* Principal components: a row's score is the residual after projection on the components that explain most
 * of the variance of the unlabeled rows. A simple baseline. Rows are used as encoded, where numbers have
 * equal standard deviations; in windows, level and amplitude have the same weights as in the other
 * methods. */
#ifndef DETECTOR_ENSEMBLE_PCA_H
#define DETECTOR_ENSEMBLE_PCA_H

#include "base/memory.h"
#include "base/threads.h"

#define PRINCIPAL_VARIANCE 0.95     /* fraction of the variance that the components explain */
enum { PRINCIPAL_SIDE_MAX = 1024 }; /* with more columns, only this many rows are used */

typedef struct principal {
    arena memory; /* owns the arrays */
    size_t columns, kept;
    float *mean; /* one per column */
    float *axes; /* kept x columns, each of length 1 */
} principal;

/* Allocates the arrays; for readers of model files, which fill them and call principal_check. */
puad_status principal_new(principal *out, size_t columns, size_t kept);
puad_status principal_check(const principal *axes);

/* Learns from the rows with these indices. At least one direction is left out. */
puad_status principal_fit(principal *out, const float *values, size_t columns, const uint32_t *numbers,
                          size_t count);

/* The length of the residual. */
puad_status principal_score(float *scores, const principal *axes, const float *values, size_t rows,
                            team *workers, arena *scratch);

/* The fraction of a row's squared score that each column contributes. */
puad_status principal_explain(float *shares, const principal *axes, const float *row);

void principal_free(principal *owner); /* {0} is fine */

#endif
