/* The isolation forest (Liu, Ting and Zhou, 2008) with scikit-learn's defaults: 100 trees, each grown on
 * 256 rows drawn without replacement, to a depth of ceil(log2(256)).
 *
 * A tree is stored as a complete binary tree in heap order (the children of node i are 2i+1 and 2i+2); a
 * branch that ends early continues to the left with an infinite threshold. A tree is therefore three flat
 * arrays, which a model file stores unchanged, and evaluation takes the same number of steps for every row
 * and has no branches. */
#ifndef DETECTOR_FOREST_ISOLATION_FOREST_H
#define DETECTOR_FOREST_ISOLATION_FOREST_H

#include "base/memory.h"
#include "base/threads.h"

enum { FOREST_TREES = 100, FOREST_SAMPLE = 256, FOREST_TREES_MAX = 100000, FOREST_SAMPLE_MAX = 65536 };

typedef struct isolation_forest {
    arena memory; /* owns the arrays */
    size_t trees;
    size_t depth;     /* steps from the root to a leaf, at most 16 */
    size_t sample;    /* rows per tree */
    size_t columns;   /* columns of training and scored rows */
    int32_t *feature; /* trees x (2^depth - 1): the column that a node tests */
    float *threshold; /* trees x (2^depth - 1): rows with a larger value go right; +infinity in padding */
    /* trees x 2^depth: path length of a leaf, a multiple of PATH_UNIT, including the average depth of the
     * subtree that was not grown */
    float *path;
} isolation_forest;

/* Allocates a zeroed forest; for readers of model files, which fill the arrays and call
 * isolation_forest_check. */
puad_status isolation_forest_new(isolation_forest *out, size_t trees, size_t depth, size_t sample,
                                 size_t columns);

/* Fails with PUAD_FORMAT if an array has invalid values (a column that does not exist, an infinite path). */
puad_status isolation_forest_check(isolation_forest *forest);

/* Grows `trees` trees on at most `sample` of the rows (rows x columns values, all finite). The same seed
 * gives the same bits for every number of threads. */
puad_status isolation_forest_fit(isolation_forest *out, const float *values, size_t rows, size_t columns,
                                 size_t trees, size_t sample, uint64_t seed, team *workers);

/* One score per row into `scores`: 2^(-mean path / average path of `sample` rows), in (0, 1), larger =
 * more anomalous. */
void isolation_forest_score(float *scores, const isolation_forest *forest, const float *values, size_t rows,
                            team *workers);

/* The divisor of a sum of paths, per tree; 0 if nothing can be isolated. */
double isolation_forest_normal(const isolation_forest *forest);

/* The score of a row with this sum of paths over all trees. */
float isolation_forest_of_sum(const isolation_forest *forest, double sum);

void isolation_forest_free(isolation_forest *owner); /* {0} is fine */
#define AUTO_FOREST __attribute__((cleanup(isolation_forest_free)))

/* Average path length of an unsuccessful search in a binary search tree of `rows` rows: c(n) of the paper. */
double isolation_average_path(size_t rows);

#endif
