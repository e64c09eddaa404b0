/* How well scores rank anomalies above normals: the ROC curve, and the metrics read from it.
 *
 * Counts are kept exact, so a metric has one rounding and does not depend on the order of the rows.
 * Ownership: the caller frees *out. Threads: a curve does not change. */
#ifndef PUAD_METRICS_H
#define PUAD_METRICS_H

#include <puad/puad.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_roc puad_roc;

/* From scores (larger = more anomalous) and truth (1 is an anomaly, everything else normal). A score that is
 * NaN is PUAD_NUMERIC and named. */
PUAD_API puad_status puad_roc_new(puad_roc **out, const float *scores, const int8_t *truth, size_t rows);
PUAD_API void puad_roc_free(puad_roc *curve); /* NULL is fine */

/* Metrics are NaN if they do not exist: no anomalies, or (all but average precision) no normal rows. */
typedef struct puad_roc_metrics {
    size_t struct_size;
    size_t anomalies, normals;
    double auroc;             /* ties count half */
    double average_precision; /* sum of precision x increase of recall */
    size_t points;            /* of the curve */
} puad_roc_metrics;

PUAD_API puad_status puad_roc_summary(const puad_roc *curve, puad_roc_metrics *out);

/* Returns the largest TPR at an FPR of at most `fpr`. */
PUAD_API double puad_roc_tpr_at_fpr(const puad_roc *curve, double fpr);

/* A point of the curve. Point 0 flags nothing and has the threshold infinity, the last one flags everything;
 * rows of equal score are one step. */
typedef struct puad_roc_point {
    size_t struct_size;
    double fpr, tpr;
    float threshold;
} puad_roc_point;

PUAD_API puad_status puad_roc_at(const puad_roc *curve, puad_roc_point *out, size_t point);

#ifdef __cplusplus
}
#endif
#endif
