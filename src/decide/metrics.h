/* How well scores rank anomalies above normals: the ROC curve, and the figures read from it. Counts are kept
 * exact, so a figure has one rounding and does not depend on the order of the rows. */
#ifndef DECIDE_METRICS_H
#define DECIDE_METRICS_H

#include "base/memory.h"

/* Point i says what calling all rows with score >= threshold[i] an anomaly would give. Point 0 calls nothing
 * (threshold +infinity), the last one everything; rows with equal scores are one step, so ties count half in
 * the area. */
typedef struct roc {
    arena memory; /* owns the arrays */
    size_t positives, negatives;
    size_t points;
    float *threshold;
    uint64_t *true_positives, *false_positives; /* up to and including each point */
} roc;

/* From scores (larger = more anomalous) and truth (1 is an anomaly, everything else normal). A score that is
 * NaN is PUAD_NUMERIC and named. */
puad_status roc_new(roc *out, const float *scores, const int8_t *truth, size_t rows);
void roc_free(roc *owner); /* {0} is fine */
#define AUTO_ROC __attribute__((cleanup(roc_free)))

/* NaN where the figure does not exist: no positives, or (all but average precision) no negatives. */
double roc_auroc(const roc *curve);             /* area; ties count half */
double roc_average_precision(const roc *curve); /* sum of precision x gain in recall over the steps */
double roc_tpr_at_fpr(const roc *curve,
                      double fpr); /* largest TPR of a threshold whose FPR is at most this */

double roc_tpr(const roc *curve, size_t point);
double roc_fpr(const roc *curve, size_t point);

/* roc_new + roc_auroc. */
puad_status metrics_auroc(double *out, const float *scores, const int8_t *truth, size_t rows);

#endif
