/* The weights of the ensemble's two kinds of evidence: the PU forest's, and rarity.
 *
 * A row's evidence of being like the labeled anomalies is exp(f log F + u log U) / mean, where F is the
 * forest's odds, U the evidence of rarity, and the mean is over the unlabeled rows. The exponents f and u
 * maximize the likelihood of the labeled anomalies under this density ratio, minus PRECISION / 2 times
 * their squared distance from 1 and 0. F is out of bag, so a forest that merely memorizes its labels gets
 * no weight. With few labels the exponents stay close to their start. */
#ifndef DETECTOR_ENSEMBLE_EVIDENCE_WEIGHTS_H
#define DETECTOR_ENSEMBLE_EVIDENCE_WEIGHTS_H

#include <stddef.h>

/* log F and log U of a row. */
typedef struct log_evidence {
    double forest, unusual;
} log_evidence;

typedef struct evidence_weights {
    float forest, unusual; /* exponents, at least 0 */
    float log_mean;
    float novelty; /* weight of kinds without labels, in [0, 1] */
} evidence_weights;

/* `unlabeled` has at least one row; `labeled` may have none. */
void evidence_weights_fit(evidence_weights *out, const log_evidence *unlabeled, size_t count,
                          const log_evidence *labeled, size_t labels);

/* The weight of new kinds for this many labels, before any evidence: `novelty` from 3 labels on, 1.4 times that with one label. */
float evidence_novelty(double novelty, size_t labels);

/* Sets the novelty to the fraction of the labeled anomalies that the evidence of rarity explains better
 * than that of being like the labeled ones: the posterior mode of a mixture of both densities, with a prior
 * as strong as three labels whose mean is `first`. At least `first`, since labels do not show new kinds. So
 * a forest that does not find the labels it has not seen leaves the score to the unsupervised members. */
void evidence_novelty_fit(evidence_weights *out, double first, const log_evidence *labeled, size_t labels);

/* The logarithm of the evidence that a row is like the labeled anomalies. */
double evidence_alike(const evidence_weights *weights, log_evidence row);

#endif
