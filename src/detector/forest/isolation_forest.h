/* The isolation forest (Liu, Ting and Zhou, 2008) with the settings scikit-learn made common: 100 trees, each
 * grown on 256 rows drawn without replacement, to a depth of ceil(log2(256)).
 *
 * A tree is stored as a complete binary tree in heap order (the children of node i are 2i+1 and 2i+2); a
 * branch that ended early goes on to the left with a threshold no value exceeds. So a tree is three flat
 * arrays without pointers, which a model file stores as they are, and a walk takes the same number of steps
 * for every row and has no branches. */
#ifndef DETECTOR_FOREST_ISOLATION_FOREST_H
#define DETECTOR_FOREST_ISOLATION_FOREST_H

#include "base/memory.h"
#include "base/threads.h"

enum { FOREST_TREES = 100, FOREST_SAMPLE = 256, FOREST_TREES_MOST = 100000, FOREST_SAMPLE_MOST = 65536 };

typedef struct isolation_forest {
    arena memory; /* owns the arrays */
    size_t trees;
    size_t depth;     /* steps from the root to a leaf, at most 16 */
    size_t sample;    /* rows each tree was grown on */
    size_t columns;   /* of the rows it was grown on and scores */
    int32_t *feature; /* trees x (2^depth - 1): the column a node looks at */
    float *threshold; /* trees x (2^depth - 1): rows with a larger value go right; +infinity in padding */
    float *path; /* trees x 2^depth: path length of a leaf, a multiple of PATH_UNIT, with the average depth of
                    the tree not grown below it */
} isolation_forest;

/* Room for a forest, all zero; for readers of model files, which fill the arrays and call
 * isolation_forest_check. */
puad_status isolation_forest_new(isolation_forest *out, size_t trees, size_t depth, size_t sample,
                                 size_t columns);

/* Fails with PUAD_FORMAT when an array holds what no fit makes (a column that does not exist, a path not
 * finite). */
puad_status isolation_forest_check(isolation_forest *forest);

/* Grows `trees` trees on at most `sample` of the rows (rows x columns values, all finite). The same seed
 * gives the same bits for every number of threads. */
puad_status isolation_forest_fit(isolation_forest *out, const float *values, size_t rows, size_t columns,
                                 size_t trees, size_t sample, uint64_t seed, team *workers);

/* One score per row into `scores`: 2^(-mean path / average path of `sample` rows), in (0, 1), larger = more
 * anomalous. */
void isolation_forest_score(float *scores, const isolation_forest *forest, const float *values, size_t rows,
                            team *workers);

/* What a sum of paths is divided by, for each tree; 0 where nothing can be isolated. */
double isolation_forest_normal(const isolation_forest *forest);

/* The score of a row whose paths in all trees sum up to `sum`. */
float isolation_forest_of_sum(const isolation_forest *forest, double sum);

void isolation_forest_free(isolation_forest *owner); /* {0} is fine */
#define AUTO_FOREST __attribute__((cleanup(isolation_forest_free)))

/* Average path length of an unsuccessful search in a binary search tree of `rows` rows: c(n) of the paper. */
double isolation_average_path(size_t rows);

#endif
