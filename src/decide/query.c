/* Maintains distances to the nearest reviewed row, and draws by them. */
#include "decide/query.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, DIVERSE_PART = 20 }; /* one in twenty rows is drawn for diversity */

typedef struct distances {
    const query_rows *rows;
    const size_t *centers; /* reviewed rows not yet included in `nearest` */
    size_t center_count;
    float *nearest; /* squared distance to the nearest reviewed row */
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
    const query_rows *rows = all->rows;
    size_t end = (item + 1) * BLOCK < rows->rows ? (item + 1) * BLOCK : rows->rows;
    for (size_t row = item * BLOCK; row < end; row++)
        for (size_t k = 0; k < all->center_count; k++) {
            float distance =
                squared_distance(rows->embeddings + row * rows->columns,
                                 rows->embeddings + all->centers[k] * rows->columns, rows->columns);
            if (distance < all->nearest[row]) all->nearest[row] = distance;
        }
}

static puad_status add_centers(distances *all, const size_t *centers, size_t count, team *workers)
{
    all->centers = centers;
    all->center_count = count;
    return team_run_until_stopped(workers, (all->rows->rows + BLOCK - 1) / BLOCK, update_block, all);
}

typedef struct ranked {
    float score;
    size_t row;
} ranked;

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

/* Rows chosen without distances: the top; or, to learn, those around rank share x rows and random ones. */
static puad_status choose_by_rank(size_t *chosen, size_t *out_count, const query_rows *rows, size_t count,
                                  rng *draws, arena *scratch)
{
    ranked *order;
    size_t free_rows;
    *out_count = 0;
    if (!rows->scores || rows->goal == QUERY_DIVERSE) return PUAD_OK;
    TRY(order_free(&order, &free_rows, rows, scratch));
    if (count > free_rows) count = free_rows;
    size_t first = free_rows, last = free_rows; /* of the rows chosen by rank, from the top */
    if (rows->goal == QUERY_FIND) last = free_rows - (count - count / DIVERSE_PART);
    if (rows->goal == QUERY_LEARN) {
        double middle = fmin(1, fmax(0, rows->share)) * (double)free_rows, part = (double)(count / 2);
        first = free_rows - (size_t)fmin((double)free_rows - part, fmax(0, middle - part / 2));
        last = first - count / 2;
    }
    for (size_t i = first; i-- > last;) chosen[(*out_count)++] = order[i].row;
    if (rows->goal != QUERY_LEARN) return PUAD_OK;
    for (size_t i = first; i < free_rows; i++) order[i - (first - last)] = order[i];
    for (size_t left = free_rows - (first - last); *out_count < count; left--) {
        size_t at = rng_below(draws, left);
        chosen[(*out_count)++] = order[at].row;
        order[at] = order[left - 1];
    }
    return PUAD_OK;
}

/* The weight of a row by its score: 1 at the top, one half at rank 2 x share, decreasing with the square
 * of the rank beyond it. Ranks are comparable between detectors whose scores have different scales. Rows
 * that are not candidates have weight 0 and no rank. */
static puad_status rank_weights(double *weights, const query_rows *rows, size_t wanted, arena *scratch)
{
    ranked *order;
    size_t count = 0;
    TRY(arena_new(scratch, &order, rows->rows, sizeof *order));
    for (size_t i = 0; i < rows->rows; i++)
        if (weights[i] > 0) order[count++] = (ranked){rows->scores[i], i};
    qsort(order, count, sizeof *order, by_score);
    double knee = 2 * fmax(rows->share * (double)rows->rows, (double)wanted);
    for (size_t i = 0, end; i < count; i = end) { /* rows with equal scores share their middle rank */
        for (end = i + 1; end < count && order[end].score == order[i].score;) end++;
        double behind = ((double)(count - 1) - (double)(i + end - 1) / 2) / knee;
        for (size_t k = i; k < end; k++) weights[order[k].row] = 1 / (1 + behind * behind);
    }
    return PUAD_OK;
}

/* The row at which the running sum of the weights exceeds a uniform draw; `rows` if all weights are 0. */
static size_t draw_row(const double *weights, const float *nearest, size_t rows, rng *draws)
{
    double total = 0, sum = 0;
    size_t last = rows;
    for (size_t i = 0; i < rows; i++) total += weights[i] * (double)nearest[i];
    double target = rng_uniform(draws) * total;
    for (size_t i = 0; i < rows; i++) {
        double weight = weights[i] * (double)nearest[i];
        if (!(weight > 0)) continue;
        sum += weight;
        last = i;
        if (sum > target) break;
    }
    return last;
}

static size_t heaviest(const double *weights, size_t rows)
{
    size_t best = rows;
    for (size_t i = 0; i < rows; i++)
        if (weights[i] > 0 && (best == rows || weights[i] > weights[best])) best = i;
    return best;
}

static puad_status check(const query_rows *rows)
{
    if (rows->rows < 1 || rows->columns < 1) FAIL(PUAD_INVALID, "no rows to choose queries from");
    for (size_t i = 0; i < rows->rows * rows->columns; i++)
        if (!isfinite(rows->embeddings[i]))
            FAIL(PUAD_NUMERIC, "the embedding of row %zu is not finite", i / rows->columns);
    for (size_t i = 0; rows->scores && i < rows->rows; i++)
        if (isnan(rows->scores[i])) FAIL(PUAD_NUMERIC, "the score of row %zu is not a number", i);
    return PUAD_OK;
}

puad_status query_choose(size_t *chosen, size_t *out_count, const query_rows *rows, size_t count,
                         uint64_t seed, team *workers)
{
    *out_count = 0;
    TRY(check(rows));
    AUTO_ARENA arena scratch = {0};
    distances all = {.rows = rows};
    double *weights;
    size_t *known, known_count = 0;
    TRY(arena_new(&scratch, &all.nearest, rows->rows, sizeof *all.nearest));
    TRY(arena_new(&scratch, &weights, rows->rows, sizeof *weights));
    TRY(arena_new(&scratch, &known, rows->rows, sizeof *known));
    for (size_t i = 0; i < rows->rows; i++) {
        all.nearest[i] = INFINITY;
        weights[i] = 1;
    }
    for (size_t i = 0; rows->asked && i < rows->rows; i++) {
        if (rows->asked[i] == QUERY_ASKED) known[known_count++] = i;
        if (rows->asked[i] != QUERY_FREE) weights[i] = 0;
    }
    rng draws = rng_make(seed, rng_stream("query", 0));
    if (rows->scores) TRY(rank_weights(weights, rows, count, &scratch));
    TRY(choose_by_rank(chosen, out_count, rows, count, &draws, &scratch));
    if (*out_count >= count) return PUAD_OK;
    for (size_t i = 0; i < *out_count; i++) weights[chosen[i]] = 0;
    TRY(add_centers(&all, known, known_count, workers));
    TRY(add_centers(&all, chosen, *out_count, workers));
    while (*out_count < count) {
        bool first = known_count == 0 && *out_count == 0;
        size_t row =
            first ? heaviest(weights, rows->rows) : draw_row(weights, all.nearest, rows->rows, &draws);
        if (row == rows->rows)
            row = heaviest(weights, rows->rows); /* only duplicates of reviewed rows are left */
        if (row == rows->rows) break;
        chosen[(*out_count)++] = row;
        weights[row] = 0;
        TRY(add_centers(&all, &row, 1, workers));
    }
    return PUAD_OK;
}
