/* Grows the forests in two passes. */
#include "detector/forest/pu_forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values of alpha to try if it is unknown, and factors around a given one (docs/research/tables.md). */
static const double shares_unknown[] = {0, 0.05, 0.1, 0.2};
static const double multiples_given[] = {0, 0.5, 1, 2};
enum { SAMPLE_MIN = 256, SAMPLE_MAX = 1024, SAMPLE_FACTOR = 64, LARGE_STEPS = 600 };

/* Unlabeled rows per tree. More labels allow finer trees. At most a quarter of the rows, so that hidden
 * anomalies are absent from most trees of a small table, and every row is out of bag for some trees. */
static size_t sample_size(size_t anomalies, size_t unlabeled)
{
    double wanted = fmax(SAMPLE_MIN, SAMPLE_FACTOR * sqrt((double)anomalies));
    size_t most = unlabeled < 4 ? 1 : unlabeled / 4;
    if (most > SAMPLE_MAX) most = SAMPLE_MAX;
    return wanted < (double)most ? (size_t)wanted : most;
}

/* Trees of each forest. Scoring a row takes a step for each inner node of a small tree, and as long as LARGE_STEPS for a
 * large tree, which is walked. More labels make larger trees, so there are fewer of them and the time is bounded. */
static size_t tree_count(const random_trees *first, size_t forests)
{
    double inner = (double)(first->nodes - first->trees) / 2 / (double)first->trees;
    double most = PU_FOREST_STEPS / (double)forests / fmin(inner + 1, LARGE_STEPS);
    size_t usual = PU_FOREST_ALPHAS / forests * PU_FOREST_TREES;
    return most < (double)usual ? (size_t)most : usual;
}

typedef struct ranked {
    float score;
    uint32_t number;
} ranked;

static int highest_first(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Adds a forest grown without the first `suspects` of the ranked rows, and adds the out-of-bag scores of
 * unlabeled rows and anomalies to the sums. */
static puad_status add_forest(random_trees *onto, double *sums, const pu_rows *rows, trees_plan plan,
                              const ranked *order, size_t suspects, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    AUTO_TREES random_trees grown = {0};
    uint32_t *kept, *numbers;
    float *scores;
    size_t count = rows->unlabeled_count, both = count + rows->anomaly_count;
    TRY(arena_new(&scratch, &kept, count, sizeof *kept));
    TRY(arena_new(&scratch, &numbers, both, sizeof *numbers));
    TRY(arena_new(&scratch, &scores, both, sizeof *scores));
    memcpy(numbers, rows->unlabeled, count * sizeof *numbers);
    memcpy(numbers + count, rows->anomalies, rows->anomaly_count * sizeof *numbers);
    for (size_t i = suspects; i < count; i++) kept[i - suspects] = order[i].number;
    plan.negatives = kept;
    plan.negative_count = count - suspects;
    plan.sample = sample_size(rows->anomaly_count, plan.negative_count);
    TRY(random_trees_grow(&grown, &plan, workers));
    TRY(random_trees_out_of_bag(scores, &grown, &plan, numbers, both, workers));
    for (size_t i = 0; i < both; i++) sums[i] += isnan(scores[i]) && i < count ? 0.5 : (double)scores[i];
    return random_trees_append(onto, &grown, grown.trees);
}

size_t pu_forest_alphas(double out[PU_FOREST_ALPHAS], double alpha)
{
    size_t count = alpha == 0 ? 1 : PU_FOREST_ALPHAS;
    for (size_t i = 0; i < count; i++)
        out[i] = isnan(alpha) ? shares_unknown[i] : fmin(0.9, alpha * multiples_given[i]);
    return count;
}

puad_status pu_forest_fit(random_trees *out, const pu_out_of_bag *outside, const pu_rows *rows, double alpha,
                          uint64_t seed, team *workers)
{
    *out = (random_trees){0};
    size_t count = rows->unlabeled_count;
    AUTO_ARENA arena scratch = {0};
    AUTO_TREES random_trees first = {0}, all = {0};
    float *scores;
    double *sums;
    ranked *order;
    TRY(arena_new(&scratch, &scores, count, sizeof *scores));
    TRY(arena_new(&scratch, &sums, count + rows->anomaly_count, sizeof *sums));
    TRY(arena_new(&scratch, &order, count, sizeof *order));
    trees_plan plan = {.values = rows->values,
                       .columns = rows->columns,
                       .positives = rows->anomalies,
                       .positive_count = rows->anomaly_count,
                       .negatives = rows->unlabeled,
                       .negative_count = count,
                       .normals = rows->normals,
                       .normal_count = rows->normal_count,
                       .trees = PU_FOREST_FIRST,
                       .sample = sample_size(rows->anomaly_count, count),
                       .seed = seed,
                       .stream = "pu forest, first"};
    TRY(random_trees_grow(&first, &plan, workers));
    TRY(random_trees_out_of_bag(scores, &first, &plan, rows->unlabeled, count, workers));
    for (size_t i = 0; i < count; i++)
        order[i] = (ranked){isnan(scores[i]) ? 0 : scores[i], rows->unlabeled[i]};
    qsort(order, count, sizeof *order, highest_first);
    static const char *const streams[PU_FOREST_ALPHAS] = {"pu forest, all", "pu forest, few",
                                                          "pu forest, some", "pu forest, many"};
    double alphas[PU_FOREST_ALPHAS];
    size_t forests = pu_forest_alphas(alphas, alpha);
    for (size_t i = 0; i < forests; i++) {
        size_t suspects = (size_t)lround(alphas[i] * (double)count);
        if (suspects >= count) suspects = count - 1;
        plan.stream = streams[i];
        plan.trees = tree_count(&first, forests);
        TRY(add_forest(&all, sums, rows, plan, order, suspects, workers));
    }
    for (size_t i = 0; outside && i < count; i++) outside->unlabeled[i] = (float)(sums[i] / (double)forests);
    for (size_t i = 0; outside && i < rows->anomaly_count; i++)
        outside->anomalies[i] = (float)(sums[count + i] / (double)forests);
    *out = all;
    all = (random_trees){0};
    return PUAD_OK;
}
