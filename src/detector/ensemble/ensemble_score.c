/* Computes the ensemble's score from the scores of its members. */
#include "detector/forest/forest_scoring_cache.h"
#include "detector/model/model.h"

#include <math.h>

#define ODDS_BOUND 1e-4 /* a forest's fraction is kept this far from 0 and 1 */

double ensemble_odds(float share)
{
    double bounded = fmin(fmax((double)share, ODDS_BOUND), 1 - ODDS_BOUND);
    return bounded / (1 - bounded);
}

double ensemble_outlier(const ensemble *parts, float isolation, float distance)
{
    return -log(tail_probability(&parts->isolation_scale, (double)isolation)) -
           log(tail_probability(&parts->nearest_scale, (double)distance));
}

log_evidence ensemble_log_evidence(const ensemble *parts, double p, float share)
{
    double a = (double)parts->shape, bounded = fmax(p, 1 / ((double)parts->outlier_scale.count + 1));
    return (log_evidence){log(ensemble_odds(share)), log(a) + (a - 1) * log(bounded)};
}

static reasons evidence(const puad_detector *model, double p, float share)
{
    const ensemble *parts = &model->parts;
    double a = (double)parts->shape, novelty = (double)parts->weights.novelty;
    if (!parts->trees.trees) return (reasons){0, a * pow(p, a - 1)};
    log_evidence row = ensemble_log_evidence(parts, p, share);
    return (reasons){(1 - novelty) * exp(evidence_alike(&parts->weights, row)), novelty * exp(row.unusual)};
}

reasons ensemble_evidence(const puad_detector *model, float isolation, float distance, float share)
{
    const ensemble *parts = &model->parts;
    double outlier = ensemble_outlier(parts, isolation, distance);
    return evidence(model, tail_probability(&parts->outlier_scale, outlier), share);
}

/* The part of the evidence for similarity to the labeled anomalies that is due to rarity. */
static double unusual_part(const ensemble *parts, double outlier, float forest)
{
    if (!parts->trees.trees) return 0;
    log_evidence row = ensemble_log_evidence(parts, tail_probability(&parts->outlier_scale, outlier), forest);
    double unusual = (double)parts->weights.unusual * fmax(0, row.unusual),
           trees = (double)parts->weights.forest * fmax(0, row.forest);
    return unusual > 0 ? unusual / (unusual + trees) : 0;
}

void ensemble_members(const puad_detector *model, double shares[MEMBERS], float isolation, float distance,
                      float forest)
{
    const ensemble *parts = &model->parts;
    reasons why = ensemble_evidence(model, isolation, distance, forest);
    double rare = -log(tail_probability(&parts->isolation_scale, (double)isolation)),
           far = -log(tail_probability(&parts->nearest_scale, (double)distance)),
           unusual = why.unusual / (why.alike + why.unusual);
    double half = rare + far > 0 ? rare / (rare + far) : 0.5;
    unusual += (1 - unusual) * unusual_part(parts, rare + far, forest);
    shares[MEMBER_TREES] = 1 - unusual;
    shares[MEMBER_ISOLATION] = unusual * half;
    shares[MEMBER_NEAREST] = unusual * (1 - half);
}

typedef struct voting {
    const puad_detector *model;
    float *scores;
    const float *isolation, *distance, *share;
    size_t rows;
} voting;

enum { VOTE_ROWS = 64, SCORE_ROWS = 65536 };

static void vote(void *context, size_t item, int thread)
{
    (void)thread;
    voting *all = context;
    const ensemble *parts = &all->model->parts;
    size_t first = item * VOTE_ROWS, count = all->rows - first < VOTE_ROWS ? all->rows - first : VOTE_ROWS;
    double rare[VOTE_ROWS] = {0}, far[VOTE_ROWS] = {0};
    for (size_t i = 0; i < count; i++) {
        rare[i] = (double)all->isolation[first + i];
        far[i] = (double)all->distance[first + i];
    }
    tail_probabilities(rare, &parts->isolation_scale, rare, count);
    tail_probabilities(far, &parts->nearest_scale, far, count);
    /* the same combination as ensemble_outlier */
    for (size_t i = 0; i < count; i++) rare[i] = -log(rare[i]) - log(far[i]);
    tail_probabilities(rare, &parts->outlier_scale, rare, count);
    for (size_t i = 0; i < count; i++) {
        reasons why = evidence(all->model, rare[i], all->share[first + i]);
        all->scores[first + i] = (float)log(why.alike + why.unusual);
    }
}

static puad_status score_committee(const puad_detector *model, const ready_trees *ready, float *scores,
                                   const float *values, size_t rows, team *workers, arena *scratch)
{
    const ensemble *parts = &model->parts;
    float *isolation, *distance, *share;
    TRY(arena_new(scratch, &isolation, rows, sizeof *isolation));
    TRY(arena_new(scratch, &distance, rows, sizeof *distance));
    TRY(arena_new(scratch, &share, rows, sizeof *share));
    TRY(nearest_rows_score(distance, &parts->near, values, NULL, rows, workers, scratch));
    TRY(forests_score(isolation, parts->trees.trees ? share : NULL, parts, ready, values, distance, rows,
                      workers, scratch));
    voting all = {model, scores, isolation, distance, share, rows};
    team_run(workers, (rows + VOTE_ROWS - 1) / VOTE_ROWS, vote, &all);
    return PUAD_OK;
}

/* Windows of a series: recurrence, and the PU forest if there is one (recurrence_forest.h). */
static puad_status score_windows(const puad_detector *model, const ready_trees *ready, float *scores,
                                 const float *values, size_t rows, team *workers, arena *scratch)
{
    const ensemble *parts = &model->parts;
    float *share;
    TRY(recurrence_score(scores, &parts->recurring, values, rows, workers));
    TRY(series_evidence_score(scores, &parts->series, values, rows, workers));
    if (!parts->trees.trees) return PUAD_OK;
    TRY(arena_new(scratch, &share, rows, sizeof *share));
    TRY(forests_score(NULL, share, parts, ready, values, NULL, rows, workers, scratch));
    for (size_t i = 0; i < rows; i++) {
        reasons why = evidence(model, tail_probability(&parts->outlier_scale, (double)scores[i]), share[i]);
        scores[i] = (float)log(why.alike + why.unusual);
    }
    return PUAD_OK;
}

static puad_status score_block(const puad_detector *model, const ready_trees *ready, float *scores,
                               const float *values, size_t rows, team *workers, arena *scratch)
{
    const ensemble *parts = &model->parts;
    switch (detector_kind_parts(model->config.kind)) {
    case PART_ISOLATION:
        return forests_score(scores, NULL, parts, ready, values, NULL, rows, workers, scratch);
    case PART_TREES: return forests_score(NULL, scores, parts, ready, values, NULL, rows, workers, scratch);
    case PART_NEAREST: return nearest_rows_score(scores, &parts->near, values, NULL, rows, workers, scratch);
    case PART_PRINCIPAL: return principal_score(scores, &parts->axes, values, rows, workers, scratch);
    case PART_RECURRENCE | PART_TREES:
        return score_windows(model, ready, scores, values, rows, workers, scratch);
    case PART_LINEAR: return pu_linear_score(scores, &parts->linear, values, rows, workers, scratch);
    default: return score_committee(model, ready, scores, values, rows, workers, scratch);
    }
}

puad_status ensemble_score(const puad_detector *model, const ready_trees *ready, float *scores,
                           const float *values, size_t rows, team *workers, arena *scratch)
{
    size_t columns = shape_size(model->in);
    for (size_t first = 0; first < rows; first += SCORE_ROWS) {
        size_t count = rows - first < SCORE_ROWS ? rows - first : SCORE_ROWS;
        arena_reset(scratch);
        TRY(score_block(model, ready, scores + first, values + first * columns, count, workers, scratch));
    }
    return PUAD_OK;
}
