/* Prepares forests for scoring, and scores blocks of rows. Each work item is a block with trees in order,
 * so the bits do not depend on the threads. */
#include "detector/forest/forest_scoring_cache.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK_BYTES = 24 * 1024, /* codes of a block, small enough for the cache */
    GROUPS_MAX = 8,          /* groups of TREE_ROWS rows in a block */
    TREES_TOGETHER = 16,     /* trees evaluated for all groups before the next ones */
    BLOCKS_A_THREAD = 4,     /* minimum if there are enough rows, to balance the load */
};

void ready_trees_free(ready_trees *owner)
{
    arena_free(&owner->memory);
    *owner = (ready_trees){0};
}

/* An isolation forest's trees without padding, in the common form: leaves are the ends of heap paths. */
static puad_status isolation_nodes(tree_nodes *out, arena *memory, const isolation_forest *forest)
{
    size_t leaves = (size_t)1 << forest->depth, inner = leaves - 1,
           capacity = forest->trees * (inner + leaves);
    uint32_t *root, *child, *heap, nodes = 0;
    int32_t *feature;
    float *threshold;
    if (capacity > UINT32_MAX) FAIL(PUAD_INVALID, "%zu isolation trees are too many", forest->trees);
    TRY(arena_new(memory, &root, forest->trees + 1, sizeof *root));
    TRY(arena_new(memory, &feature, capacity, sizeof *feature));
    TRY(arena_new(memory, &threshold, capacity, sizeof *threshold));
    TRY(arena_new(memory, &child, capacity, sizeof *child));
    TRY(arena_new(memory, &heap, inner + leaves, sizeof *heap)); /* the index of each node in the heap */
    for (size_t t = 0; t < forest->trees; t++) {
        uint32_t begin = nodes++;
        root[t] = begin;
        heap[0] = 0;
        for (uint32_t i = begin; i < nodes; i++) {
            size_t at = heap[i - begin];
            while (at < inner && isinf(forest->threshold[t * inner + at])) at = 2 * at + 1;
            child[i] = nodes;
            feature[i] = at < inner ? forest->feature[t * inner + at] : -1;
            threshold[i] =
                at < inner ? forest->threshold[t * inner + at] : forest->path[t * leaves + at - inner];
            if (at >= inner) continue;
            heap[nodes - begin] = (uint32_t)(2 * at + 1);
            heap[nodes - begin + 1] = (uint32_t)(2 * at + 2);
            nodes += 2;
        }
    }
    root[forest->trees] = nodes;
    *out = (tree_nodes){forest->trees, nodes, root, feature, threshold, child};
    return PUAD_OK;
}

puad_status ready_trees_make(ready_trees *out, const ensemble *parts)
{
    *out = (ready_trees){0};
    AUTO_ARENA arena scratch = {0};
    ready_trees made = {0};
    tree_nodes forests[2];
    size_t count = 0, columns = 0;
    const random_trees *trees = &parts->trees;
    coded_trees *to[2];
    double unit[2];
    if (parts->isolation.trees) {
        TRY(isolation_nodes(&forests[count], &scratch, &parts->isolation));
        columns = parts->isolation.columns;
        to[count] = &made.isolation;
        unit[count] = PATH_UNIT;
        count += tree_nodes_fit(&forests[count]);
    }
    if (trees->trees) {
        forests[count] = (tree_nodes){trees->trees,   trees->nodes,     trees->root,
                                      trees->feature, trees->threshold, trees->child};
        columns = trees->columns;
        to[count] = &made.trees;
        unit[count] = SHARE_UNIT;
        count += tree_nodes_fit(&forests[count]);
    }
    puad_status status =
        count ? tree_codes_make(&made.codes, &made.memory, columns, forests, count) : PUAD_OK;
    for (size_t i = 0; i < count && made.codes.columns && status == PUAD_OK; i++)
        status = coded_trees_make(to[i], &made.memory, &made.codes, &forests[i], unit[i]);
    if (status != PUAD_OK) {
        ready_trees_free(&made);
        return status;
    }
    *out = made;
    return PUAD_OK;
}

typedef struct scoring {
    const ensemble *parts;
    const ready_trees *ready;
    const float *values, *distance;
    float *isolation, *share;
    size_t rows, stride, columns,
        groups;             /* stride: columns of values; trees may have one more, the distance */
    int16_t *codes, *masks; /* per thread */
    size_t codes_size, masks_size;
} scoring;

static void add_trees(uint32_t sums[][TREE_ROWS], const coded_trees *trees, const int16_t *codes,
                      size_t groups, size_t group_codes, int16_t *masks)
{
    for (size_t begin = 0; begin < trees->trees; begin += TREES_TOGETHER) {
        size_t end = trees->trees - begin < TREES_TOGETHER ? trees->trees : begin + TREES_TOGETHER;
        for (size_t g = 0; g < groups; g++)
            coded_trees_add(sums[g], trees, begin, end, codes + g * group_codes, masks);
    }
}

static void score_block(void *context, size_t item, int thread)
{
    const scoring *all = context;
    const ready_trees *ready = all->ready;
    size_t first = item * all->groups * TREE_ROWS, left = all->rows - first, size = all->columns * TREE_ROWS;
    size_t count = left < all->groups * TREE_ROWS ? left : all->groups * TREE_ROWS;
    size_t groups = (count + TREE_ROWS - 1) / TREE_ROWS;
    int16_t *codes = all->codes + (size_t)thread * all->codes_size,
            *masks = all->masks + (size_t)thread * all->masks_size;
    for (size_t g = 0; g < groups; g++) {
        size_t rows = count - g * TREE_ROWS < TREE_ROWS ? count - g * TREE_ROWS : TREE_ROWS;
        const float *values = all->values + (first + g * TREE_ROWS) * all->stride;
        for (size_t c = 0; c < all->stride; c++)
            tree_codes_of(codes + g * size + c * TREE_ROWS, &ready->codes, c, values + c, all->stride, rows);
        if (all->columns > all->stride)
            tree_codes_of(codes + g * size + all->stride * TREE_ROWS, &ready->codes, all->stride,
                          all->distance + first + g * TREE_ROWS, 1, rows);
    }
    if (all->isolation) {
        uint32_t sums[GROUPS_MAX][TREE_ROWS] = {0};
        add_trees(sums, &ready->isolation, codes, groups, size, masks);
        for (size_t i = 0; i < count; i++)
            all->isolation[first + i] = isolation_forest_of_sum(
                &all->parts->isolation, ready->isolation.unit * sums[i / TREE_ROWS][i % TREE_ROWS]);
    }
    if (all->share) {
        uint32_t sums[GROUPS_MAX][TREE_ROWS] = {0};
        add_trees(sums, &ready->trees, codes, groups, size, masks);
        for (size_t i = 0; i < count; i++)
            all->share[first + i] =
                (float)(ready->trees.unit * sums[i / TREE_ROWS][i % TREE_ROWS] / (double)ready->trees.trees);
    }
}

static puad_status score_ready(scoring *all, team *workers, arena *scratch)
{
    const ready_trees *ready = all->ready;
    size_t largest =
        ready->isolation.largest > ready->trees.largest ? ready->isolation.largest : ready->trees.largest;
    all->columns = ready->codes.columns;
    all->groups = BLOCK_BYTES / sizeof(int16_t) / TREE_ROWS / all->columns;
    if (all->groups < 1) all->groups = 1;
    if (all->groups > GROUPS_MAX) all->groups = GROUPS_MAX;
    size_t threads = (size_t)team_size(workers),
           fair = all->rows / (threads * BLOCKS_A_THREAD * TREE_ROWS) + 1;
    if (all->groups > fair) all->groups = fair;
    all->codes_size = all->groups * all->columns * TREE_ROWS;
    all->masks_size = (largest + 1) * TREE_ROWS;
    size_t rows = all->groups * TREE_ROWS;
    TRY(arena_new(scratch, &all->codes, threads * all->codes_size, sizeof *all->codes));
    TRY(arena_new(scratch, &all->masks, threads * all->masks_size, sizeof *all->masks));
    assert(rows > 0);
    team_run(workers, (all->rows + rows - 1) / rows, score_block, all);
    return PUAD_OK;
}

/* Rows with their distance appended. */
static puad_status walk_wider(float *share, const random_trees *trees, const float *values,
                              const float *distance, size_t rows, team *workers, arena *scratch)
{
    enum { VALUES_MAX = 1 << 20 };
    float *wider;
    size_t columns = trees->columns, max = VALUES_MAX / columns + 1;
    TRY(arena_new(scratch, &wider, (rows < max ? rows : max) * columns, sizeof *wider));
    for (size_t first = 0; first < rows; first += max) {
        size_t count = rows - first < max ? rows - first : max;
        for (size_t i = 0; i < count; i++) {
            memcpy(wider + i * columns, values + (first + i) * (columns - 1), (columns - 1) * sizeof *wider);
            wider[(i + 1) * columns - 1] = distance[first + i];
        }
        random_trees_score(share + first, trees, wider, count, workers);
    }
    return PUAD_OK;
}

puad_status forests_score(float *isolation, float *share, const ensemble *parts, const ready_trees *ready,
                          const float *values, const float *distance, size_t rows, team *workers,
                          arena *scratch)
{
    bool fast_isolation = ready && ready->isolation.trees && rows >= CODED_PATHS_MIN,
         fast_trees = ready && ready->trees.trees && rows >= CODED_TREES_MIN;
    scoring all = {.parts = parts,
                   .ready = ready,
                   .values = values,
                   .distance = distance,
                   .isolation = fast_isolation ? isolation : NULL,
                   .share = fast_trees ? share : NULL,
                   .stride = parts->trees.columns - (distance != NULL),
                   .rows = rows};
    if (!parts->trees.trees) all.stride = parts->isolation.columns;
    if (all.isolation || all.share) TRY(score_ready(&all, workers, scratch));
    if (isolation && !all.isolation)
        isolation_forest_score(isolation, &parts->isolation, values, rows, workers);
    if (!share || all.share) return PUAD_OK;
    if (distance) return walk_wider(share, &parts->trees, values, distance, rows, workers, scratch);
    random_trees_score(share, &parts->trees, values, rows, workers);
    return PUAD_OK;
}
