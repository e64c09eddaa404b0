/* Extremely randomized trees (Geurts, Ernst and Wehenkel, 2006) that separate two classes of rows.
 *
 * Every tree is grown on a separate bag: a few hundred of the negative rows, drawn without replacement,
 * and as many positive rows drawn with replacement. At each node some columns get a random threshold each,
 * and the split with the smallest sum of sqrt(positives x negatives) wins. A leaf's value is the fraction
 * of positives among its rows if both classes have equal weight in the bag; a row's score is the mean of
 * its leaves.
 *
 * Trees are stored consecutively in flat arrays, which a model file stores unchanged. The children of a
 * node are adjacent, and a leaf is its own child. */
#ifndef DETECTOR_FOREST_RANDOM_TREES_H
#define DETECTOR_FOREST_RANDOM_TREES_H

#include "base/memory.h"
#include "base/threads.h"

enum { RANDOM_TREES_MAX = 100000, RANDOM_TREES_DEPTH = 16, RANDOM_TREES_DRAWS = 1024 };

/* A node for evaluation, in one piece. A leaf has an infinite threshold and is its own child. */
typedef struct walk_node {
    float threshold;
    uint32_t feature, child;
    float value; /* of a leaf */
} walk_node;

typedef struct random_trees {
    arena memory; /* owns the arrays */
    size_t trees, nodes, columns;
    uint32_t *root;   /* trees + 1: the first node of each tree, and the end */
    int32_t *feature; /* per node: the column that it tests; -1 in a leaf */
    /* per node: rows with a larger value go right; in a leaf its value, in [0, 1], a multiple of
     * SHARE_UNIT */
    float *threshold;
    uint32_t *child; /* per node: index of the left child within the same array; the right one follows it */
    walk_node *walk; /* the nodes in the form for evaluation */
} random_trees;

/* What to grow. Row indices refer to `values`. */
typedef struct trees_plan {
    const float *values;          /* rows x columns, all finite */
    size_t columns, first_column; /* columns before first_column are not tested */
    /* normals: labeled ones, drawn in addition to negatives */
    const uint32_t *positives, *negatives, *normals;
    size_t positive_count, negative_count, normal_count;
    size_t asked_count; /* the last positives were found by asking about rows, and are not a random sample */
    size_t trees, sample; /* sample: negatives per tree */
    size_t leaf;          /* minimum number of rows in a leaf; 0 for 1 */
    bool between_rows;    /* half of the thresholds lie between the values of two random rows of the node */
    uint64_t seed;
    const char *stream; /* name of the random stream */
} trees_plan;

/* The same seed gives the same bits for every number of threads. */
puad_status random_trees_grow(random_trees *out, const trees_plan *plan, team *workers);

/* Appends the first `trees` trees of `more` to `onto`, which may be {0}. */
puad_status random_trees_append(random_trees *onto, const random_trees *more, size_t trees);

void random_trees_score(float *scores, const random_trees *forest, const float *values, size_t rows,
                        team *workers);

/* Out-of-bag scores of the rows `numbers`: only trees that did not train on a row score it; NaN if all
 * did. The forest must be the unchanged result of random_trees_grow with this plan. */
puad_status random_trees_out_of_bag(float *scores, const random_trees *forest, const trees_plan *plan,
                                    const uint32_t *numbers, size_t count, team *workers);

/* For readers of model files: allocates a forest, and checks the arrays after reading. */
puad_status random_trees_new(random_trees *out, size_t trees, size_t nodes, size_t columns);
puad_status random_trees_check(random_trees *forest);

void random_trees_free(random_trees *owner); /* {0} is fine */
#define AUTO_TREES __attribute__((cleanup(random_trees_free)))

#endif
