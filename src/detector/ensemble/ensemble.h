/* Detectors without a network: an isolation forest, a PU forest, the nearest of a few rows, the committee
 * of the three, principal components, and windows that recur.
 *
 * The committee has two kinds of evidence that a row is anomalous, each with mean 1 over the unlabeled rows.
 * The row is unusual: U = a p^(a - 1), where p is the tail probability of the isolation forest's and the
 * nearest rows' scores together. a is 1/2, or nearer to 1, where U is 1, if the labeled anomalies are not
 * unusual in this sense. The row is like the labeled anomalies: F^f U^u / mean, where F is the odds of the PU
 * forest and the exponents f and u follow the labels (evidence_weights.h). The forest has the distance to the
 * nearest rows as one more column, for labeled anomalies that are far from other rows. With n, the weight of
 * kinds that no label shows (option novelty, more with one or two labels), a row's evidence is (1 - n) times
 * the second plus n times the first, and its score the logarithm. Without labels the first is the only one.
 * With labels p is at least 1 / (rows + 1): unlabeled rows do not show what is rarer. */
#ifndef DETECTOR_ENSEMBLE_ENSEMBLE_H
#define DETECTOR_ENSEMBLE_ENSEMBLE_H

#include "detector/ensemble/empirical_tail.h"
#include "detector/ensemble/evidence_weights.h"
#include "detector/ensemble/nearest_rows.h"
#include "detector/ensemble/pca.h"
#include "detector/ensemble/pu_linear.h"
#include "detector/ensemble/recurrence.h"
#include "detector/forest/isolation_forest.h"
#include "detector/forest/random_trees.h"

struct puad_detector;
struct train_rows;
struct ready_trees;

#define ODDS_BOUND 1e-4 /* a forest's share is kept this far from 0 and 1 */

/* What a detector consists of; a set of bits. */
enum {
    PART_ISOLATION = 1,
    PART_TREES = 2,
    PART_NEAREST = 4,
    PART_PRINCIPAL = 8,
    PART_RECURRENCE = 16,
    PART_LINEAR = 32
};

/* The members of the committee. */
enum { MEMBER_TREES, MEMBER_ISOLATION, MEMBER_NEAREST, MEMBERS };

typedef struct ensemble {
    arena memory;
    isolation_forest isolation;
    random_trees trees;
    nearest_rows near;
    principal axes;
    recurrence recurring;
    pu_linear linear;
    float *typical; /* the median of each column over unlabeled rows, for explanations */
    /* Of the committee, whose trees have one more column: the nearest rows' score. */
    tail_scale isolation_scale, nearest_scale, outlier_scale;
    float shape;              /* a of the evidence a p^(a - 1) */
    evidence_weights weights; /* of a model with labels */
    /* mean share of each in the evidence of the top hundredth of the unlabeled rows */
    float members[MEMBERS];
} ensemble;

/* Odds of a forest's share. */
double ensemble_odds(float share);
/* How unusual a row is by the isolation forest and the nearest rows together. */
double ensemble_outlier(const ensemble *parts, float isolation, float distance);

/* The two reasons for a row: that it is like the labeled ones, and that it is like nothing else. */
typedef struct reasons {
    double alike, unusual;
} reasons;

/* Of a model with labels; `p` is the fraction of unlabeled rows that are as unusual. */
log_evidence ensemble_log_evidence(const ensemble *parts, double p, float share);
reasons ensemble_evidence(const struct puad_detector *model, float isolation, float distance, float share);

puad_status ensemble_fit(struct puad_detector *model, const struct train_rows *rows, team *workers);
/* `ready` (forest_scoring_cache.h) may be NULL. `scratch` is reset for each block of rows. */
puad_status ensemble_score(const struct puad_detector *model, const struct ready_trees *ready, float *scores,
                           const float *values, size_t rows, team *workers, arena *scratch);

/* How much of a row's evidence comes from each member of the committee,
 * given their scores of it; shares that sum to 1. What the isolation forest
 * and the nearest rows say together is divided by the surprise of each. */
void ensemble_members(const struct puad_detector *model, double shares[MEMBERS], float isolation,
                      float distance, float forest);

/* Shares of the columns in a row's score. A column of the file, whatever it is encoded as, counts by how far
 * the score falls when its value becomes a typical one, and by how far the score of a typical row rises when
 * it takes over the value: the first alone would say nothing of two columns of which each is reason enough.
 * The share goes to the encoded column that is furthest from its typical value. */
puad_status ensemble_explain(const struct puad_detector *model, const struct ready_trees *ready,
                             float *shares, const float *row, team *workers, arena *passes);

void ensemble_free(ensemble *owner);

#endif
