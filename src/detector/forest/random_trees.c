/* Grows extremely randomized trees. Each tree draws from a separate stream, so results do not depend on
 * the threads. */
#include "detector/forest/random_trees.h"

#include "base/rng.h"
#include "detector/forest/quantized_trees.h"
#include "detector/forest/tree_bag.h"

#include <math.h>
#include <string.h>

void random_trees_free(random_trees *owner)
{
    arena_free(&owner->memory);
    *owner = (random_trees){0};
}

puad_status random_trees_new(random_trees *out, size_t trees, size_t nodes, size_t columns)
{
    *out = (random_trees){0};
    if (trees < 1 || trees > RANDOM_TREES_MAX)
        FAIL(PUAD_INVALID, "%zu trees: expected 1 to %d", trees, RANDOM_TREES_MAX);
    if (nodes < trees || nodes > INT32_MAX) FAIL(PUAD_INVALID, "%zu nodes in %zu trees", nodes, trees);
    if (columns < 1 || columns > INT32_MAX)
        FAIL(PUAD_INVALID, "%zu columns: expected 1 to %d", columns, INT32_MAX);
    AUTO_TREES random_trees forest = {.trees = trees, .nodes = nodes, .columns = columns};
    TRY(arena_new(&forest.memory, &forest.root, trees + 1, sizeof *forest.root));
    TRY(arena_new(&forest.memory, &forest.feature, nodes, sizeof *forest.feature));
    TRY(arena_new(&forest.memory, &forest.threshold, nodes, sizeof *forest.threshold));
    TRY(arena_new(&forest.memory, &forest.child, nodes, sizeof *forest.child));
    TRY(arena_new(&forest.memory, &forest.walk, nodes, sizeof *forest.walk));
    *out = forest;
    forest = (random_trees){0};
    return PUAD_OK;
}

static void make_walk(random_trees *forest)
{
    for (size_t i = 0; i < forest->nodes; i++) {
        bool leaf = forest->feature[i] < 0;
        forest->walk[i] = (walk_node){.threshold = leaf ? INFINITY : forest->threshold[i],
                                      .feature = leaf ? 0 : (uint32_t)forest->feature[i],
                                      .child = forest->child[i],
                                      .value = leaf ? forest->threshold[i] : 0};
    }
}

/* Memory for growing one tree; one per thread. */
typedef struct grower {
    tree_bag bag;
    size_t columns, tries, leaf;
    bool between_rows;
    float *values;         /* of the bag, by column: columns x rows */
    uint32_t *rows;        /* indices in the bag, grouped by node */
    int32_t *columns_left; /* a permutation of the columns; the first ones are constant within the node */
    rng draws;
    uint32_t used; /* number of nodes so far */
    int32_t *feature;
    float *threshold;
    uint32_t *child;
} grower;

typedef struct split {
    int32_t column; /* -1 for none */
    float threshold;
    double impurity;
} split;

static double impurity(size_t positives, size_t negatives)
{
    return sqrt((double)positives * (double)negatives);
}

/* The range of a column over the rows of a node. */
static void range_of(const grower *tree, const float *column, size_t begin, size_t end, float *min,
                     float *max)
{
    float low = INFINITY, high = -INFINITY;
    for (size_t i = begin; i < end; i++) {
        float value = column[tree->rows[i]];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    *min = low;
    *max = high;
}

/* Evaluates one random threshold of a column. Indices below bag.positives are positive rows. */
static void try_threshold(const grower *tree, split *best, int32_t column, size_t begin, size_t end,
                          size_t positives, float threshold)
{
    const float *values = tree->values + (size_t)column * tree->bag.rows;
    size_t left = 0, left_positives = 0;
    for (size_t i = begin; i < end; i++) {
        uint32_t row = tree->rows[i];
        size_t goes = !(values[row] > threshold);
        left += goes;
        left_positives += goes & (row < tree->bag.positives);
    }
    if (left < tree->leaf || end - begin - left < tree->leaf) return;
    size_t negatives = end - begin - positives, left_negatives = left - left_positives;
    double found = impurity(left_positives, left_negatives) +
                   impurity(positives - left_positives, negatives - left_negatives);
    if (found < best->impurity) *best = (split){column, threshold, found};
}

/* Uniform between the extremes, or between the values of two random rows: in a column with a heavy tail nearly
 * all rows are in a small part of the range. */
static float draw_threshold(grower *tree, int32_t column, size_t begin, size_t end, float min, float max)
{
    const float *values = tree->values + (size_t)column * tree->bag.rows;
    if (tree->between_rows && rng_below(&tree->draws, 2)) {
        min = values[tree->rows[begin + (size_t)rng_below(&tree->draws, end - begin)]];
        max = values[tree->rows[begin + (size_t)rng_below(&tree->draws, end - begin)]];
    }
    return (float)(min + rng_uniform(&tree->draws) * ((double)max - min));
}

/* Constant columns move to the front, where the subtree does not draw them again; a sibling's subtree
 * permutes only columns after its own front. */
static split find_split(grower *tree, size_t begin, size_t end, size_t positives, size_t *constants)
{
    split best = {.column = -1, .impurity = INFINITY};
    int32_t *left = tree->columns_left;
    size_t next = *constants;
    for (size_t tried = 0; tried < tree->tries && next < tree->columns; next++) {
        size_t place = next + (size_t)rng_below(&tree->draws, tree->columns - next);
        int32_t column = left[place];
        left[place] = left[next];
        left[next] = column;
        float min, max;
        range_of(tree, tree->values + (size_t)column * tree->bag.rows, begin, end, &min, &max);
        if (!(max > min)) {
            left[next] = left[*constants];
            left[*constants] = column;
            (*constants)++;
            continue;
        }
        float threshold = draw_threshold(tree, column, begin, end, min, max);
        if (!(threshold < max)) threshold = min; /* after rounding, both sides must keep a row */
        try_threshold(tree, &best, column, begin, end, positives, threshold);
        tried++;
    }
    return best;
}

static size_t divide(grower *tree, const split *rule, size_t begin, size_t end)
{
    const float *values = tree->values + (size_t)rule->column * tree->bag.rows;
    while (begin < end) {
        uint32_t row = tree->rows[begin];
        if (!(values[row] > rule->threshold)) {
            begin++;
            continue;
        }
        tree->rows[begin] = tree->rows[--end];
        tree->rows[end] = row;
    }
    return begin;
}

/* The fraction of positives if both classes have equal weight in the bag. */
static float leaf_value(const tree_bag *bag, size_t positives, size_t negatives)
{
    double weighted = (double)positives * (double)(bag->rows - bag->positives) / (double)bag->positives;
    return (float)(weighted / (weighted + (double)negatives));
}

static void grow_node(grower *tree, uint32_t node, size_t level, size_t begin, size_t end, size_t constants)
{
    size_t positives = 0;
    for (size_t i = begin; i < end; i++) positives += tree->rows[i] < tree->bag.positives;
    split found = {.column = -1};
    if (level < RANDOM_TREES_DEPTH && positives > 0 && positives < end - begin)
        found = find_split(tree, begin, end, positives, &constants);
    tree->feature[node] = found.column;
    if (found.column < 0) {
        tree->threshold[node] =
            tree_value(leaf_value(&tree->bag, positives, end - begin - positives), SHARE_UNIT);
        tree->child[node] = node;
        return;
    }
    size_t middle = divide(tree, &found, begin, end);
    uint32_t child = tree->used;
    tree->used += 2;
    tree->threshold[node] = found.threshold;
    tree->child[node] = child;
    grow_node(tree, child, level + 1, begin, middle, constants);
    grow_node(tree, child + 1, level + 1, middle, end, constants);
}

typedef struct growing {
    const trees_plan *plan;
    grower *growers; /* one per thread */
    size_t nodes;    /* capacity of a tree */
    uint32_t *used;  /* number of nodes of each tree */
    /* Each tree at a multiple of `nodes`; child indices are relative to its root. */
    int32_t *feature;
    float *threshold;
    uint32_t *child;
} growing;

/* Copies the rows of a bag to columns. Tiled: with thousands of columns, consecutive values of a column
 * are far apart in memory, and each would load a cache line. */
static void copy_columns(float *out, const trees_plan *plan, const uint32_t *numbers, size_t rows)
{
    enum { TILE = 16, WIDTH = 128 };
    size_t columns = plan->columns;
    for (size_t i = 0; i < rows; i += TILE) {
        size_t rows_end = i + TILE < rows ? i + TILE : rows;
        for (size_t c = plan->first_column; c < columns; c += WIDTH) {
            size_t end = c + WIDTH < columns ? c + WIDTH : columns;
            for (size_t row = i; row < rows_end; row++) {
                const float *source = plan->values + (size_t)numbers[row] * columns;
                for (size_t column = c; column < end; column++) out[column * rows + row] = source[column];
            }
        }
    }
}

static void grow_tree(void *context, size_t item, int thread)
{
    growing *all = context;
    const trees_plan *plan = all->plan;
    grower *tree = &all->growers[thread];
    tree_bag_draw(&tree->bag, plan, item);
    size_t rows = tree->bag.rows, columns = plan->columns;
    copy_columns(tree->values, plan, tree->bag.numbers, rows);
    for (size_t i = 0; i < rows; i++) tree->rows[i] = (uint32_t)i;
    for (size_t c = 0; c < columns; c++) tree->columns_left[c] = (int32_t)c;
    tree->draws = rng_make(plan->seed, rng_stream(plan->stream, 2 * item + 1));
    tree->feature = all->feature + item * all->nodes;
    tree->threshold = all->threshold + item * all->nodes;
    tree->child = all->child + item * all->nodes;
    tree->used = 1;
    grow_node(tree, 0, 0, 0, rows, plan->first_column); /* as if these were constant */
    all->used[item] = tree->used;
}

/* Moves the trees to adjacent positions. */
static puad_status pack(random_trees *out, const growing *all)
{
    size_t nodes = 0, trees = all->plan->trees;
    for (size_t t = 0; t < trees; t++) nodes += all->used[t];
    TRY(random_trees_new(out, trees, nodes, all->plan->columns));
    for (size_t t = 0; t < trees; t++) {
        size_t start = t * all->nodes, to = out->root[t], count = all->used[t];
        memcpy(out->feature + to, all->feature + start, count * sizeof *out->feature);
        memcpy(out->threshold + to, all->threshold + start, count * sizeof *out->threshold);
        for (size_t i = 0; i < count; i++) out->child[to + i] = all->child[start + i] + (uint32_t)to;
        out->root[t + 1] = (uint32_t)(to + count);
    }
    make_walk(out);
    return PUAD_OK;
}

puad_status random_trees_grow(random_trees *out, const trees_plan *plan, team *workers)
{
    *out = (random_trees){0};
    if (plan->positive_count == 0 || plan->negative_count + plan->normal_count == 0)
        FAIL(PUAD_INVALID, "trees need rows of both classes");
    AUTO_ARENA arena scratch = {0};
    size_t bag = tree_bag_most(plan), threads = (size_t)team_size(workers);
    growing all = {.plan = plan, .nodes = 2 * bag};
    size_t capacity;
    if (!size_multiply(&capacity, plan->trees, all.nodes))
        FAIL(PUAD_MEMORY, "%zu trees are too many", plan->trees);
    TRY(arena_new(&scratch, &all.feature, capacity, sizeof *all.feature));
    TRY(arena_new(&scratch, &all.threshold, capacity, sizeof *all.threshold));
    TRY(arena_new(&scratch, &all.child, capacity, sizeof *all.child));
    TRY(arena_new(&scratch, &all.used, plan->trees, sizeof *all.used));
    TRY(arena_new(&scratch, &all.growers, threads, sizeof *all.growers));
    size_t tries = (size_t)lround(2 * sqrt((double)(plan->columns - plan->first_column)));
    for (size_t i = 0; i < threads; i++) {
        grower *tree = &all.growers[i];
        *tree = (grower){.columns = plan->columns,
                         .tries = tries < 1 ? 1 : tries,
                         .leaf = plan->leaf,
                         .between_rows = plan->between_rows};
        TRY(tree_bag_new(&tree->bag, plan, &scratch));
        TRY(arena_new(&scratch, &tree->values, bag * plan->columns, sizeof *tree->values));
        TRY(arena_new(&scratch, &tree->rows, bag, sizeof *tree->rows));
        TRY(arena_new(&scratch, &tree->columns_left, plan->columns, sizeof *tree->columns_left));
    }
    TRY(team_run_until_stopped(workers, plan->trees, grow_tree, &all));
    return pack(out, &all);
}

puad_status random_trees_append(random_trees *onto, const random_trees *more, size_t trees)
{
    AUTO_TREES random_trees both = {0};
    size_t before = onto->nodes, added = more->root[trees];
    TRY(random_trees_new(&both, onto->trees + trees, before + added, more->columns));
    if (before) {
        memcpy(both.root, onto->root, (onto->trees + 1) * sizeof *both.root);
        memcpy(both.feature, onto->feature, before * sizeof *both.feature);
        memcpy(both.threshold, onto->threshold, before * sizeof *both.threshold);
        memcpy(both.child, onto->child, before * sizeof *both.child);
    }
    memcpy(both.feature + before, more->feature, added * sizeof *both.feature);
    memcpy(both.threshold + before, more->threshold, added * sizeof *both.threshold);
    for (size_t i = 0; i < added; i++) both.child[before + i] = more->child[i] + (uint32_t)before;
    for (size_t t = 0; t <= trees; t++) both.root[onto->trees + t] = more->root[t] + (uint32_t)before;
    make_walk(&both);
    random_trees_free(onto);
    *onto = both;
    both = (random_trees){0};
    return PUAD_OK;
}

puad_status random_trees_check(random_trees *forest)
{
    if (forest->root[0] != 0 || forest->root[forest->trees] != forest->nodes)
        FAIL(PUAD_FORMAT, "trees: the first or the last tree is incomplete");
    AUTO_FREE uint8_t *level = NULL;
    TRY(memory_new(&level, forest->nodes, 1, "trees"));
    for (size_t t = 0; t < forest->trees; t++) {
        size_t begin = forest->root[t], end = forest->root[t + 1];
        if (end <= begin || end > forest->nodes) FAIL(PUAD_FORMAT, "trees: tree %zu has no nodes", t);
        for (size_t i = begin; i < end; i++) {
            uint32_t child = forest->child[i];
            bool leaf = forest->feature[i] < 0;
            if (!isfinite(forest->threshold[i]))
                FAIL(PUAD_FORMAT, "trees: the threshold of node %zu is not finite", i);
            if (leaf ? child != i || forest->threshold[i] < 0 || forest->threshold[i] > 1 ||
                           forest->threshold[i] != tree_value((double)forest->threshold[i], SHARE_UNIT)
                     : child <= i || child + (size_t)1 >= end ||
                           (size_t)forest->feature[i] >= forest->columns || level[i] >= RANDOM_TREES_DEPTH)
                FAIL(PUAD_FORMAT, "trees: node %zu is invalid", i);
            if (!leaf) level[child] = level[child + 1] = (uint8_t)(level[i] + 1);
        }
    }
    make_walk(forest);
    return PUAD_OK;
}
