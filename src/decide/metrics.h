/* How well scores rank anomalies above normal rows: the ROC curve and its metrics. Counts are exact, so a
 * metric is rounded once and does not depend on the order of the rows. */
#ifndef DECIDE_METRICS_H
#define DECIDE_METRICS_H

#include "base/memory.h"

/* Point i: every row with score >= threshold[i] is called an anomaly. Point 0 calls none (threshold
 * +infinity), the last one all; rows with equal scores are one step, so ties count half in the area. */
typedef struct roc {
    arena memory; /* owns the arrays */
    size_t positives, negatives;
    size_t points;
    float *threshold;
    uint64_t *true_positives, *false_positives; /* up to and including each point */
} roc;

/* From scores (larger = more anomalous) and truth (1 is an anomaly, all else normal). A NaN score is
 * PUAD_NUMERIC; the message names its row. */
puad_status roc_new(roc *out, const float *scores, const int8_t *truth, size_t rows);
void roc_free(roc *owner); /* {0} is fine */
#define AUTO_ROC __attribute__((cleanup(roc_free)))

/* NaN if the metric does not exist: no positives, or (except for average precision) no negatives. */
double roc_auroc(const roc *curve);             /* area; ties count half */
double roc_average_precision(const roc *curve); /* sum of precision x increase of recall over the steps */
double roc_tpr_at_fpr(const roc *curve,
                      double fpr); /* largest TPR of a threshold whose FPR is at most this */

double roc_tpr(const roc *curve, size_t point);
double roc_fpr(const roc *curve, size_t point);

/* roc_new + roc_auroc. */
puad_status metrics_auroc(double *out, const float *scores, const int8_t *truth, size_t rows);

#endif
