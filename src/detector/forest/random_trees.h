/* Extremely randomised trees (Geurts, Ernst and Wehenkel, 2006) that tell rows of two classes apart.
 *
 * Every tree is grown on a bag of its own: a few hundred of the negative rows, drawn without replacement, and
 * as many draws with replacement of the positive ones. At each node some columns get a random threshold each,
 * and the split that leaves the least sum of sqrt(positives x negatives) wins. A leaf's value is the share of
 * positives among its rows when both classes weigh the same in the bag; a row's score is the mean of its
 * leaves.
 *
 * Trees lie one after another in flat arrays, which a model file stores as they are. The children of a
 * node are neighbours, and a leaf is its own child. */
#ifndef DETECTOR_FOREST_RANDOM_TREES_H
#define DETECTOR_FOREST_RANDOM_TREES_H

#include "base/memory.h"
#include "base/threads.h"

enum { RANDOM_TREES_MOST = 100000, RANDOM_TREES_DEPTH = 16, RANDOM_TREES_DRAWS = 1024 };

/* A node as it is walked, in one piece. A leaf has a threshold that nothing exceeds and is its own child. */
typedef struct walk_node {
    float threshold;
    uint32_t feature, child;
    float value; /* of a leaf */
} walk_node;

typedef struct random_trees {
    arena memory; /* owns the arrays */
    size_t trees, nodes, columns;
    uint32_t *root;   /* trees + 1: the first node of each tree, and the end */
    int32_t *feature; /* nodes: the column a node looks at; -1 in a leaf */
    float *threshold; /* nodes: rows with a larger value go right; in a leaf its value, in [0, 1], a multiple
                         of SHARE_UNIT */
    uint32_t *child;  /* nodes: the left child within the same array; the right one follows it */
    walk_node *walk;  /* nodes: the same once more */
} random_trees;

/* What to grow. Row numbers point into `values`. */
typedef struct trees_plan {
    const float *values; /* rows x columns, all finite */
    size_t columns;
    const uint32_t *positives, *negatives, *normals; /* normals: known ones, drawn in addition to negatives */
    size_t positive_count, negative_count, normal_count;
    size_t trees, sample; /* sample: negatives a tree draws */
    uint64_t seed;
    const char *stream; /* name of the draws */
} trees_plan;

/* The same seed gives the same bits for every number of threads. */
puad_status random_trees_grow(random_trees *out, const trees_plan *plan, team *workers);

/* Puts the first `trees` trees of `more` behind those of `onto`, which may be {0}. */
puad_status random_trees_append(random_trees *onto, const random_trees *more, size_t trees);

void random_trees_score(float *scores, const random_trees *forest, const float *values, size_t rows,
                        team *workers);

/* Scores of the rows `numbers` by those trees alone that were not grown on them; NaN for a row that was in
 * every bag. The forest must be as random_trees_grow made it by this plan. */
puad_status random_trees_out_of_bag(float *scores, const random_trees *forest, const trees_plan *plan,
                                    const uint32_t *numbers, size_t count, team *workers);

/* For readers of model files: room for a forest, and whether what was read into it is one. */
puad_status random_trees_new(random_trees *out, size_t trees, size_t nodes, size_t columns);
puad_status random_trees_check(random_trees *forest);

void random_trees_free(random_trees *owner); /* {0} is fine */
#define AUTO_TREES __attribute__((cleanup(random_trees_free)))

#endif
