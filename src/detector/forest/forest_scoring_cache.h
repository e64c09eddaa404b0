/* The forests of a model made ready for scoring many rows (quantized_trees.h): made once by a scorer that is
 * given enough rows to earn the making, for a few milliseconds and about as much memory as the forests have.
 * Scores have the same bits with it and without. */
#ifndef DETECTOR_FOREST_FOREST_SCORING_CACHE_H
#define DETECTOR_FOREST_FOREST_SCORING_CACHE_H

#include "detector/ensemble/ensemble.h"
#include "detector/forest/quantized_trees.h"

/* Rows from which making is worth its time; and, once made, those from which the padding to TREE_ROWS rows
 * costs less than walking (measured with 1 to 500 rows of 8 columns, AVX2 and AVX-512). */
enum { READY_ROWS_LEAST = 512, CODED_TREES_LEAST = 16, CODED_PATHS_LEAST = 48 };

typedef struct ready_trees {
    arena memory;
    tree_codes codes;
    coded_trees isolation, trees; /* without trees where a forest is not there, or is walked faster */
} ready_trees;

puad_status ready_trees_make(ready_trees *out, const ensemble *parts);
void ready_trees_free(ready_trees *owner); /* {0} is fine */

/* The forests' scores of rows; `isolation` and `share` may be NULL where they are not wanted, and so may
 * `ready`. `distance` is the nearest rows' score of each, which the committee's trees look at as one column
 * more. */
puad_status forests_score(float *isolation, float *share, const ensemble *parts, const ready_trees *ready,
                          const float *values, const float *distance, size_t rows, team *workers,
                          arena *scratch);

#endif
