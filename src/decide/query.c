/* Orders rows by score, and maintains distances to the nearest reviewed row. */
#include "decide/query.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 256, DIVERSE_PART = 10, RANKS_MAX = 3 }; /* the latter in units of the number of rows */

typedef struct ranked {
    float score;
    size_t row;
} ranked;

/* Candidates for diversity. */
typedef struct distances {
    const query_rows *rows;
    const ranked *order;
    size_t count;
    const size_t *centers; /* reviewed rows not yet included in `nearest` */
    size_t center_count;
    float *nearest; /* per candidate: squared distance to the nearest reviewed row; negative if chosen */
} distances;

static float squared_distance(const float *a, const float *b, size_t columns)
{
    float lanes[8] = {0}, sum = 0;
    size_t i = 0;
    for (; i + 8 <= columns; i += 8)
        for (int lane = 0; lane < 8; lane++) {
            float difference = a[i + (size_t)lane] - b[i + (size_t)lane];
            lanes[lane] += difference * difference;
        }
    for (; i < columns; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    for (int lane = 0; lane < 8; lane++) sum += lanes[lane];
    return sum;
}

static void update_block(void *context, size_t item, int thread)
{
    (void)thread;
    const distances *all = context;
    const float *embeddings = all->rows->embeddings;
    size_t columns = all->rows->columns,
           end = (item + 1) * BLOCK < all->count ? (item + 1) * BLOCK : all->count;
    for (size_t i = item * BLOCK; i < end; i++)
        for (size_t k = 0; k < all->center_count; k++) {
            float distance = squared_distance(embeddings + all->order[i].row * columns,
                                              embeddings + all->centers[k] * columns, columns);
            if (distance < all->nearest[i]) all->nearest[i] = distance;
        }
}

static puad_status add_centers(distances *all, const size_t *centers, size_t count, team *workers)
{
    all->centers = centers;
    all->center_count = count;
    return team_run_until_stopped(workers, (all->count + BLOCK - 1) / BLOCK, update_block, all);
}

static int by_score(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->score != b->score) return (a->score > b->score) - (a->score < b->score);
    return (a->row > b->row) - (a->row < b->row);
}

/* The candidate rows in ascending order of score. */
static puad_status order_free(ranked **out, size_t *out_count, const query_rows *rows, arena *scratch)
{
    size_t count = 0;
    TRY(arena_new(scratch, out, rows->rows, sizeof **out));
    for (size_t i = 0; i < rows->rows; i++)
        if (!rows->asked || rows->asked[i] == QUERY_FREE) (*out)[count++] = (ranked){rows->scores[i], i};
    qsort(*out, count, sizeof **out, by_score);
    *out_count = count;
    return PUAD_OK;
}

/* Appends `count` of the candidates to the `first` chosen rows. */
static puad_status choose_diverse(size_t *chosen, size_t first, size_t count, const query_rows *rows,
                                  const ranked *candidates, size_t candidate_count, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    distances all = {.rows = rows, .order = candidates, .count = candidate_count};
    size_t *known, known_count = 0;
    TRY(arena_new(&scratch, &all.nearest, candidate_count, sizeof *all.nearest));
    TRY(arena_new(&scratch, &known, rows->rows, sizeof *known));
    for (size_t i = 0; i < candidate_count; i++) all.nearest[i] = INFINITY;
    for (size_t i = 0; rows->asked && i < rows->rows; i++)
        if (rows->asked[i] == QUERY_ASKED) known[known_count++] = i;
    TRY(add_centers(&all, known, known_count, workers));
    TRY(add_centers(&all, chosen, first, workers));
    for (size_t k = 0; k < count; k++) {
        size_t best = 0; /* of equal distances the one with the higher score */
        for (size_t i = 1; i < candidate_count; i++)
            if (all.nearest[i] >= all.nearest[best]) best = i;
        chosen[first + k] = all.order[best].row;
        all.nearest[best] = -1;
        TRY(add_centers(&all, &chosen[first + k], 1, workers));
    }
    return PUAD_OK;
}

/* Rows around rank share x rows and random ones. `order` is changed. */
static void choose_to_learn(size_t *chosen, size_t count, double share, ranked *order, size_t free_rows,
                            uint64_t seed)
{
    rng draws = rng_make(seed, rng_stream("query", 0));
    size_t half = count / 2, done = 0;
    double middle = fmin(1, fmax(0, share)) * (double)free_rows, part = (double)half;
    size_t first = free_rows - (size_t)fmin((double)free_rows - part, fmax(0, middle - part / 2));
    for (; done < half; done++) chosen[done] = order[first - 1 - done].row;
    for (size_t i = first; i < free_rows; i++) order[i - half] = order[i];
    for (size_t left = free_rows - half; done < count; left--) {
        size_t at = rng_below(&draws, left);
        chosen[done++] = order[at].row;
        order[at] = order[left - 1];
    }
}

static puad_status check(const query_rows *rows)
{
    if (rows->rows < 1 || rows->columns < 1) FAIL(PUAD_INVALID, "no rows to choose queries from");
    for (size_t i = 0; i < rows->rows * rows->columns; i++)
        if (!isfinite(rows->embeddings[i]))
            FAIL(PUAD_NUMERIC, "the embedding of row %zu is not finite", i / rows->columns);
    for (size_t i = 0; i < rows->rows; i++)
        if (isnan(rows->scores[i])) FAIL(PUAD_NUMERIC, "the score of row %zu is not a number", i);
    return PUAD_OK;
}

puad_status query_choose(size_t *chosen, size_t *out_count, const query_rows *rows, size_t count,
                         uint64_t seed, team *workers)
{
    *out_count = 0;
    TRY(check(rows));
    AUTO_ARENA arena scratch = {0};
    ranked *order;
    size_t free_rows;
    TRY(order_free(&order, &free_rows, rows, &scratch));
    if (count > free_rows) count = free_rows;
    if (rows->goal == QUERY_LEARN) {
        choose_to_learn(chosen, count, rows->share, order, free_rows, seed);
    } else {
        size_t diverse = count / DIVERSE_PART, top = count - diverse,
               ranks = free_rows / RANKS_MAX < count ? free_rows : RANKS_MAX * count;
        for (size_t i = 0; i < top; i++) chosen[i] = order[free_rows - 1 - i].row;
        if (diverse)
            TRY(choose_diverse(chosen, top, diverse, rows, order + free_rows - ranks, ranks - top, workers));
    }
    *out_count = count;
    return PUAD_OK;
}
