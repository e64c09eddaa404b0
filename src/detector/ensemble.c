/* Fitting, scoring and explaining without a network. */
#include "base/clock.h"
#include "base/rng.h"
#include "detector/model.h"
#include "detector/pu_forest.h"
#include "detector/ready_trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMMITTEE_ISOLATION_TREES = 300 }; /* three times the usual number: tails need more than ranks */

void ensemble_free(ensemble *owner)
{
    isolation_forest_free(&owner->isolation);
    random_trees_free(&owner->trees);
    nearest_rows_free(&owner->near);
    arena_free(&owner->memory);
    *owner = (ensemble){0};
}

/* Rows of one label, at most PU_FOREST_POOL of them, drawn: trees look at a few hundred at a time. */
static puad_status gather(uint32_t **out, size_t *out_count, arena *memory, const train_rows *rows, int label,
                          uint64_t seed, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->rows; i++) count += rows->labels[i] == label;
    uint32_t *numbers;
    TRY(arena_new(memory, &numbers, count, sizeof *numbers));
    count = 0;
    for (size_t i = 0; i < rows->rows; i++)
        if (rows->labels[i] == label) numbers[count++] = (uint32_t)i;
    if (count > most) {
        rng draws = rng_make(seed, rng_stream("pool", (uint64_t)(label + 1)));
        rng_draw_to_front(&draws, numbers, most, count);
        count = most;
    }
    *out = numbers;
    *out_count = count;
    return PUAD_OK;
}

static puad_status learn_typical(ensemble *parts, const float *values, size_t columns,
                                 const uint32_t *numbers, size_t count)
{
    AUTO_FREE float *column = NULL;
    size_t taken = count < TAIL_LEVELS_MOST ? count : TAIL_LEVELS_MOST; /* evenly: a file may be sorted */
    TRY(memory_new(&column, taken, sizeof *column, "a column"));
    TRY(arena_new(&parts->memory, &parts->typical, columns, sizeof *parts->typical));
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < taken; i++) column[i] = values[numbers[i * count / taken] * columns + c];
        qsort(column, taken, sizeof *column, compare_scores);
        parts->typical[c] = column[taken / 2];
    }
    return PUAD_OK;
}

static double odds(float share)
{
    double bounded = fmin(fmax((double)share, ODDS_BOUND), 1 - ODDS_BOUND);
    return bounded / (1 - bounded);
}

/* What each member thinks of the unlabeled rows that it was not grown on, as far as it can be told. */
typedef struct member_scores {
    float *isolation, *distance, *forest;
} member_scores;

/* How unusual a row is by both members together. */
static double outlier_score(const ensemble *parts, float isolation, float distance)
{
    return -log(tail_probability(&parts->isolation_scale, (double)isolation)) -
           log(tail_probability(&parts->nearest_scale, (double)distance));
}

static puad_status learn_scales(ensemble *parts, const member_scores *of, const float *pool,
                                const uint32_t *own, const float *values, size_t count, team *workers)
{
    AUTO_FREE float *both = NULL;
    float *isolation = of->isolation, *distance = of->distance;
    TRY(memory_new(&both, count, sizeof *both, "scores"));
    isolation_forest_score(isolation, &parts->isolation, pool, count, workers);
    TRY(nearest_rows_score(distance, &parts->near, values, own, count, workers));
    TRY(tail_scale_make(&parts->isolation_scale, &parts->memory, isolation, count));
    TRY(tail_scale_make(&parts->nearest_scale, &parts->memory, distance, count));
    for (size_t i = 0; i < count; i++) both[i] = (float)outlier_score(parts, isolation[i], distance[i]);
    return tail_scale_make(&parts->outlier_scale, &parts->memory, both, count);
}

/* a of a p^(a - 1), the density that the labeled anomalies' tail probabilities follow best, with as much said
 * for 1/2 beforehand as LABELS_MOST labels say. However many there are, they are of the kinds that are known
 * and say only so much of others. */
static puad_status learn_shape(ensemble *parts, const float *values, size_t columns, const uint32_t *numbers,
                               size_t count, team *workers)
{
    const double LABELS_MOST = 4, least = 0.05, most = 0.95;
    parts->shape = 0.5F;
    if (count == 0) return PUAD_OK;
    AUTO_ARENA arena scratch = {0};
    float *rows, *isolation, *distance;
    TRY(arena_new(&scratch, &rows, count * columns, sizeof *rows));
    TRY(arena_new(&scratch, &isolation, count, sizeof *isolation));
    TRY(arena_new(&scratch, &distance, count, sizeof *distance));
    for (size_t i = 0; i < count; i++)
        memcpy(rows + i * columns, values + numbers[i] * columns, columns * sizeof *rows);
    isolation_forest_score(isolation, &parts->isolation, rows, count, workers);
    TRY(nearest_rows_score(distance, &parts->near, rows, NULL, count, workers));
    double sum = 0, labels = (double)count * LABELS_MOST / ((double)count + LABELS_MOST);
    for (size_t i = 0; i < count; i++)
        sum -= log(tail_probability(&parts->outlier_scale, outlier_score(parts, isolation[i], distance[i])));
    double found = (labels + LABELS_MOST) / (labels * sum / (double)count + LABELS_MOST / 0.5);
    parts->shape = (float)fmin(fmax(found, least), most);
    return PUAD_OK;
}

/* The two reasons for a row: that it is like the labeled ones, and that it is like nothing else. */
typedef struct reasons {
    double alike, unusual;
} reasons;

static reasons evidence(const puad_detector *model, float isolation, float distance, float share)
{
    const ensemble *parts = &model->parts;
    double p = tail_probability(&parts->outlier_scale, outlier_score(parts, isolation, distance));
    double novelty = model->how.novelty, a = (double)parts->shape, unusual = a * pow(p, a - 1);
    if (!parts->trees.trees) return (reasons){0, unusual};
    return (reasons){(1 - novelty) * odds(share) / (double)parts->odds, novelty * unusual};
}

void ensemble_members(const puad_detector *model, double shares[MEMBERS], float isolation, float distance,
                      float forest)
{
    const ensemble *parts = &model->parts;
    reasons why = evidence(model, isolation, distance, forest);
    double rare = -log(tail_probability(&parts->isolation_scale, (double)isolation)),
           far = -log(tail_probability(&parts->nearest_scale, (double)distance)),
           unusual = why.unusual / (why.alike + why.unusual);
    double half = rare + far > 0 ? rare / (rare + far) : 0.5;
    shares[MEMBER_TREES] = 1 - unusual;
    shares[MEMBER_ISOLATION] = unusual * half;
    shares[MEMBER_NEAREST] = unusual * (1 - half);
}

/* Means over the rows with the most evidence. */
static puad_status learn_members(puad_detector *model, const member_scores *of, size_t count)
{
    enum { TOP_SHARE = 100, TOP_LEAST = 10 };
    AUTO_ARENA arena scratch = {0};
    float *scores, *order;
    TRY(arena_new(&scratch, &scores, count, sizeof *scores));
    TRY(arena_new(&scratch, &order, count, sizeof *order));
    for (size_t i = 0; i < count; i++) {
        reasons why = evidence(model, of->isolation[i], of->distance[i], of->forest[i]);
        scores[i] = order[i] = (float)(why.alike + why.unusual);
    }
    qsort(order, count, sizeof *order, compare_scores);
    size_t top = count / TOP_SHARE > TOP_LEAST ? count / TOP_SHARE : count < TOP_LEAST ? count : TOP_LEAST;
    double sums[MEMBERS] = {0}, rows = 0;
    for (size_t i = 0; i < count; i++) {
        double shares[MEMBERS];
        if (scores[i] < order[count - top]) continue;
        ensemble_members(model, shares, of->isolation[i], of->distance[i], of->forest[i]);
        for (int k = 0; k < MEMBERS; k++) sums[k] += shares[k];
        rows++;
    }
    for (int k = 0; k < MEMBERS; k++) model->parts.members[k] = (float)(sums[k] / rows);
    return PUAD_OK;
}

static puad_status fit_trees(puad_detector *model, float *outside, const pu_rows *known, team *workers)
{
    double alpha = recipe_alpha_known(&model->how) ? model->how.objective.alpha : NAN, sum = 0;
    TRY(pu_forest_fit(&model->parts.trees, outside, known, alpha, model->how.seed, workers));
    for (size_t i = 0; i < known->unlabeled_count; i++) sum += odds(outside[i]);
    model->parts.odds = (float)(sum / (double)known->unlabeled_count);
    return PUAD_OK;
}

static puad_status fit_parts(puad_detector *model, const train_rows *rows, team *workers)
{
    ensemble *parts = &model->parts;
    unsigned wanted = detector_kind_parts(model->how.kind);
    size_t columns = shape_size(rows->in);
    /* The isolation forest alone draws from all rows, as its paper has it. */
    size_t most = wanted == PART_ISOLATION ? SIZE_MAX : PU_FOREST_POOL;
    uint64_t seed = model->how.seed;
    AUTO_ARENA arena scratch = {0};
    uint32_t *unlabeled, *anomalies, *normals;
    pu_rows known = {.values = rows->values, .columns = columns};
    TRY(gather(&unlabeled, &known.unlabeled_count, &scratch, rows, PUAD_LABEL_UNLABELED, seed, most));
    TRY(gather(&anomalies, &known.anomaly_count, &scratch, rows, PUAD_LABEL_ANOMALY, seed, most));
    TRY(gather(&normals, &known.normal_count, &scratch, rows, PUAD_LABEL_NORMAL, seed, most));
    known.unlabeled = unlabeled;
    known.anomalies = anomalies;
    known.normals = normals;
    size_t count = known.unlabeled_count;
    if (count == 0)
        FAIL(PUAD_INVALID, "method %s needs unlabeled rows, and there are none", model->how.kind->name);
    if (wanted == PART_TREES && known.anomaly_count == 0)
        FAIL(PUAD_INVALID, "method %s needs labeled anomalies, and there are none", model->how.kind->name);
    TRY(learn_typical(parts, rows->values, columns, unlabeled, count));
    float *pool = NULL;
    if (wanted & PART_ISOLATION) {
        TRY(arena_new(&scratch, &pool, count * columns, sizeof *pool));
        for (size_t i = 0; i < count; i++)
            memcpy(pool + i * columns, rows->values + unlabeled[i] * columns, columns * sizeof *pool);
        TRY(isolation_forest_fit(&parts->isolation, pool, count, columns,
                                 wanted == PART_ISOLATION ? FOREST_TREES : COMMITTEE_ISOLATION_TREES,
                                 FOREST_SAMPLE, seed, workers));
    }
    if (wanted & PART_NEAREST)
        TRY(nearest_rows_fit(&parts->near, rows->values, columns, unlabeled, count, seed));
    member_scores of;
    TRY(arena_new(&scratch, &of.isolation, count, sizeof *of.isolation));
    TRY(arena_new(&scratch, &of.distance, count, sizeof *of.distance));
    TRY(arena_new(&scratch, &of.forest, count, sizeof *of.forest));
    if (wanted & PART_TREES && known.anomaly_count) TRY(fit_trees(model, of.forest, &known, workers));
    if (!(wanted & PART_NEAREST && wanted & PART_ISOLATION)) return PUAD_OK;
    TRY(learn_scales(parts, &of, pool, unlabeled, rows->values, count, workers));
    TRY(learn_shape(parts, rows->values, columns, anomalies, known.anomaly_count, workers));
    return learn_members(model, &of, count);
}

puad_status ensemble_fit(puad_detector *model, const train_rows *rows, team *workers)
{
    double begin = seconds_now();
    TRY(fit_parts(model, rows, workers));
    model->seconds = seconds_now() - begin;
    return PUAD_OK;
}

typedef struct voting {
    const puad_detector *model;
    float *scores;
    const float *isolation, *distance, *share;
    size_t rows;
} voting;

enum { VOTE_ROWS = 256, SCORE_ROWS = 16384 };

static void vote(void *context, size_t item, int thread)
{
    (void)thread;
    voting *all = context;
    size_t end = (item + 1) * VOTE_ROWS < all->rows ? (item + 1) * VOTE_ROWS : all->rows;
    for (size_t i = item * VOTE_ROWS; i < end; i++) {
        reasons why = evidence(all->model, all->isolation[i], all->distance[i], all->share[i]);
        all->scores[i] = (float)log(why.alike + why.unusual);
    }
}

static puad_status score_committee(const puad_detector *model, const ready_trees *ready, float *scores,
                                   const float *values, size_t rows, team *workers)
{
    const ensemble *parts = &model->parts;
    size_t columns = shape_size(model->in), most = rows < SCORE_ROWS ? rows : SCORE_ROWS;
    AUTO_ARENA arena scratch = {0};
    float *isolation, *distance, *share;
    TRY(arena_new(&scratch, &isolation, most, sizeof *isolation));
    TRY(arena_new(&scratch, &distance, most, sizeof *distance));
    TRY(arena_new(&scratch, &share, most, sizeof *share));
    for (size_t first = 0; first < rows; first += most) {
        size_t count = rows - first < most ? rows - first : most;
        const float *block = values + first * columns;
        TRY(forests_score(isolation, parts->trees.trees ? share : NULL, parts, ready, block, count, workers));
        TRY(nearest_rows_score(distance, &parts->near, block, NULL, count, workers));
        voting all = {model, scores + first, isolation, distance, share, count};
        team_run(workers, (count + VOTE_ROWS - 1) / VOTE_ROWS, vote, &all);
    }
    return PUAD_OK;
}

puad_status ensemble_score(const puad_detector *model, const ready_trees *ready, float *scores,
                           const float *values, size_t rows, team *workers)
{
    const ensemble *parts = &model->parts;
    switch (detector_kind_parts(model->how.kind)) {
    case PART_ISOLATION: return forests_score(scores, NULL, parts, ready, values, rows, workers);
    case PART_TREES: return forests_score(NULL, scores, parts, ready, values, rows, workers);
    case PART_NEAREST: return nearest_rows_score(scores, &parts->near, values, NULL, rows, workers);
    default: return score_committee(model, ready, scores, values, rows, workers);
    }
}
