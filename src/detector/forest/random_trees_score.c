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
    TRY(arena_new(&scratch, &place, rows, sizeof *place)); /* index of a row among the numbers, from 1 */
    for (size_t i = 0; i < count; i++) {
        place[numbers[i]] = (uint32_t)i + 1;
        trees[i] = (uint32_t)forest->trees;
    }
    walking all = {.forest = forest, .values = plan->values, .numbers = numbers, .sums = sums, .rows = count};
    walk(&all, workers);
    tree_bag bag;
    TRY(tree_bag_new(&bag, plan, &scratch));
    uint32_t *seen; /* the last tree, from 1, whose bag contains the row */
    TRY(arena_new(&scratch, &seen, count, sizeof *seen));
    for (size_t tree = 0; tree < forest->trees; tree++) {
        tree_bag_draw(&bag, plan, tree);
        for (size_t i = 0; i < bag.rows; i++) {
            uint32_t row = bag.numbers[i], at = row < rows ? place[row] : 0;
            if (!at || seen[at - 1] == tree + 1) continue;
            seen[at - 1] = (uint32_t)tree + 1;
            sums[at - 1] -= (double)leaf_of(forest, tree, plan->values + (size_t)row * plan->columns);
            trees[at - 1]--;
        }
    }
    for (size_t i = 0; i < count; i++) scores[i] = trees[i] ? (float)(sums[i] / trees[i]) : NAN;
    return PUAD_OK;
}
