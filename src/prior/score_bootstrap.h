/* What labeled anomalies A and unlabeled rows U can say about one another through a score alone, resampled
 * cheaply.
 *
 * Every share G_S(t) that matters changes only at the scores of A, so a row is kept as the number of its slot
 * between those scores: slot 2j+1 is the j-th largest distinct score of A itself, slot 2j lies above it, and
 * below the slot before. A resample is then a histogram over slots, and a pass over it costs as much as there
 * are anomalies. */
#ifndef PRIOR_SCORE_BOOTSTRAP_H
#define PRIOR_SCORE_BOOTSTRAP_H

#include "base/memory.h"
#include "base/rng.h"

typedef struct pu_scores {
    arena memory; /* owns the arrays */
    size_t anomalies, unlabeled;
    size_t levels;            /* distinct scores of A */
    size_t slots;             /* 2 * levels + 1 */
    float *level;             /* the distinct scores of A, largest first */
    uint32_t *anomaly_slot;   /* one per row of A; odd */
    uint32_t *unlabeled_slot; /* one per row of U */
} pu_scores;

/* Scores must not be NaN and neither part empty. */
puad_status pu_scores_new(pu_scores *out, const float *anomaly, size_t anomalies, const float *unlabeled,
                          size_t unlabeled_count);
void pu_scores_free(pu_scores *owner);
#define AUTO_PU_SCORES __attribute__((cleanup(pu_scores_free)))

/* How often each row is drawn in a resample of `rows` rows with replacement. */
void pu_resample(uint32_t *times, size_t rows, rng *draws);

/* Share of pairs (a, u) with a scoring higher, ties half, from histograms over slots: the AUROC of A against
 * U. */
double pu_auroc(const uint32_t *anomaly_counts, const uint32_t *unlabeled_counts, size_t slots);

/* AUROC of anomalies against normal rows, from that of A against U: (auroc - alpha/2) / (1 - alpha), within
 * [0, 1]. */
double pu_auroc_corrected(double auroc, double alpha);

/* The q-th quantile of values, which are sorted by the call; linear between neighbours. */
double quantile_of(double *values, size_t count, double q);

#endif
