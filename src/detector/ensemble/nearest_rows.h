/* Distance to the nearest of a few rows, averaged over many small samples (Pang, Ting and Albrecht, 2015): an
 * outlier is far from whatever was drawn. Columns are brought to mean 0 and deviation 1 over the unlabeled
 * rows and bounded, so that no single cell decides. */
#ifndef DETECTOR_ENSEMBLE_NEAREST_ROWS_H
#define DETECTOR_ENSEMBLE_NEAREST_ROWS_H

#include "base/memory.h"
#include "base/threads.h"

enum { NEAREST_SETS = 16, NEAREST_SIZE = 32, NEAREST_SETS_MOST = 4096, NEAREST_SIZE_MOST = 4096 };
#define NEAREST_VALUE_MOST 10.0F /* deviations from the mean; what is further away counts as this */

typedef struct nearest_rows {
    arena memory; /* owns the arrays */
    size_t sets, size, columns;
    float *mean, *factor; /* columns: what makes a value comparable; factor 0 where a column is constant */
    float *points;        /* sets x columns x size, as compared */
    uint32_t *drawn;      /* sets x size: the rows drawn; not kept in files */
} nearest_rows;

/* Room for one; for readers of model files, which fill the arrays and call nearest_rows_check. */
puad_status nearest_rows_new(nearest_rows *out, size_t sets, size_t size, size_t columns);
puad_status nearest_rows_check(const nearest_rows *from);

/* Draws from the rows with these numbers. */
puad_status nearest_rows_fit(nearest_rows *out, const float *values, size_t columns, const uint32_t *numbers,
                             size_t count, uint64_t seed);

/* One score per row, the mean distance, larger = more anomalous. `numbers`,
 * where not NULL, are the rows to score, each without the samples it was
 * drawn into (0 if it is in all); only on what nearest_rows_fit made. */
puad_status nearest_rows_score(float *scores, const nearest_rows *from, const float *values,
                               const uint32_t *numbers, size_t rows, team *workers, arena *scratch);

void nearest_rows_free(nearest_rows *owner); /* {0} is fine */
#define AUTO_NEAREST __attribute__((cleanup(nearest_rows_free)))

#endif
