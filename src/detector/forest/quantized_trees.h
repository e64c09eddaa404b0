/* Trees of any kind made ready for scoring many rows.
 *
 * The values of a column matter to trees only by the thresholds they exceed, so a value becomes a code, the
 * number of thresholds of that column below it (counted downwards from the largest code, which compares
 * fastest), and a node compares 16-bit codes: 64 rows go through a tree side by side (kernels->tree_sums).
 * The values of leaves are whole multiples of a unit (tree_value), so the sums have the same bits as those of
 * walking row by row.
 *
 * Trees come as nodes in flat arrays: the column a node looks at, or -1 in a leaf; the threshold, or a leaf's
 * value; the left child, behind which the right one lies. */
#ifndef DETECTOR_FOREST_QUANTIZED_TREES_H
#define DETECTOR_FOREST_QUANTIZED_TREES_H

#include "base/memory.h"
#include "kernels/kernels.h"

/* Codes of the values of each column. */
typedef struct tree_codes {
    size_t columns;
    size_t *first; /* columns + 1: where a column's levels begin */
    float *levels; /* in ascending order, each once */
} tree_codes;

typedef struct tree_nodes {
    size_t trees, nodes;
    const uint32_t *root;   /* trees + 1 */
    const int32_t *feature; /* nodes */
    const float *threshold;
    const uint32_t *child;
} tree_nodes;

typedef struct coded_trees {
    size_t trees, largest; /* largest: steps of the largest tree */
    double unit;           /* of the sums */
    uint32_t *step;        /* trees + 1: the first step of each */
    uint16_t *inner;       /* trees: steps that have others below them, which come first */
    uint16_t *first;       /* trees: the value of its leftmost leaf */
    tree_step *steps;
} coded_trees;

/* A leaf's value rounded to a multiple of a unit that all forests of its kind have: shares of 1/2^15, path
 * lengths of 1/2^11. */
#define SHARE_UNIT 0x1p-15
#define PATH_UNIT 0x1p-11
float tree_value(double value, double unit);

/* Whether trees of this size gain by it; larger ones are walked faster. */
bool tree_nodes_fit(const tree_nodes *from);

/* The thresholds of up to two forests. *out has no columns where they are too many for 16 bits. */
puad_status tree_codes_make(tree_codes *out, arena *memory, size_t columns, const tree_nodes *forests,
                            size_t count);

/* Codes of a column's values, `step` apart, of at most TREE_ROWS rows; the places of rows that are missing
 * repeat the last. */
void tree_codes_of(int16_t out[TREE_ROWS], const tree_codes *codes, size_t column, const float *values,
                   size_t step, size_t rows);

puad_status coded_trees_make(coded_trees *out, arena *memory, const tree_codes *codes, const tree_nodes *from,
                             double unit);

/* Adds the values of trees, in units, [begin, end) to sums[0 .. TREE_ROWS). `masks` has room for TREE_ROWS x
 * (largest + 1). */
void coded_trees_add(uint32_t *sums, const coded_trees *trees, size_t begin, size_t end, const int16_t *codes,
                     int16_t *masks);

#endif
