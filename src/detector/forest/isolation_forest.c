/* Grows and evaluates isolation trees. Each tree draws from a separate stream, and one work item scores a
 * block of rows with trees in order, so results do not depend on the threads. */
#include "detector/forest/isolation_forest.h"

#include "detector/forest/quantized_trees.h"

#include "base/rng.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    DEPTH_MAX = 16,
    LANES = 16,              /* rows, or trees for a single row, evaluated together; their loads overlap */
    BLOCK_BYTES = 48 * 1024, /* values of a block of rows, small enough for the cache */
    BLOCK_ROWS_MAX = 512,
};

double isolation_average_path(size_t rows)
{
    const double euler_gamma = 0.57721566490153286;
    if (rows <= 1) return 0;
    if (rows == 2) return 1;
    double n = (double)rows;
    return 2 * (log(n - 1) + euler_gamma) - 2 * (n - 1) / n;
}

static size_t depth_limit(size_t sample)
{
    size_t depth = 1; /* the depth for two rows: a single row makes a tree without splits */
    while (((size_t)1 << depth) < sample) depth++;
    return depth;
}

puad_status isolation_forest_new(isolation_forest *out, size_t trees, size_t depth, size_t sample,
                                 size_t columns)
{
    *out = (isolation_forest){0};
    if (trees < 1 || trees > FOREST_TREES_MAX)
        FAIL(PUAD_INVALID, "%zu trees: expected 1 to %d", trees, FOREST_TREES_MAX);
    if (sample < 1 || sample > FOREST_SAMPLE_MAX)
        FAIL(PUAD_INVALID, "%zu rows for each tree: expected 1 to %d", sample, FOREST_SAMPLE_MAX);
    if (depth < 1 || depth > DEPTH_MAX)
        FAIL(PUAD_INVALID, "trees %zu deep: expected 1 to %d", depth, DEPTH_MAX);
    if (columns < 1 || columns > INT32_MAX)
        FAIL(PUAD_INVALID, "%zu columns: expected 1 to %d", columns, INT32_MAX);
    isolation_forest forest = {.trees = trees, .depth = depth, .sample = sample, .columns = columns};
    size_t leaves = (size_t)1 << depth, nodes = leaves - 1;
    puad_status status = arena_new(&forest.memory, &forest.feature, trees * nodes, sizeof *forest.feature);
    if (status == PUAD_OK)
        status = arena_new(&forest.memory, &forest.threshold, trees * nodes, sizeof *forest.threshold);
    if (status == PUAD_OK)
        status = arena_new(&forest.memory, &forest.path, trees * leaves, sizeof *forest.path);
    if (status != PUAD_OK) {
        isolation_forest_free(&forest);
        return status;
    }
    *out = forest;
    return PUAD_OK;
}

puad_status isolation_forest_check(isolation_forest *forest)
{
    size_t leaves = (size_t)1 << forest->depth, nodes = leaves - 1;
    for (size_t i = 0; i < forest->trees * nodes; i++) {
        if (forest->feature[i] < 0 || (size_t)forest->feature[i] >= forest->columns)
            FAIL(PUAD_FORMAT, "isolation forest: node %zu tests column %d of %zu", i, forest->feature[i],
                 forest->columns);
        if (isnan(forest->threshold[i]))
            FAIL(PUAD_FORMAT, "isolation forest: the threshold of node %zu is NaN", i);
    }
    for (size_t i = 0; i < forest->trees * leaves; i++) {
        if (!isfinite(forest->path[i]) || forest->path[i] < 0 ||
            forest->path[i] != tree_value((double)forest->path[i], PATH_UNIT))
            FAIL(PUAD_FORMAT, "isolation forest: the path length of leaf %zu is %g", i,
                 (double)forest->path[i]);
    }
    return PUAD_OK;
}

void isolation_forest_free(isolation_forest *owner)
{
    arena_free(&owner->memory);
    *owner = (isolation_forest){0};
}

/* Memory for growing one tree; one per thread. */
typedef struct grower {
    _Alignas(MEMORY_ALIGNMENT) const
        float *values; /* aligned, so that threads write to separate cache lines */
    size_t columns, depth;
    uint32_t *rows;        /* the tree's sample, grouped by node */
    float *column;         /* the values of one column for the rows of a node */
    int32_t *columns_left; /* a permutation of the columns; the first ones are constant within the node */
    rng draws;
    int32_t *feature; /* the tree's slices of the forest's arrays */
    float *threshold, *path;
} grower;

/* Floyd's method to draw `count` of `total` without replacement; the order is irrelevant. */
static void draw_sample(uint32_t *sample, size_t count, size_t total, rng *draws)
{
    for (size_t i = 0; i < count; i++) {
        size_t last = total - count + i;
        uint32_t row = (uint32_t)rng_below(draws, last + 1);
        for (size_t j = 0; j < i; j++)
            if (sample[j] == row) {
                row = (uint32_t)last;
                break;
            }
        sample[i] = row;
    }
}

/* Draws a column that is not constant over rows [begin, end), all with equal probability, and stores its
 * values in `column`. Constant columns move to the front, where the subtree does not draw them again; a
 * sibling's subtree permutes only columns after its own front, so the set before it is unchanged. False if
 * all are constant. */
static bool draw_column(grower *tree, size_t begin, size_t end, size_t *constants, int32_t *out_column,
                        float *out_least, float *out_most)
{
    while (*constants < tree->columns) {
        size_t place = *constants + (size_t)rng_below(&tree->draws, tree->columns - *constants);
        int32_t candidate = tree->columns_left[place];
        float min = INFINITY, max = -INFINITY;
        for (size_t i = begin; i < end; i++) {
            float value = tree->values[tree->rows[i] * tree->columns + (size_t)candidate];
            tree->column[i] = value;
            min = value < min ? value : min;
            max = value > max ? value : max;
        }
        if (max > min) {
            *out_column = candidate;
            *out_least = min;
            *out_most = max;
            return true;
        }
        tree->columns_left[place] = tree->columns_left[*constants];
        tree->columns_left[*constants] = candidate;
        (*constants)++;
    }
    return false;
}

static size_t split_rows(grower *tree, size_t begin, size_t end, float threshold)
{
    while (begin < end) {
        if (!(tree->column[begin] > threshold)) {
            begin++;
            continue;
        }
        end--;
        float value = tree->column[begin];
        tree->column[begin] = tree->column[end];
        tree->column[end] = value;
        uint32_t row = tree->rows[begin];
        tree->rows[begin] = tree->rows[end];
        tree->rows[end] = row;
    }
    return begin;
}

/* A leaf above the last level continues as padding, whose infinite thresholds always lead left. */
static void make_leaf(grower *tree, size_t node, size_t level, size_t count)
{
    size_t nodes = ((size_t)1 << tree->depth) - 1;
    float path = tree_value((double)level + isolation_average_path(count), PATH_UNIT);
    while (node < nodes) node = 2 * node + 1;
    tree->path[node - nodes] = path;
}

static void grow_node(grower *tree, size_t node, size_t level, size_t begin, size_t end, size_t constants)
{
    int32_t column;
    float min, max;
    if (level == tree->depth || end - begin <= 1 ||
        !draw_column(tree, begin, end, &constants, &column, &min, &max)) {
        make_leaf(tree, node, level, end - begin);
        return;
    }
    float threshold = (float)(min + rng_uniform(&tree->draws) * ((double)max - min));
    if (!(threshold < max)) threshold = min; /* after rounding, both sides must keep a row */
    size_t middle = split_rows(tree, begin, end, threshold);
    tree->feature[node] = column;
    tree->threshold[node] = threshold;
    grow_node(tree, 2 * node + 1, level + 1, begin, middle, constants);
    grow_node(tree, 2 * node + 2, level + 1, middle, end, constants);
}

typedef struct growing {
    isolation_forest *forest;
    const float *values;
    size_t rows;
    uint64_t seed;
    grower *growers; /* one per thread */
} growing;

static void grow_tree(void *context, size_t item, int thread)
{
    growing *all = context;
    grower *tree = &all->growers[thread];
    size_t leaves = (size_t)1 << all->forest->depth, nodes = leaves - 1;
    tree->feature = all->forest->feature + item * nodes;
    tree->threshold = all->forest->threshold + item * nodes;
    tree->path = all->forest->path + item * leaves;
    tree->draws = rng_make(all->seed, rng_stream("isolation tree", item));
    for (size_t i = 0; i < tree->columns; i++) tree->columns_left[i] = (int32_t)i;
    for (size_t i = 0; i < nodes; i++) tree->threshold[i] = INFINITY;
    draw_sample(tree->rows, all->forest->sample, all->rows, &tree->draws);
    grow_node(tree, 0, 0, 0, all->forest->sample, 0);
}

puad_status isolation_forest_fit(isolation_forest *out, const float *values, size_t rows, size_t columns,
                                 size_t trees, size_t sample, uint64_t seed, team *workers)
{
    *out = (isolation_forest){0};
    if (rows < 1 || rows > UINT32_MAX)
        FAIL(PUAD_INVALID, "an isolation forest on %zu rows: expected 1 to %u", rows, UINT32_MAX);
    if (sample > rows) sample = rows;
    AUTO_ARENA arena scratch = {0};
    growing all = {.values = values, .rows = rows, .seed = seed};
    AUTO_FOREST isolation_forest forest = {0};
    TRY(isolation_forest_new(&forest, trees, depth_limit(sample), sample, columns));
    all.forest = &forest;
    size_t threads = (size_t)team_size(workers);
    TRY(arena_new(&scratch, &all.growers, threads, sizeof *all.growers));
    for (size_t i = 0; i < threads; i++) {
        grower *tree = &all.growers[i];
        *tree = (grower){.values = values, .columns = columns, .depth = forest.depth};
        TRY(arena_new(&scratch, &tree->rows, sample, sizeof *tree->rows));
        TRY(arena_new(&scratch, &tree->column, sample, sizeof *tree->column));
        TRY(arena_new(&scratch, &tree->columns_left, columns, sizeof *tree->columns_left));
    }
    TRY(team_run_until_stopped(workers, trees, grow_tree, &all));
    *out = forest;
    forest = (isolation_forest){0};
    return PUAD_OK;
}

double isolation_forest_normal(const isolation_forest *forest)
{
    return (double)tree_value(isolation_average_path(forest->sample), PATH_UNIT);
}

/* A single row cannot be isolated: every path is 0 and every score 0.5, as in scikit-learn. */
float isolation_forest_of_sum(const isolation_forest *forest, double sum)
{
    double normal = isolation_forest_normal(forest);
    return normal > 0 ? (float)exp2(sum * (-1 / (normal * (double)forest->trees))) : 0.5F;
}

typedef struct scoring {
    const isolation_forest *forest;
    const float *values;
    float *scores;
    size_t rows, block;
} scoring;

/* Adds the path lengths of one tree for LANES rows. */
static inline void walk_lanes(double sums[LANES], const float *values, size_t columns, const int32_t *feature,
                              const float *threshold, const float *path, size_t depth)
{
    uint32_t node[LANES] = {0};
    for (size_t level = 0; level < depth; level++)
        for (int lane = 0; lane < LANES; lane++) {
            float value = values[(size_t)lane * columns + (size_t)feature[node[lane]]];
            node[lane] = 2 * node[lane] + 1 + (value > threshold[node[lane]]);
        }
    uint32_t nodes = ((uint32_t)1 << depth) - 1;
    for (int lane = 0; lane < LANES; lane++) sums[lane] += (double)path[node[lane] - nodes];
}

/* Adds the path lengths of `count` trees from `tree` on; the compiler unrolls it for count = LANES. */
static inline double walk_trees(double sum, const isolation_forest *forest, const float *row, size_t tree,
                                size_t count)
{
    size_t leaves = (size_t)1 << forest->depth, nodes = leaves - 1;
    const int32_t *feature = forest->feature + tree * nodes;
    const float *threshold = forest->threshold + tree * nodes, *path = forest->path + tree * leaves;
    size_t node[LANES] = {0};
    for (size_t level = 0; level < forest->depth; level++)
        for (size_t lane = 0; lane < count; lane++) {
            size_t at = lane * nodes + node[lane];
            node[lane] = 2 * node[lane] + 1 + (row[feature[at]] > threshold[at]);
        }
    for (size_t lane = 0; lane < count; lane++) sum += (double)path[lane * leaves + node[lane] - nodes];
    return sum;
}

/* The sum of a row's path lengths: LANES trees at a time, added in order. */
static double walk_row(const isolation_forest *forest, const float *row)
{
    double sum = 0;
    size_t tree = 0;
    for (; tree + LANES <= forest->trees; tree += LANES) sum = walk_trees(sum, forest, row, tree, LANES);
    return walk_trees(sum, forest, row, tree, forest->trees - tree);
}

static void score_block(void *context, size_t item, int thread)
{
    (void)thread;
    const scoring *all = context;
    const isolation_forest *forest = all->forest;
    size_t leaves = (size_t)1 << forest->depth, nodes = leaves - 1, columns = forest->columns;
    size_t first = item * all->block;
    size_t count = all->rows - first < all->block ? all->rows - first : all->block;
    const float *values = all->values + first * columns;
    double sums[BLOCK_ROWS_MAX];
    size_t whole = count / LANES * LANES;
    memset(sums, 0, count * sizeof *sums);
    for (size_t tree = 0; tree < forest->trees && whole; tree++) {
        const int32_t *feature = forest->feature + tree * nodes;
        const float *threshold = forest->threshold + tree * nodes, *path = forest->path + tree * leaves;
        for (size_t row = 0; row < whole; row += LANES)
            walk_lanes(sums + row, values + row * columns, columns, feature, threshold, path, forest->depth);
    }
    for (size_t row = whole; row < count; row++) sums[row] = walk_row(forest, values + row * columns);
    for (size_t row = 0; row < count; row++)
        all->scores[first + row] = isolation_forest_of_sum(forest, sums[row]);
}

void isolation_forest_score(float *scores, const isolation_forest *forest, const float *values, size_t rows,
                            team *workers)
{
    scoring all = {.forest = forest, .values = values, .scores = scores, .rows = rows};
    all.block = BLOCK_BYTES / sizeof(float) / forest->columns / LANES * LANES;
    if (all.block < LANES) all.block = LANES;
    if (all.block > BLOCK_ROWS_MAX) all.block = BLOCK_ROWS_MAX;
    team_run(workers, (rows + all.block - 1) / all.block, score_block, &all);
}
