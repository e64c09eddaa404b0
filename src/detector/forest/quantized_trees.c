/* Quantizes thresholds and values, and converts trees to steps. */
#include "detector/forest/quantized_trees.h"
#include "base/sort.h"

#include "detector/ensemble/empirical_tail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 600, CODES_MAX = 65535, TREES_MAX = 65536 }; /* more trees could overflow a sum */

float tree_value(double value, double unit)
{
    return (float)(round(fmin(value / unit, UINT16_MAX)) * unit);
}

bool tree_nodes_fit(const tree_nodes *nodes)
{
    if (nodes->nodes / 2 > STEPS_MAX * nodes->trees) return false;
    for (size_t t = 0; t < nodes->trees; t++)
        if (nodes->root[t + 1] - nodes->root[t] > CODES_MAX) return false;
    return nodes->trees > 0 && nodes->trees <= TREES_MAX;
}

puad_status tree_codes_make(tree_codes *out, arena *memory, size_t columns, const tree_nodes *forests,
                            size_t count)
{
    size_t *first, all = 0, kept = 0;
    float *levels;
    *out = (tree_codes){0};
    if (columns > CODES_MAX) return PUAD_OK;
    for (size_t f = 0; f < count; f++) all += forests[f].nodes;
    TRY(arena_new(memory, &first, columns + 2, sizeof *first));
    TRY(arena_new(memory, &levels, all, sizeof *levels));
    /* Counted one column ahead, so that filling turns each count into the column's offset. */
    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < forests[f].nodes; i++)
            if (forests[f].feature[i] >= 0) first[forests[f].feature[i] + 2]++;
    for (size_t c = 0; c < columns; c++) first[c + 2] += first[c + 1];
    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < forests[f].nodes; i++)
            if (forests[f].feature[i] >= 0)
                levels[first[forests[f].feature[i] + 1]++] = forests[f].threshold[i];
    for (size_t c = 0; c < columns; c++) {
        size_t begin = first[c], end = first[c + 1];
        sort_floats(levels + begin, end - begin);
        first[c] = kept;
        for (size_t i = begin; i < end; i++)
            if (i == begin || levels[i] > levels[kept - 1]) levels[kept++] = levels[i];
        if (kept - first[c] > CODES_MAX) return PUAD_OK;
    }
    first[columns] = kept;
    *out = (tree_codes){columns, first, levels};
    return PUAD_OK;
}

/* The number of levels below each of eight values; the loads of eight searches overlap. */
enum { TOGETHER = 8 };
static void count_below(uint32_t *below, const float *levels, size_t count, const float *values)
{
    uint32_t at[TOGETHER] = {0};
    if (count == 0) {
        memset(below, 0, TOGETHER * sizeof *below);
        return;
    }
    uint32_t left = (uint32_t)count;
    for (; left > 1; left -= left / 2)
        for (int i = 0; i < TOGETHER; i++) at[i] += (levels[at[i] + left / 2 - 1] < values[i]) * (left / 2);
    for (int i = 0; i < TOGETHER; i++) below[i] = at[i] + (levels[at[i]] < values[i]);
}

/* Counted downwards: the fastest comparison in the kernel. */
static int16_t code_of_count(uint32_t below)
{
    return (int16_t)(INT16_MAX - (int32_t)below);
}

void tree_codes_of(int16_t out[TREE_ROWS], const tree_codes *codes, size_t column, const float *values,
                   size_t step, size_t rows)
{
    const float *levels = codes->levels + codes->first[column];
    size_t count = codes->first[column + 1] - codes->first[column];
    for (size_t row = 0; row < TREE_ROWS; row += TOGETHER) {
        float taken[TOGETHER];
        uint32_t below[TOGETHER];
        for (size_t i = 0; i < TOGETHER; i++) taken[i] = values[(row + i < rows ? row + i : rows - 1) * step];
        count_below(below, levels, count, taken);
        for (size_t i = 0; i < TOGETHER; i++) out[row + i] = code_of_count(below[i]);
    }
}

/* A threshold's code: a value exceeds the threshold if the value's code is smaller. */
static int16_t code_of(const tree_codes *codes, size_t column, float threshold)
{
    uint32_t below[TOGETHER];
    float same[TOGETHER];
    for (int i = 0; i < TOGETHER; i++) same[i] = threshold;
    count_below(below, codes->levels + codes->first[column], codes->first[column + 1] - codes->first[column],
                same);
    return code_of_count(below[0]);
}

static bool has_leaves_alone(const tree_nodes *nodes, size_t node)
{
    return nodes->feature[nodes->child[node]] < 0 && nodes->feature[nodes->child[node] + 1] < 0;
}

/* Every node gets the value of the leftmost leaf below it. */
static void make_tree(coded_trees *out, const tree_codes *codes, const tree_nodes *nodes, size_t tree,
                      uint16_t *values)
{
    size_t begin = nodes->root[tree], count = nodes->root[tree + 1] - begin, steps = 0;
    tree_step *to = out->steps + out->step[tree];
    uint16_t *place = values + count; /* index of each node among the steps; leaves come last */
    for (int last = 0; last < 2; last++) {
        for (size_t i = 0; i < count; i++)
            if (nodes->feature[begin + i] >= 0 && has_leaves_alone(nodes, begin + i) == last)
                place[i] = (uint16_t)steps++;
        if (!last) out->inner[tree] = (uint16_t)steps;
    }
    for (size_t i = count; i-- > 0;) {
        if (nodes->feature[begin + i] < 0) {
            place[i] = (uint16_t)steps;
            values[i] = (uint16_t)((double)nodes->threshold[begin + i] / out->unit);
            continue;
        }
        size_t left = nodes->child[begin + i] - begin, column = (size_t)nodes->feature[begin + i];
        values[i] = values[left];
        to[place[i]] =
            (tree_step){code_of(codes, column, nodes->threshold[begin + i]), (uint16_t)column, place[left],
                        place[left + 1], (int16_t)(uint16_t)(values[left + 1] - values[left])};
    }
    out->first[tree] = values[0];
    out->step[tree + 1] = out->step[tree] + (uint32_t)steps;
    if (steps > out->largest) out->largest = steps;
}

puad_status coded_trees_make(coded_trees *out, arena *memory, const tree_codes *codes,
                             const tree_nodes *nodes, double unit)
{
    *out = (coded_trees){.trees = nodes->trees, .unit = unit};
    AUTO_FREE uint16_t *values = NULL;
    size_t max = 0;
    for (size_t t = 0; t < nodes->trees; t++)
        if (nodes->root[t + 1] - nodes->root[t] > max) max = nodes->root[t + 1] - nodes->root[t];
    TRY(memory_new(&values, 2 * max, sizeof *values, "trees"));
    TRY(arena_new(memory, &out->step, nodes->trees + 1, sizeof *out->step));
    TRY(arena_new(memory, &out->first, nodes->trees, sizeof *out->first));
    TRY(arena_new(memory, &out->inner, nodes->trees, sizeof *out->inner));
    TRY(arena_new(memory, &out->steps, nodes->nodes, sizeof *out->steps));
    for (size_t t = 0; t < nodes->trees; t++) make_tree(out, codes, nodes, t, values);
    return PUAD_OK;
}

void coded_trees_add(uint32_t *sums, const coded_trees *trees, size_t begin, size_t end, const int16_t *codes,
                     int16_t *masks)
{
    const kernels *best = kernels_best();
    for (size_t t = begin; t < end; t++)
        best->tree_sums(sums, trees->steps + trees->step[t], trees->inner[t],
                        trees->step[t + 1] - trees->step[t], trees->first[t], codes, masks);
}
