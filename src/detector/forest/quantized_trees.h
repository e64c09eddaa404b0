/* Trees of any kind prepared for scoring many rows.
 *
 * Trees depend on a column's value only through the thresholds that it exceeds. A value is therefore
 * replaced by a code, the number of the column's thresholds below it (counted downwards from the largest
 * code, which compares fastest), and nodes compare 16-bit codes: 64 rows go through a tree at once
 * (kernels->tree_sums). Leaf values are integer multiples of a unit (tree_value), so sums have the same
 * bits as those of row-by-row evaluation.
 *
 * Trees are nodes in flat arrays: the column that a node tests, or -1 in a leaf; the threshold, or a
 * leaf's value; the index of the left child, which the right one follows. */
#ifndef DETECTOR_FOREST_QUANTIZED_TREES_H
#define DETECTOR_FOREST_QUANTIZED_TREES_H

#include "base/memory.h"
#include "kernels/kernels.h"

/* Codes of the values of each column. */
typedef struct tree_codes {
    size_t columns;
    size_t *first; /* columns + 1: offset of each column's levels */
    float *levels; /* ascending and distinct */
} tree_codes;

typedef struct tree_nodes {
    size_t trees, nodes;
    const uint32_t *root;   /* trees + 1 */
    const int32_t *feature; /* one per node */
    const float *threshold;
    const uint32_t *child;
} tree_nodes;

typedef struct coded_trees {
    size_t trees, largest; /* largest: number of steps of the largest tree */
    double unit;           /* of the sums */
    uint32_t *step;        /* trees + 1: the first step of each tree */
    uint16_t *inner;       /* per tree: number of steps that have other steps below them, which come first */
    uint16_t *first;       /* per tree: the value of its leftmost leaf */
    tree_step *steps;
} coded_trees;

/* A leaf's value rounded to a multiple of the unit of its kind of forest: 1/2^15 for fractions, 1/2^11 for
 * path lengths. */
#define SHARE_UNIT 0x1p-15
#define PATH_UNIT 0x1p-11
float tree_value(double value, double unit);

/* Whether quantizing is faster for trees of this size; larger ones are walked. */
bool tree_nodes_fit(const tree_nodes *nodes);

/* The thresholds of up to two forests. *out has no columns if there are too many for 16 bits. */
puad_status tree_codes_make(tree_codes *out, arena *memory, size_t columns, const tree_nodes *forests,
                            size_t count);

/* Codes of a column's values, `step` apart, for at most TREE_ROWS rows; missing rows repeat the last one. */
void tree_codes_of(int16_t out[TREE_ROWS], const tree_codes *codes, size_t column, const float *values,
                   size_t step, size_t rows);

puad_status coded_trees_make(coded_trees *out, arena *memory, const tree_codes *codes,
                             const tree_nodes *nodes, double unit);

/* Adds the values of trees [begin, end), in units, to sums[0 .. TREE_ROWS). `masks` has capacity TREE_ROWS
 * x (largest + 1). */
void coded_trees_add(uint32_t *sums, const coded_trees *trees, size_t begin, size_t end, const int16_t *codes,
                     int16_t *masks);

#endif
