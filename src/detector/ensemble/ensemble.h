/* Detectors without a network: an isolation forest, a PU forest, nearest neighbors among small samples,
 * the ensemble of the three (method `committee`), principal components, and windows that recur.
 *
 * The ensemble has two kinds of evidence that a row is anomalous, each with mean 1 over the unlabeled
 * rows. (1) The row is unusual: U = a p^(a - 1), where p is the tail probability of the combined scores of
 * the isolation forest and the nearest neighbors. a is 1/2, or closer to 1 (U = 1) if the labeled
 * anomalies are not unusual in this sense. (2) The row is like the labeled anomalies: F^f U^u / mean,
 * where F is the odds of the PU forest and the exponents f and u are fitted to the labels
 * (evidence_weights.h). The forest has the distance to the nearest rows as an additional column, for
 * labeled anomalies that are far from other rows. With n, the weight of kinds without labels (option
 * novelty, more with one or two labels, or if rarity explains more of the labels), a row's evidence is (1 - n) times (2) plus n times (1), and its
 * score is the logarithm. Without labels only (1) is used. With labels p is at least 1 / (rows + 1), since
 * the unlabeled rows cannot show rarer events. */
#ifndef DETECTOR_ENSEMBLE_ENSEMBLE_H
#define DETECTOR_ENSEMBLE_ENSEMBLE_H

#include "detector/ensemble/empirical_tail.h"
#include "detector/ensemble/evidence_weights.h"
#include "detector/ensemble/nearest_rows.h"
#include "detector/ensemble/pca.h"
#include "detector/ensemble/pu_linear.h"
#include "detector/ensemble/series_evidence.h"
#include "detector/forest/isolation_forest.h"
#include "detector/forest/random_trees.h"

struct puad_detector;
struct train_rows;
struct ready_trees;

#define ODDS_BOUND 1e-4 /* a forest's fraction is kept this far from 0 and 1 */

/* The parts of a detector; a set of bits. */
enum {
    PART_ISOLATION = 1,
    PART_TREES = 2,
    PART_NEAREST = 4,
    PART_PRINCIPAL = 8,
    PART_RECURRENCE = 16,
    PART_LINEAR = 32
};

/* The members of the ensemble. */
enum { MEMBER_TREES, MEMBER_ISOLATION, MEMBER_NEAREST, MEMBERS };

typedef struct ensemble {
    arena memory;
    isolation_forest isolation;
    random_trees trees;
    nearest_rows near;
    principal axes;
    recurrence recurring;
    series_evidence series;
    pu_linear linear;
    float *typical; /* the median of each column over unlabeled rows, used in explanations */
    /* Of the ensemble, whose trees have the nearest neighbors' score as an additional column. */
    tail_scale isolation_scale, nearest_scale, outlier_scale;
    float shape;              /* a of the evidence a p^(a - 1) */
    evidence_weights weights; /* of a model trained with labels */
    /* mean contribution of each to the evidence of the top 1% of the unlabeled rows */
    float members[MEMBERS];
} ensemble;

/* The odds of a forest's fraction. */
double ensemble_odds(float share);
/* How unusual a row is, by the isolation forest and the nearest neighbors combined. */
double ensemble_outlier(const ensemble *parts, float isolation, float distance);

/* The two kinds of evidence for a row: similarity to the labeled anomalies, and rarity. */
typedef struct reasons {
    double alike, unusual;
} reasons;

/* For a model trained with labels; `p` is the fraction of unlabeled rows that are at least as unusual. */
log_evidence ensemble_log_evidence(const ensemble *parts, double p, float share);
reasons ensemble_evidence(const struct puad_detector *model, float isolation, float distance, float share);

puad_status ensemble_fit(struct puad_detector *model, const struct train_rows *rows, team *workers);
/* `ready` (forest_scoring_cache.h) may be NULL. `scratch` is reset for each block of rows. */
puad_status ensemble_score(const struct puad_detector *model, const struct ready_trees *ready, float *scores,
                           const float *values, size_t rows, team *workers, arena *scratch);

/* The contribution of each member to a row's evidence, given their scores; contributions sum to 1. The
 * joint evidence of isolation forest and nearest neighbors is split by the negative log tail probability
 * of each. */
void ensemble_members(const struct puad_detector *model, double shares[MEMBERS], float isolation,
                      float distance, float forest);

/* Contributions of the columns to a row's score. All encoded columns of a file column change together. A
 * column's contribution is how far the score falls when its value is replaced by a typical one, plus how
 * far the score of a typical row rises when it gets the value. The first alone would be zero for two
 * columns each of which suffices for a high score. The contribution is assigned to the encoded column that
 * is furthest from its typical value. */
puad_status ensemble_explain(const struct puad_detector *model, const struct ready_trees *ready,
                             float *shares, const float *row, team *workers, arena *passes);

void ensemble_free(ensemble *owner);

#endif
