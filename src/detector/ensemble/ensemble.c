/* Fits detectors without a network. */
#include "base/clock.h"
#include "base/rng.h"
#include "base/sort.h"
#include "detector/ensemble/recurrence_forest.h"
#include "detector/forest/pu_forest.h"
#include "detector/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ISOLATION_TREES_ALONE =
        300, /* without labels; three times the usual number, because tails need more precision than ranks */
    ISOLATION_TREES_BESIDE = 128, /* with labels more of them change nothing */
};

void ensemble_free(ensemble *owner)
{
    isolation_forest_free(&owner->isolation);
    random_trees_free(&owner->trees);
    nearest_rows_free(&owner->near);
    principal_free(&owner->axes);
    recurrence_free(&owner->recurring);
    series_evidence_free(&owner->series);
    pu_linear_free(&owner->linear);
    arena_free(&owner->memory);
    *owner = (ensemble){0};
}

/* A random sample of the rows of one label, at most PU_FOREST_POOL: each tree draws only a few hundred. */
static puad_status gather(uint32_t **out, size_t *out_count, arena *memory, const train_rows *rows, int label,
                          uint64_t seed, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->rows; i++) count += rows->labels[i] == label;
    uint32_t *numbers;
    TRY(arena_new(memory, &numbers, count, sizeof *numbers));
    count = 0;
    for (size_t i = 0; i < rows->rows; i++)
        if (rows->labels[i] == label) numbers[count++] = (uint32_t)i;
    if (count > max) {
        rng draws = rng_make(seed, rng_stream("pool", (uint64_t)label + 1));
        rng_draw_to_front(&draws, numbers, max, count);
        count = max;
    }
    *out = numbers;
    *out_count = count;
    return PUAD_OK;
}

/* Moves the rows that a reviewer was asked about to the end. */
static puad_status asked_last(size_t *out_count, uint32_t *numbers, size_t count, const uint8_t *asked)
{
    size_t first = 0, moved = 0;
    AUTO_FREE uint32_t *apart = NULL;
    *out_count = 0;
    if (!asked || !count) return PUAD_OK;
    TRY(memory_new(&apart, count, sizeof *apart, "answers"));
    for (size_t i = 0; i < count; i++) {
        if (asked[numbers[i]])
            apart[moved++] = numbers[i];
        else
            numbers[first++] = numbers[i];
    }
    memcpy(numbers + first, apart, moved * sizeof *apart);
    *out_count = moved;
    return PUAD_OK;
}

static puad_status learn_typical(ensemble *parts, const float *values, size_t columns,
                                 const uint32_t *numbers, size_t count)
{
    AUTO_FREE float *column = NULL;
    /* evenly spaced, since the file may be sorted */
    size_t taken = count < TAIL_LEVELS_MAX ? count : TAIL_LEVELS_MAX;
    TRY(memory_new(&column, taken, sizeof *column, "a column"));
    TRY(arena_new(&parts->memory, &parts->typical, columns, sizeof *parts->typical));
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < taken; i++) column[i] = values[numbers[i * count / taken] * columns + c];
        sort_floats(column, taken);
        parts->typical[c] = column[taken / 2];
    }
    return PUAD_OK;
}

/* Each member's scores of the unlabeled rows, out of bag if possible. */
typedef struct member_scores {
    float *isolation, *distance, *forest;
    float *labeled; /* the forest's out-of-bag scores of the labeled anomalies */
} member_scores;

static puad_status learn_scales(ensemble *parts, const member_scores *scores, const float *pool,
                                const uint32_t *own, const float *values, size_t count, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    float *isolation = scores->isolation, *distance = scores->distance, *both;
    TRY(arena_new(&scratch, &both, count, sizeof *both));
    isolation_forest_score(isolation, &parts->isolation, pool, count, workers);
    TRY(nearest_rows_score(distance, &parts->near, values, own, count, workers, &scratch));
    TRY(tail_scale_make(&parts->isolation_scale, &parts->memory, isolation, count));
    TRY(tail_scale_make(&parts->nearest_scale, &parts->memory, distance, count));
    for (size_t i = 0; i < count; i++) both[i] = (float)ensemble_outlier(parts, isolation[i], distance[i]);
    return tail_scale_make(&parts->outlier_scale, &parts->memory, both, count);
}

/* Shape a of the Beta(a, 1) density a p^(a - 1) fitted to the labeled anomalies' tail probabilities,
 * shrunk to 1/2 with the weight of LABELS_MAX pseudo-labels; the weight of the labels is limited because
 * they show only known kinds. Writes the tail probabilities to p. */
static puad_status learn_shape(ensemble *parts, double *p, const float *values, size_t columns,
                               const uint32_t *numbers, size_t count, team *workers)
{
    const double LABELS_MAX = 4, min = 0.05, max = 0.95;
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
    TRY(nearest_rows_score(distance, &parts->near, rows, NULL, count, workers, &scratch));
    for (size_t i = 0; i < count; i++)
        p[i] = tail_probability(&parts->outlier_scale, ensemble_outlier(parts, isolation[i], distance[i]));
    double sum = 0, labels = (double)count * LABELS_MAX / ((double)count + LABELS_MAX);
    for (size_t i = 0; i < count; i++) sum -= log(p[i]);
    double found = (labels + LABELS_MAX) / (labels * sum / (double)count + LABELS_MAX / 0.5);
    parts->shape = (float)fmin(fmax(found, min), max);
    return PUAD_OK;
}

/* Mean contributions in the rows with the most evidence. */
static puad_status learn_members(puad_detector *model, const member_scores *member, size_t count)
{
    enum { TOP_SHARE = 100, TOP_MIN = 10 };
    AUTO_ARENA arena scratch = {0};
    float *scores, *order;
    TRY(arena_new(&scratch, &scores, count, sizeof *scores));
    TRY(arena_new(&scratch, &order, count, sizeof *order));
    for (size_t i = 0; i < count; i++) {
        reasons why = ensemble_evidence(model, member->isolation[i], member->distance[i], member->forest[i]);
        scores[i] = order[i] = (float)(why.alike + why.unusual);
    }
    sort_floats(order, count);
    size_t top = count / TOP_SHARE > TOP_MIN ? count / TOP_SHARE : count < TOP_MIN ? count : TOP_MIN;
    double sums[MEMBERS] = {0}, rows = 0;
    for (size_t i = 0; i < count; i++) {
        double shares[MEMBERS];
        if (scores[i] < order[count - top]) continue;
        ensemble_members(model, shares, member->isolation[i], member->distance[i], member->forest[i]);
        for (int k = 0; k < MEMBERS; k++) sums[k] += shares[k];
        rows++;
    }
    for (int k = 0; k < MEMBERS; k++) model->parts.members[k] = (float)(sums[k] / rows);
    return PUAD_OK;
}

/* Copies all known rows, with the distance to the nearest rows as a last column. The distance of an
 * unlabeled row uses only samples that do not contain it. */
static puad_status widen(pu_rows *out, arena *memory, ensemble *parts, const pu_rows *known,
                         const float *outside, team *workers)
{
    size_t columns = known->columns,
           counts[3] = {known->unlabeled_count, known->anomaly_count, known->normal_count};
    const uint32_t *kinds[3] = {known->unlabeled, known->anomalies, known->normals};
    size_t total = counts[0] + counts[1] + counts[2], max = counts[1] > counts[2] ? counts[1] : counts[2],
           row = 0;
    AUTO_ARENA arena scratch = {0};
    float *values, *labeled, *distance;
    uint32_t *numbers;
    TRY(arena_new(memory, &values, total * (columns + 1), sizeof *values));
    TRY(arena_new(memory, &numbers, total, sizeof *numbers));
    TRY(arena_new(&scratch, &labeled, max * columns, sizeof *labeled));
    TRY(arena_new(&scratch, &distance, max, sizeof *distance));
    *out = (pu_rows){.values = values,
                     .columns = columns + 1,
                     .unlabeled = numbers,
                     .unlabeled_count = counts[0],
                     .anomalies = numbers + counts[0],
                     .anomaly_count = counts[1],
                     .normals = numbers + counts[0] + counts[1],
                     .normal_count = counts[2]};
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; kind && i < counts[kind]; i++)
            memcpy(labeled + i * columns, known->values + kinds[kind][i] * columns,
                   columns * sizeof *labeled);
        if (kind)
            TRY(nearest_rows_score(distance, &parts->near, labeled, NULL, counts[kind], workers, &scratch));
        for (size_t i = 0; i < counts[kind]; i++, row++) {
            memcpy(values + row * (columns + 1), known->values + kinds[kind][i] * columns,
                   columns * sizeof *values);
            values[row * (columns + 1) + columns] = kind ? distance[i] : outside[i];
            numbers[row] = (uint32_t)row;
        }
    }
    return PUAD_OK;
}

/* Uses the labeled anomalies that some trees did not train on. */
static puad_status learn_weights(puad_detector *model, const member_scores *scores, const double *p,
                                 size_t count, size_t labels)
{
    ensemble *parts = &model->parts;
    AUTO_ARENA arena scratch = {0};
    log_evidence *unlabeled, *labeled;
    size_t outside = 0;
    TRY(arena_new(&scratch, &unlabeled, count, sizeof *unlabeled));
    TRY(arena_new(&scratch, &labeled, labels, sizeof *labeled));
    for (size_t i = 0; i < count; i++) {
        double outlier = ensemble_outlier(parts, scores->isolation[i], scores->distance[i]);
        unlabeled[i] =
            ensemble_log_evidence(parts, tail_probability(&parts->outlier_scale, outlier), scores->forest[i]);
    }
    for (size_t i = 0; i < labels; i++)
        if (!isnan(scores->labeled[i]))
            labeled[outside++] = ensemble_log_evidence(parts, p[i], scores->labeled[i]);
    evidence_weights_fit(&parts->weights, unlabeled, count, labeled, outside);
    double novelty = (double)evidence_novelty(model->config.novelty, labels);
    evidence_novelty_fit(&parts->weights, novelty, labeled, outside);
    return PUAD_OK;
}

static puad_status fit_parts(puad_detector *model, const train_rows *rows, team *workers)
{
    ensemble *parts = &model->parts;
    unsigned wanted = detector_kind_parts(model->config.kind);
    size_t columns = shape_size(rows->in);
    /* Only a stand-alone isolation forest draws from all rows, as in its paper. */
    size_t max = wanted == PART_ISOLATION ? SIZE_MAX : PU_FOREST_POOL;
    uint64_t seed = model->config.seed;
    AUTO_ARENA arena scratch = {0}, pool_memory = {0};
    uint32_t *unlabeled, *anomalies, *normals;
    pu_rows known = {.values = rows->values, .columns = columns};
    TRY(gather(&unlabeled, &known.unlabeled_count, &scratch, rows, PUAD_LABEL_UNLABELED, seed, max));
    TRY(gather(&anomalies, &known.anomaly_count, &scratch, rows, PUAD_LABEL_ANOMALY, seed, max));
    TRY(gather(&normals, &known.normal_count, &scratch, rows, PUAD_LABEL_NORMAL, seed, max));
    known.unlabeled = unlabeled;
    known.anomalies = anomalies;
    TRY(asked_last(&known.asked_count, anomalies, known.anomaly_count, rows->asked));
    known.normals = normals;
    size_t count = known.unlabeled_count;
    if (count == 0)
        FAIL(PUAD_INVALID, "method %s needs unlabeled rows, and there are none", model->config.kind->name);
    if (wanted == PART_TREES && known.anomaly_count == 0)
        FAIL(PUAD_INVALID, "method %s needs labeled anomalies, and there are none", model->config.kind->name);
    TRY(learn_typical(parts, rows->values, columns, unlabeled, count));
    float *pool = NULL;
    if (wanted & PART_ISOLATION) {
        TRY(arena_new(&pool_memory, &pool, count * columns, sizeof *pool));
        for (size_t i = 0; i < count; i++)
            memcpy(pool + i * columns, rows->values + unlabeled[i] * columns, columns * sizeof *pool);
        TRY(isolation_forest_fit(&parts->isolation, pool, count, columns,
                                 wanted == PART_ISOLATION ? FOREST_TREES
                                 : known.anomaly_count    ? ISOLATION_TREES_BESIDE
                                                          : ISOLATION_TREES_ALONE,
                                 FOREST_SAMPLE, seed, workers));
    }
    if (wanted & PART_PRINCIPAL) return principal_fit(&parts->axes, rows->values, columns, unlabeled, count);
    if (wanted & PART_LINEAR) {
        pu_linear_rows given = {.values = rows->values,
                                .columns = columns - model->config.patches,
                                .patches = model->config.patches,
                                .unlabeled = unlabeled,
                                .anomalies = anomalies,
                                .normals = normals,
                                .unlabeled_count = count,
                                .anomaly_count = known.anomaly_count,
                                .normal_count = known.normal_count};
        double alpha = recipe_alpha_known(&model->config) ? model->config.objective.alpha : (double)NAN;
        return pu_linear_fit(&parts->linear, &given, alpha, seed, workers);
    }
    if (wanted & PART_RECURRENCE) {
        recurrence_rows series = {rows->values,         rows->labels, rows->rows,  model->config.window,
                                  model->config.stride, columns,      rows->scale, rows->first};
        TRY(recurrence_fit(&parts->recurring, &series, workers));
        if (!parts->recurring.known) { /* no labels, or they are ignored */
            int8_t *ignored;
            TRY(arena_new(&scratch, &ignored, rows->rows, sizeof *ignored));
            memset(ignored, PUAD_LABEL_UNLABELED, rows->rows);
            series.labels = ignored;
        }
        TRY(series_evidence_fit(&parts->series, &parts->recurring, &series, workers));
        return recurrence_forest_fit(model, rows, workers);
    }
    if (wanted & PART_NEAREST)
        TRY(nearest_rows_fit(&parts->near, rows->values, columns, unlabeled, count, seed));
    member_scores scores;
    TRY(arena_new(&scratch, &scores.isolation, count, sizeof *scores.isolation));
    TRY(arena_new(&scratch, &scores.distance, count, sizeof *scores.distance));
    TRY(arena_new(&scratch, &scores.forest, count, sizeof *scores.forest));
    TRY(arena_new(&scratch, &scores.labeled, known.anomaly_count, sizeof *scores.labeled));
    bool committee = wanted & PART_NEAREST && wanted & PART_ISOLATION;
    if (committee) TRY(learn_scales(parts, &scores, pool, unlabeled, rows->values, count, workers));
    arena_free(&pool_memory);
    if (wanted & PART_TREES && known.anomaly_count) {
        pu_rows wider = known;
        if (committee) TRY(widen(&wider, &scratch, parts, &known, scores.distance, workers));
        TRY(pu_forest_fit(&parts->trees, &(pu_out_of_bag){scores.forest, scores.labeled}, &wider,
                          recipe_alpha(&model->config), seed, workers));
    }
    if (!committee) return PUAD_OK;
    double *p;
    size_t labels = pu_rows_random(&known);
    TRY(arena_new(&scratch, &p, labels, sizeof *p));
    TRY(learn_shape(parts, p, rows->values, columns, anomalies, labels, workers));
    if (labels) TRY(learn_weights(model, &scores, p, count, labels));
    return learn_members(model, &scores, count);
}

puad_status ensemble_fit(puad_detector *model, const train_rows *rows, team *workers)
{
    double begin = seconds_now();
    TRY(fit_parts(model, rows, workers));
    model->seconds = seconds_now() - begin;
    return PUAD_OK;
}
