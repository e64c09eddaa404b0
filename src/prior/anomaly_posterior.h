/* The posterior P(anomaly | score), with the uncertainty of few labels.
 *
 * Labeled anomalies A are a random sample of all anomalies. Among all rows (A and unlabeled ones U), a row
 * of score s is therefore labeled with probability c k p(s), where p(s) = 1 / (1 + exp(-b (s - m)))
 * increases with the score (on a logarithmic scale), k is the fraction of anomalies where the score is
 * highest, and c the fraction of anomalies that are labeled. m and b are estimated from A and U. k is not
 * identifiable: a region with 80% anomalies looks like one with 100%, except that fewer anomalies are
 * hidden in U. Several values are therefore used, each with a prior weight (purity_beliefs).
 *
 * Every state (m, b, k) has a weight, its posterior probability. A priori the fraction of anomalies is at
 * most one half of A and U (or a fraction of U: purity_beliefs) and log-uniform: if scores are
 * uninformative, many rows may be normal. The likelihood is tempered to at most `trust` labels, since p
 * does not have exactly this form for any number of labels. */
#ifndef PRIOR_ANOMALY_POSTERIOR_H
#define PRIOR_ANOMALY_POSTERIOR_H

#include "prior/score_bootstrap.h"

enum { PURITY_LABELS_MIN = 5, PURITY_CEILINGS = 5 };

/* The prior. */
typedef struct purity_beliefs {
    double trust; /* maximum number of labels that the likelihood counts */
    /* At most half of A and U together are anomalies, or this fraction of U, if that is more. If A are all
     * labels and U is a sample of the unlabeled rows, A alone may be a half; decisions, which have 0 here,
     * then use p-values that need no labels. */
    double bound_of_unlabeled;
    struct {
        /* how pure the highest scores may be, and the probability of that; 0: impossible */
        double share, belief;
    } ceiling[PURITY_CEILINGS];
} purity_beliefs;
extern const purity_beliefs purity_for_decisions; /* for flagging few rows with the highest scores */
extern const purity_beliefs purity_for_intervals; /* whose ends must include unlikely states */
extern const purity_beliefs purity_for_bands;     /* of the operating table */

typedef struct purity {
    arena memory; /* owns the arrays */
    size_t unlabeled, anomalies;
    size_t bins;     /* of U, highest scores first; single rows at the top */
    size_t *to;      /* per bin: rows of U in this bin and all before it */
    size_t states;   /* number of (m, b, k) with a relevant weight */
    double *weight;  /* per state; sum 1 */
    double *alpha;   /* per state: the fraction of anomalies in U */
    float *hidden;   /* states x bins: P(anomaly | a row of U in this bin) */
    double *labeled; /* per bin: P(labeled | a row of A and U in this bin), the mean over states */
} purity;

/* Scores must not be NaN; at least PURITY_LABELS_MIN anomalies and one unlabeled row. `evidence`
 * multiplies the number of labels, for hypothetical numbers; normally 1. */
puad_status purity_new(purity *out, const pu_sample *sample, const purity_beliefs *before, double evidence);
void purity_free(purity *owner); /* {0} is fine */
#define AUTO_PURITY __attribute__((cleanup(purity_free)))

/* The bin that contains the row of U with this rank (from 1); 0 gives the first. */
size_t purity_bin(const purity *bounds, size_t rank);

/* alpha_U, and the 2.5% and 97.5% quantiles over the states. The estimate is their median under a uniform
 * instead of a log-uniform prior, which had the smaller error. */
puad_status purity_alpha(const purity *bounds, double *out_alpha, double *out_low, double *out_high);

/* An upper bound of alpha with 97.5% confidence, for any form of p: if a fraction G_A of all anomalies and
 * G_U of the unlabeled rows exceed t, alpha is at most G_U / G_A. Five thresholds are tried; each fraction
 * is taken at the conservative end of an interval that allows for all of them. */
double purity_bound(const pu_sample *sample);

/* The states for intervals, alpha_U and its interval: the states' 2.5% and 97.5% quantiles, the upper one
 * at least purity_bound. */
puad_status purity_estimate(purity *out, double *out_alpha, double *out_low, double *out_high,
                            const pu_sample *sample);

/* p[rank], rank = 0 .. unlabeled: the fraction of normal rows with at least the score of the row of U with
 * this rank (0: higher than all). The mean over the states or, if larger, the weighted 90% quantile over
 * the states divided by `excess`; non-decreasing. */
puad_status purity_tail(double *p, const purity *bounds, double excess);

/* P(anomaly | a row of U in this bin), the mean over the states; non-increasing. */
void purity_posterior(double *posterior, const purity *bounds);

#endif
