/* The forests of a model prepared for scoring many rows (quantized_trees.h). A scorer prepares them once
 * if it gets enough rows; this takes a few milliseconds and about as much memory as the forests. Scores
 * have the same bits with and without it. */
#ifndef DETECTOR_FOREST_FOREST_SCORING_CACHE_H
#define DETECTOR_FOREST_FOREST_SCORING_CACHE_H

#include "detector/ensemble/ensemble.h"
#include "detector/forest/quantized_trees.h"

/* Rows from which preparing the trees is faster; and from which prepared trees, which pad to TREE_ROWS
 * rows, are faster than walking (measured with 1 to 500 rows of 8 columns, AVX2 and AVX-512). */
enum { READY_ROWS_MIN = 512, CODED_TREES_MIN = 16, CODED_PATHS_MIN = 48 };

typedef struct ready_trees {
    arena memory;
    tree_codes codes;
    coded_trees isolation, trees; /* without trees if there is no such forest, or walking it is faster */
} ready_trees;

puad_status ready_trees_make(ready_trees *out, const ensemble *parts);
void ready_trees_free(ready_trees *owner); /* {0} is fine */

/* The forests' scores of rows; `isolation` and `share` may be NULL if not needed, and `ready` too.
 * `distance` is the nearest neighbors' score of each row, the additional column of the ensemble's trees. */
puad_status forests_score(float *isolation, float *share, const ensemble *parts, const ready_trees *ready,
                          const float *values, const float *distance, size_t rows, team *workers,
                          arena *scratch);

#endif
