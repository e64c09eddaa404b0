/* The rows that a tree is grown on, drawn again from the same stream whenever needed. */
#ifndef DETECTOR_FOREST_TREE_BAG_H
#define DETECTOR_FOREST_TREE_BAG_H

#include "detector/forest/random_trees.h"

typedef struct tree_bag {
    /* Aligned, so that threads with neighbors in an array write to separate cache lines. */
    _Alignas(MEMORY_ALIGNMENT) uint32_t *numbers; /* rows, positive ones first; they may repeat */
    size_t rows, positives;                       /* number drawn */
    uint32_t *order;                              /* 0, 1, ... negative_count - 1 between two draws */
    uint32_t *swapped;
} tree_bag;

size_t tree_bag_most(const trees_plan *plan); /* maximum number of rows of a bag */
puad_status tree_bag_new(tree_bag *out, const trees_plan *plan, arena *memory);
void tree_bag_draw(tree_bag *bag, const trees_plan *plan, size_t tree);

#endif
