/* Implements <puad/metrics.h> over decide/metrics.h. */
#include "decide/metrics.h"

#include <math.h>
#include <puad/metrics.h>
#include <stdlib.h>

struct puad_roc {
    roc curve;
};

puad_status puad_roc_new(puad_roc **out, const float *scores, const int8_t *truth, size_t rows)
{
    NEED(out);
    *out = NULL;
    if (rows) NEED(scores);
    if (rows) NEED(truth);
    puad_roc *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a curve"));
    puad_status status = roc_new(&made->curve, scores, truth, rows);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_roc_free(made);
    return status;
}

void puad_roc_free(puad_roc *curve)
{
    if (!curve) return;
    roc_free(&curve->curve);
    free(curve);
}

puad_status puad_roc_summary(const puad_roc *curve, puad_roc_metrics *out)
{
    NEED(curve);
    NEED(out);
    puad_roc_metrics made = {.anomalies = curve->curve.positives,
                             .normals = curve->curve.negatives,
                             .auroc = roc_auroc(&curve->curve),
                             .average_precision = roc_average_precision(&curve->curve),
                             .points = curve->curve.points};
    return struct_write(out, &made, sizeof made, "puad_roc_metrics");
}

double puad_roc_tpr_at_fpr(const puad_roc *curve, double fpr)
{
    return curve ? roc_tpr_at_fpr(&curve->curve, fpr) : NAN;
}

puad_status puad_roc_at(const puad_roc *curve, puad_roc_point *out, size_t point)
{
    NEED(curve);
    NEED(out);
    if (point >= curve->curve.points)
        FAIL(PUAD_INVALID, "point %zu, but the curve has %zu", point, curve->curve.points);
    puad_roc_point made = {.fpr = roc_fpr(&curve->curve, point),
                           .tpr = roc_tpr(&curve->curve, point),
                           .threshold = curve->curve.threshold[point]};
    return struct_write(out, &made, sizeof made, "puad_roc_point");
}
