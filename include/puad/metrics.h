/* ROC curve and ranking metrics of scores.
 *
 * Counts are exact: a metric has a single rounding and does not depend on the order of the rows. Threads: a
 * curve does not change. */
#ifndef PUAD_METRICS_H
#define PUAD_METRICS_H

#include <puad/puad.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_roc puad_roc;

/* Creates the curve from scores (larger = more anomalous) and truth (1: anomaly; other values: normal).
 * Errors: PUAD_NUMERIC names a score that is NaN; PUAD_MEMORY. */
PUAD_API puad_status puad_roc_new(puad_roc **out, const float *scores, const int8_t *truth, size_t rows);

PUAD_API void puad_roc_free(puad_roc *curve);

/* Ranking metrics. A metric that is undefined is NaN: without anomalies, or (except average precision)
 * without normal rows. */
typedef struct puad_roc_metrics {
    size_t struct_size;
    size_t anomalies, normals;
    double auroc;             /* ties count half */
    double average_precision; /* sum of precision x increase of recall */
    size_t points;            /* of the curve */
} puad_roc_metrics;

/* Fills *out with the metrics.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_roc_summary(const puad_roc *curve, puad_roc_metrics *out);

/* Returns the largest TPR at an FPR of at most `fpr`. */
PUAD_API double puad_roc_tpr_at_fpr(const puad_roc *curve, double fpr);

/* A point of the curve. Point 0 flags nothing and has threshold infinity; the last point flags everything.
 * Rows with equal scores are one step. */
typedef struct puad_roc_point {
    size_t struct_size;
    double fpr, tpr;
    float threshold;
} puad_roc_point;

/* Fills *out with a point. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_roc_at(const puad_roc *curve, puad_roc_point *out, size_t point);

#ifdef __cplusplus
}
#endif
#endif
