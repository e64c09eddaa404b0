/* Fast bootstrap of statistics of labeled anomalies A and unlabeled rows U that depend only on a score.
 *
 * Every fraction G_S(t) that matters changes only at the scores of A. A row is therefore reduced to the
 * index of its slot between those scores: slot 2j+1 is the j-th largest distinct score of A, slot 2j is
 * between it and the next larger one. A resample is then a histogram over slots, and processing it takes
 * time proportional to the number of anomalies. */
#ifndef PRIOR_SCORE_BOOTSTRAP_H
#define PRIOR_SCORE_BOOTSTRAP_H

#include "base/memory.h"
#include "base/rng.h"

/* Scores of labeled anomalies and of unlabeled rows. Borrowed. */
typedef struct pu_sample {
    const float *anomaly;
    size_t anomalies;
    const float *unlabeled;
    size_t rows; /* unlabeled */
} pu_sample;

typedef struct pu_scores {
    arena memory; /* owns the arrays */
    size_t anomalies, unlabeled;
    size_t levels;            /* distinct scores of A */
    size_t slots;             /* 2 * levels + 1 */
    float *level;             /* the distinct scores of A, in descending order */
    uint32_t *anomaly_slot;   /* one per row of A; odd */
    uint32_t *unlabeled_slot; /* one per row of U */
} pu_scores;

/* Scores must not be NaN; neither part may be empty. */
puad_status pu_scores_new(pu_scores *out, const pu_sample *sample);
void pu_scores_free(pu_scores *owner);
#define AUTO_PU_SCORES __attribute__((cleanup(pu_scores_free)))

/* How often each row is drawn in a resample of `rows` rows with replacement. */
void pu_resample(uint32_t *times, size_t rows, rng *draws);

/* Fraction of pairs (a, u) in which a scores higher, ties half, from histograms over slots: the AUROC of A
 * against U. */
double pu_auroc(const uint32_t *anomaly_counts, const uint32_t *unlabeled_counts, size_t slots);

/* AUROC of anomalies against normal rows, from that of A against U: (auroc - alpha/2) / (1 - alpha), within
 * [0, 1]. */
double pu_auroc_corrected(double auroc, double alpha);

/* The q-th quantile of values, which are sorted in place; linear between neighbors. */
double quantile_of(double *values, size_t count, double q);

#endif
