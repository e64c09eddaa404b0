/* How pure each score is: P(anomaly | score) with all the doubt that few labels leave.
 *
 * Labeled anomalies A are a random sample of all anomalies, so among all rows (A and unlabeled ones U) a row
 * of score s is labeled with probability c k p(s), where p(s) = 1 / (1 + exp(-b (s - m))) rises with the
 * score (on a logarithmic scale), k is the share of anomalies where the score is highest, and c the share of
 * anomalies that are labeled. m and b are read from A and U. k cannot be: a region where four rows in five
 * are anomalies looks like one where all are, only with fewer anomalies hidden in U. So several values are
 * carried along, with what is believed of each beforehand (purity_beliefs).
 *
 * Every state (m, b, k) has a weight, its posterior probability. Beforehand the share of anomalies is taken
 * to be at most a half of A and U (or a share of U: purity_beliefs), and all its orders of magnitude to be
 * equally likely: where scores say little, many rows may well be normal. The likelihood is tempered, as if
 * there were never more than `trust` labels: p is not exactly of this form, and no number of labels makes it
 * so. */
#ifndef PRIOR_ANOMALY_POSTERIOR_H
#define PRIOR_ANOMALY_POSTERIOR_H

#include "base/memory.h"

enum { PURITY_LABELS_LEAST = 5, PURITY_CEILINGS = 5 };

/* What is taken to be so before the scores are seen. */
typedef struct purity_beliefs {
    double trust; /* labels, at most, that the likelihood counts as */
    /* At most a half of A and U together are anomalies, or this share of U, if that is more. Where A is all
     * labels and U a part of the unlabeled rows, A alone may be a half; then decisions, which have 0 here,
     * rest on p-values that need no labels. */
    double bound_of_unlabeled;
    struct {
        double share, belief; /* how pure the highest scores may be, and how likely that is; 0: not at all */
    } ceiling[PURITY_CEILINGS];
} purity_beliefs;
extern const purity_beliefs purity_for_decisions; /* flags few rows, where scores are highest */
extern const purity_beliefs purity_for_intervals; /* whose ends are made by what is barely possible */
extern const purity_beliefs purity_for_bands;     /* of the operating table */

typedef struct purity {
    arena memory; /* owns the arrays */
    size_t unlabeled, anomalies;
    size_t bins;     /* of U, highest scores first; single rows at the top */
    size_t *to;      /* bins: rows of U in this bin and those before */
    size_t states;   /* (m, b, k) with a weight that matters */
    double *weight;  /* states: sum 1 */
    double *alpha;   /* states: the share of anomalies in U */
    float *hidden;   /* states x bins: P(anomaly | a row of U in this bin) */
    double *labeled; /* bins: P(labeled | a row of A and U in this bin), the mean over states */
} purity;

/* Scores must not be NaN; at least PURITY_LABELS_LEAST anomalies and one unlabeled row. `evidence`: how many
 * times as many labels to pretend to have; 1 for those there are. */
puad_status purity_new(purity *out, const float *anomaly, size_t anomalies, const float *unlabeled,
                       size_t unlabeled_count, const purity_beliefs *before, double evidence);
void purity_free(purity *owner); /* {0} is fine */
#define AUTO_PURITY __attribute__((cleanup(purity_free)))

/* The bin that holds the row of U of this rank (from 1); 0 gives the first. */
size_t purity_bin(const purity *of, size_t rank);

/* alpha_U, and the 2.5% and 97.5% quantiles over the states. The estimate is their median as if every share,
 * not every order of magnitude, had been equally likely beforehand, which had the smaller error. */
puad_status purity_alpha(const purity *of, double *out_alpha, double *out_low, double *out_high);

/* What alpha cannot exceed, with 97.5%, whatever form p has: where t is exceeded by a share G_A of all
 * anomalies and G_U of the unlabeled rows, alpha is at most G_U / G_A. Five thresholds are tried, and every
 * share is taken at the unfavourable end of an interval that allows for all of them. */
double purity_bound(const float *anomaly, size_t anomalies, const float *unlabeled, size_t rows);

/* The states for intervals, alpha_U and its interval: the
 * states' 2.5% and 97.5%, and at least purity_bound. */
puad_status purity_estimate(purity *out, double *out_alpha, double *out_low, double *out_high,
                            const float *anomaly, size_t anomalies, const float *unlabeled, size_t rows);

/* p[rank], rank = 0 .. unlabeled: the share of normal rows that score at least as high as the row of U of
 * this rank (0: higher than all): its mean over the states, or what nine tenths of their weight stay below,
 * divided by `excess`, where that is more; never falling. */
puad_status purity_tail(double *p, const purity *of, double excess);

/* P(anomaly | a row of U in this bin), the mean over the states; never rising. */
void purity_posterior(double *posterior, const purity *of);

#endif
