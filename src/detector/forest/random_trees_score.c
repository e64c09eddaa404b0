/* Evaluates random trees: each work item is a block of rows with trees in order, so the bits do not depend
 * on the threads. */
#include "detector/forest/random_trees.h"

#include "detector/forest/tree_bag.h"

#include <math.h>

enum {
    LANES = 8,               /* rows evaluated together; their loads overlap */
    ROW_LANES = 16,          /* trees evaluated together for a single row */
    BLOCK_BYTES = 48 * 1024, /* values of a block of rows, small enough for the cache */
    BLOCK_ROWS_MAX = 512,
    BAGS_AT_ONCE = 64, /* trees whose bags are drawn before their leaves are subtracted */
};

typedef struct walking {
    const random_trees *forest;
    const float *values;
    const uint32_t *numbers; /* row indices; NULL for all in order */
    double *sums;
    float *scores; /* if set: means instead of sums */
    size_t rows, block;
} walking;

static float leaf_of(const random_trees *forest, size_t tree, const float *row)
{
    const walk_node *walk = forest->walk;
    uint32_t node = forest->root[tree], next;
    while ((next = walk[node].child + (row[walk[node].feature] > walk[node].threshold)) != node) node = next;
    return walk[node].value;
}

static const float *row_at(const walking *all, size_t place)
{
    return all->values + (all->numbers ? all->numbers[place] : place) * all->forest->columns;
}

/* Adds the leaves of one tree for LANES rows; done when all rows are at a leaf. */
static inline void walk_lanes(double sums[LANES], const walk_node *walk, uint32_t root,
                              const float *const rows[LANES])
{
    uint32_t node[LANES], moved = 1;
    for (int lane = 0; lane < LANES; lane++) node[lane] = root;
    while (moved) {
        moved = 0;
        for (int lane = 0; lane < LANES; lane++) {
            const walk_node *at = &walk[node[lane]];
            uint32_t next = at->child + (rows[lane][at->feature] > at->threshold);
            moved |= next ^ node[lane];
            node[lane] = next;
        }
    }
    for (int lane = 0; lane < LANES; lane++) sums[lane] += (double)walk[node[lane]].value;
}

/* The sum of a row's leaves: ROW_LANES trees at a time, added in order. */
static double walk_row(const random_trees *forest, const float *row)
{
    const walk_node *walk = forest->walk;
    double sum = 0;
    size_t tree = 0;
    for (; tree + ROW_LANES <= forest->trees; tree += ROW_LANES) {
        uint32_t node[ROW_LANES], moved = 1;
        for (int lane = 0; lane < ROW_LANES; lane++) node[lane] = forest->root[tree + (size_t)lane];
        while (moved) {
            moved = 0;
            for (int lane = 0; lane < ROW_LANES; lane++) {
                const walk_node *at = &walk[node[lane]];
                uint32_t next = at->child + (row[at->feature] > at->threshold);
                moved |= next ^ node[lane];
                node[lane] = next;
            }
        }
        for (int lane = 0; lane < ROW_LANES; lane++) sum += (double)walk[node[lane]].value;
    }
    for (; tree < forest->trees; tree++) sum += (double)leaf_of(forest, tree, row);
    return sum;
}

static void walk_block(void *context, size_t item, int thread)
{
    (void)thread;
    walking *all = context;
    const random_trees *forest = all->forest;
    size_t first = item * all->block, count = all->rows - first < all->block ? all->rows - first : all->block;
    double sums[BLOCK_ROWS_MAX];
    const float *rows[BLOCK_ROWS_MAX];
    for (size_t row = 0; row < count; row++) {
        sums[row] = 0;
        rows[row] = row_at(all, first + row);
    }
    size_t whole = count / LANES * LANES;
    for (size_t tree = 0; tree < forest->trees && whole; tree++)
        for (size_t row = 0; row < whole; row += LANES)
            walk_lanes(sums + row, forest->walk, forest->root[tree], rows + row);
    for (size_t row = whole; row < count; row++) sums[row] = walk_row(forest, rows[row]);
    for (size_t row = 0; row < count; row++) {
        if (all->sums) all->sums[first + row] = sums[row];
        if (all->scores) all->scores[first + row] = (float)(sums[row] / (double)forest->trees);
    }
}

static void walk(walking *all, team *workers)
{
    all->block = BLOCK_BYTES / sizeof(float) / all->forest->columns / LANES * LANES;
    if (all->block < LANES) all->block = LANES;
    if (all->block > BLOCK_ROWS_MAX) all->block = BLOCK_ROWS_MAX;
    team_run(workers, (all->rows + all->block - 1) / all->block, walk_block, all);
}

void random_trees_score(float *scores, const random_trees *forest, const float *values, size_t rows,
                        team *workers)
{
    walking all = {.forest = forest, .values = values, .scores = scores, .rows = rows};
    walk(&all, workers);
}

/* The listed rows in the bags of some trees, and the leaves that they reach. */
typedef struct bagged_leaves {
    const random_trees *forest;
    const trees_plan *plan;
    const uint32_t *place;         /* index of a row among the listed ones, from 1; 0: not listed */
    size_t rows, listed, capacity; /* rows with a place; listed rows; rows of a bag */
    size_t first;                  /* tree */
    tree_bag *bags;                /* per thread */
    uint32_t *seen;  /* per thread and listed row: the last tree, from 1, whose bag contains it */
    uint32_t *found; /* per tree: indices of listed rows */
    float *leaves;
    size_t count[BAGS_AT_ONCE];
} bagged_leaves;

static void find_bagged(void *context, size_t item, int thread)
{
    bagged_leaves *all = context;
    const trees_plan *plan = all->plan;
    tree_bag *bag = &all->bags[thread];
    uint32_t *seen = all->seen + (size_t)thread * all->listed, *found = all->found + item * all->capacity;
    float *leaves = all->leaves + item * all->capacity;
    size_t tree = all->first + item, count = 0;
    tree_bag_draw(bag, plan, tree);
    for (size_t i = 0; i < bag->rows; i++) {
        uint32_t row = bag->numbers[i], at = row < all->rows ? all->place[row] : 0;
        if (!at || seen[at - 1] == tree + 1) continue;
        seen[at - 1] = (uint32_t)tree + 1;
        found[count] = at - 1;
        leaves[count++] = leaf_of(all->forest, tree, plan->values + (size_t)row * plan->columns);
    }
    all->count[item] = count;
}

/* Subtracts the leaves of trees whose bags contain the row, in the order of the trees. */
static puad_status subtract_bagged(double *sums, uint32_t *trees, bagged_leaves *all, team *workers,
                                   arena *scratch)
{
    size_t threads = (size_t)team_size(workers);
    all->capacity = tree_bag_most(all->plan);
    TRY(arena_new(scratch, &all->bags, threads, sizeof *all->bags));
    TRY(arena_new(scratch, &all->seen, threads * all->listed, sizeof *all->seen));
    TRY(arena_new(scratch, &all->found, BAGS_AT_ONCE * all->capacity, sizeof *all->found));
    TRY(arena_new(scratch, &all->leaves, BAGS_AT_ONCE * all->capacity, sizeof *all->leaves));
    for (size_t i = 0; i < threads; i++) TRY(tree_bag_new(&all->bags[i], all->plan, scratch));
    for (; all->first < all->forest->trees; all->first += BAGS_AT_ONCE) {
        size_t left = all->forest->trees - all->first, now = left < BAGS_AT_ONCE ? left : BAGS_AT_ONCE;
        team_run(workers, now, find_bagged, all);
        for (size_t tree = 0; tree < now; tree++)
            for (size_t i = 0; i < all->count[tree]; i++) {
                uint32_t at = all->found[tree * all->capacity + i];
                sums[at] -= (double)all->leaves[tree * all->capacity + i];
                trees[at]--;
            }
    }
    return PUAD_OK;
}

/* Sums over all trees, then subtracts those whose bags contain the row: there are few of them. */
puad_status random_trees_out_of_bag(float *scores, const random_trees *forest, const trees_plan *plan,
                                    const uint32_t *numbers, size_t count, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    double *sums;
    uint32_t *trees, *place;
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        if (numbers[i] >= rows) rows = (size_t)numbers[i] + 1;
    TRY(arena_new(&scratch, &sums, count, sizeof *sums));
    TRY(arena_new(&scratch, &trees, count, sizeof *trees));
    TRY(arena_new(&scratch, &place, rows, sizeof *place));
    for (size_t i = 0; i < count; i++) {
        place[numbers[i]] = (uint32_t)i + 1;
        trees[i] = (uint32_t)forest->trees;
    }
    walking all = {.forest = forest, .values = plan->values, .numbers = numbers, .sums = sums, .rows = count};
    walk(&all, workers);
    bagged_leaves bagged = {.forest = forest, .plan = plan, .place = place, .rows = rows, .listed = count};
    TRY(subtract_bagged(sums, trees, &bagged, workers, &scratch));
    for (size_t i = 0; i < count; i++) scores[i] = trees[i] ? (float)(sums[i] / trees[i]) : NAN;
    return PUAD_OK;
}
