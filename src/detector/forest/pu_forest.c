/* Grows the forests in two passes. */
#include "detector/forest/pu_forest.h"

#include "detector/forest/tree_growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values of alpha to try if it is unknown, and factors around a given one (docs/research/tables.md). */
static const double shares_unknown[] = {0, 0.05, 0.1, 0.2};
static const double multiples_given[] = {0, 0.5, 1, 2};
enum { LARGE_STEPS = 600, NAME_MAX = 64 };

/* Trees of each forest. Scoring a row takes a step for each inner node of a small tree, and as long as LARGE_STEPS for a
 * large tree, which is walked. More labels make larger trees, so there are fewer of them and the time is bounded. */
static size_t tree_count(double inner, size_t forests)
{
    double max = PU_FOREST_STEPS / (double)forests / fmin(inner + 1, LARGE_STEPS);
    size_t usual = PU_FOREST_ALPHAS / forests * PU_FOREST_TREES;
    return max < (double)usual ? (size_t)max : usual;
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

typedef struct forest_job {
    const pu_rows *rows;
    trees_plan plan;
    team *workers;
    uint32_t *numbers; /* the unlabeled rows, then the labeled anomalies */
    float *scores;     /* of these, out of bag */
} forest_job;

/* Grows trees with one setting, and scores all rows out of bag. */
static puad_status grow(random_trees *out, forest_job *job, const char *stream, size_t growth, size_t trees)
{
    char name[NAME_MAX];
    trees_plan plan = job->plan;
    plan.stream = stream;
    plan.trees = trees;
    tree_growth_apply(&plan, growth, name);
    TRY(random_trees_grow(out, &plan, job->workers));
    return random_trees_out_of_bag(job->scores, out, &plan, job->numbers,
                                   job->rows->unlabeled_count + job->rows->anomaly_count, job->workers);
}

/* Adds a forest, and adds the out-of-bag scores of unlabeled rows and anomalies to the sums. */
static puad_status add_forest(random_trees *onto, double *sums, forest_job *job, const char *stream,
                              const double fractions[TREE_GROWTHS], size_t trees)
{
    size_t count = job->rows->unlabeled_count, both = count + job->rows->anomaly_count;
    for (size_t g = 0; g < TREE_GROWTHS; g++) {
        AUTO_TREES random_trees grown = {0};
        size_t some = (size_t)lround(fractions[g] * (double)trees);
        if (!some) continue;
        TRY(grow(&grown, job, stream, g, some));
        for (size_t i = 0; i < both; i++)
            sums[i] += fractions[g] * (isnan(job->scores[i]) && i < count ? 0.5 : (double)job->scores[i]);
        TRY(random_trees_append(onto, &grown, grown.trees));
    }
    return PUAD_OK;
}

size_t pu_rows_random(const pu_rows *rows)
{
    size_t random = rows->anomaly_count - rows->asked_count;
    return random ? random : rows->anomaly_count;
}

/* The first pass: orders the unlabeled rows by how much they look like anomalies, and divides the trees of the
 * second pass among the settings. *out_inner is the mean number of inner nodes of a tree. */
static puad_status first_pass(ranked *order, double fractions[TREE_GROWTHS], double *out_inner,
                              forest_job *job)
{
    const pu_rows *rows = job->rows;
    size_t count = rows->unlabeled_count;
    AUTO_ARENA arena scratch = {0};
    float *scores[TREE_GROWTHS];
    double evidence[TREE_GROWTHS], inner[TREE_GROWTHS];
    for (size_t g = 0; g < TREE_GROWTHS; g++) evidence[g] = -INFINITY;
    size_t settings = rows->one_setting ? 1 : TREE_GROWTHS;
    for (size_t g = 0; g < settings; g++) {
        AUTO_TREES random_trees grown = {0};
        TRY(arena_new(&scratch, &scores[g], count, sizeof *scores[g]));
        TRY(grow(&grown, job, "pu forest, first", g, rows->one_setting ? PU_FOREST_FIRST : PU_FOREST_TRIED));
        inner[g] = (double)(grown.nodes - grown.trees) / 2 / (double)grown.trees;
        memcpy(scores[g], job->scores, count * sizeof *scores[g]);
        TRY(tree_growth_evidence(&evidence[g], job->scores + count, pu_rows_random(rows), scores[g], count));
    }
    tree_growth_fractions(fractions, evidence);
    *out_inner = 0;
    for (size_t g = 0; g < settings; g++) *out_inner += fractions[g] * inner[g];
    for (size_t i = 0; i < count; i++) {
        double score = 0;
        for (size_t g = 0; g < settings; g++)
            score += isnan(scores[g][i]) ? 0 : fractions[g] * (double)scores[g][i];
        order[i] = (ranked){(float)score, rows->unlabeled[i]};
    }
    qsort(order, count, sizeof *order, highest_first);
    return PUAD_OK;
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
    AUTO_TREES random_trees all = {0};
    double *sums, alphas[PU_FOREST_ALPHAS], fractions[TREE_GROWTHS], inner;
    ranked *order;
    uint32_t *kept;
    forest_job job = {.rows = rows,
                      .plan = {.values = rows->values,
                               .columns = rows->columns,
                               .first_column = rows->first_column,
                               .positives = rows->anomalies,
                               .positive_count = rows->anomaly_count,
                               .asked_count = rows->asked_count,
                               .negatives = rows->unlabeled,
                               .negative_count = count,
                               .normals = rows->normals,
                               .normal_count = rows->normal_count,
                               .seed = seed},
                      .workers = workers};
    TRY(arena_new(&scratch, &sums, count + rows->anomaly_count, sizeof *sums));
    TRY(arena_new(&scratch, &order, count, sizeof *order));
    TRY(arena_new(&scratch, &kept, count, sizeof *kept));
    TRY(arena_new(&scratch, &job.numbers, count + rows->anomaly_count, sizeof *job.numbers));
    TRY(arena_new(&scratch, &job.scores, count + rows->anomaly_count, sizeof *job.scores));
    memcpy(job.numbers, rows->unlabeled, count * sizeof *job.numbers);
    memcpy(job.numbers + count, rows->anomalies, rows->anomaly_count * sizeof *job.numbers);
    TRY(first_pass(order, fractions, &inner, &job));
    for (size_t i = 0; i < count; i++) kept[i] = order[i].number;
    static const char *const streams[PU_FOREST_ALPHAS] = {"pu forest, all", "pu forest, few",
                                                          "pu forest, some", "pu forest, many"};
    size_t forests = pu_forest_alphas(alphas, alpha);
    for (size_t i = 0; i < forests; i++) {
        size_t suspects = (size_t)lround(alphas[i] * (double)count);
        if (suspects >= count) suspects = count - 1;
        job.plan.negatives = kept + suspects;
        job.plan.negative_count = count - suspects;
        TRY(add_forest(&all, sums, &job, streams[i], fractions, tree_count(inner, forests)));
    }
    for (size_t i = 0; outside && i < count; i++) outside->unlabeled[i] = (float)(sums[i] / (double)forests);
    for (size_t i = 0; outside && i < rows->anomaly_count; i++)
        outside->anomalies[i] = (float)(sums[count + i] / (double)forests);
    *out = all;
    all = (random_trees){0};
    return PUAD_OK;
}
