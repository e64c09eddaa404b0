/* The first principal axes of many rows by subspace iteration, where a matrix of all columns is too large. */
#ifndef DETECTOR_ENSEMBLE_LEADING_AXES_H
#define DETECTOR_ENSEMBLE_LEADING_AXES_H

#include "base/memory.h"
#include "base/threads.h"

/* Of rows whose mean is 0, one after another: at most `most` axes, as rows of length 1 of `axes` (most x
 * columns), and their variances, the largest first; *kept says how many there are. Approximate: the last axes
 * are mixed with those that follow them. The same bits for any number of threads. */
puad_status leading_axes(float *axes, double *variances, size_t *kept, const float *rows, size_t count,
                         size_t columns, size_t most, uint64_t seed, team *workers);

#endif
