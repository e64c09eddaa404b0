/* The first principal axes of many rows by subspace iteration, for rows with too many columns for a
 * covariance matrix. */
#ifndef DETECTOR_ENSEMBLE_LEADING_AXES_H
#define DETECTOR_ENSEMBLE_LEADING_AXES_H

#include "base/memory.h"
#include "base/threads.h"

/* For centered rows: at most `max` axes, as rows of length 1 of `axes` (most x columns), and their
 * variances in descending order; *kept is their number. Approximate: the last axes are mixed with later
 * ones. The same bits for any number of threads. */
puad_status leading_axes(float *axes, double *variances, size_t *kept, const float *rows, size_t count,
                         size_t columns, size_t max, uint64_t seed, team *workers);

#endif
