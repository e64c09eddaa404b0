/* Distance to the nearest of a few rows, averaged over many small samples (Pang, Ting and Albrecht, 2015):
 * an outlier is far from every sample. Columns are standardized over the unlabeled rows and clipped, so
 * that no single cell dominates. */
#ifndef DETECTOR_ENSEMBLE_NEAREST_ROWS_H
#define DETECTOR_ENSEMBLE_NEAREST_ROWS_H

#include "base/memory.h"
#include "base/threads.h"

enum { NEAREST_SETS = 16, NEAREST_SIZE = 32, NEAREST_SETS_MAX = 4096, NEAREST_SIZE_MAX = 4096 };
#define NEAREST_VALUE_MAX 10.0F /* values are clipped at this many standard deviations from the mean */

typedef struct nearest_rows {
    arena memory; /* owns the arrays */
    size_t sets, size, columns;
    float *mean, *factor; /* per column: the scaling; factor 0 if the column is constant */
    float *points;        /* sets x columns x size, scaled */
    uint32_t *drawn;      /* sets x size: indices of the drawn rows; not stored in files */
} nearest_rows;

/* Allocates the arrays; for readers of model files, which fill them and call nearest_rows_check. */
puad_status nearest_rows_new(nearest_rows *out, size_t sets, size_t size, size_t columns);
puad_status nearest_rows_check(const nearest_rows *nearest);

/* Draws samples from the rows with these indices. */
puad_status nearest_rows_fit(nearest_rows *out, const float *values, size_t columns, const uint32_t *numbers,
                             size_t count, uint64_t seed);

/* One score per row, the mean distance; larger = more anomalous. `numbers`, if not NULL, are indices of
 * training rows; samples that contain the row are excluded (score 0 if all do). That is possible only
 * after nearest_rows_fit. */
puad_status nearest_rows_score(float *scores, const nearest_rows *nearest, const float *values,
                               const uint32_t *numbers, size_t rows, team *workers, arena *scratch);

void nearest_rows_free(nearest_rows *owner); /* {0} is fine */
#define AUTO_NEAREST __attribute__((cleanup(nearest_rows_free)))

#endif
