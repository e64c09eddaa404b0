/* How well scores rank anomalies above normals: the ROC curve, and the figures read from it.
 *
 * Counts are kept exact, so a figure has one rounding and does not depend on the order of the rows.
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
PUAD_API size_t puad_roc_anomalies(const puad_roc *curve);
PUAD_API size_t puad_roc_normals(const puad_roc *curve);

/* NaN where the figure does not exist: no anomalies, or (all but average precision) no normal rows. */
PUAD_API double puad_roc_auroc(const puad_roc *curve);             /* area; ties count half */
PUAD_API double puad_roc_average_precision(const puad_roc *curve); /* sum of precision x gain in recall */
PUAD_API double puad_roc_tpr_at_fpr(const puad_roc *curve,
                                    double fpr); /* largest TPR at an FPR of at most this */

/* The curve: point 0 flags nothing, the last one everything; rows of equal score are one step. */
PUAD_API size_t puad_roc_points(const puad_roc *curve);
PUAD_API double puad_roc_fpr(const puad_roc *curve, size_t point);
PUAD_API double puad_roc_tpr(const puad_roc *curve, size_t point);
PUAD_API float puad_roc_threshold(const puad_roc *curve, size_t point); /* of point 0: infinity */

#ifdef __cplusplus
}
#endif
#endif
