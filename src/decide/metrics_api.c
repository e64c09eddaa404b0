/* <puad/metrics.h> over decide/metrics.h. */
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

size_t puad_roc_anomalies(const puad_roc *curve)
{
    return curve ? curve->curve.positives : 0;
}
size_t puad_roc_normals(const puad_roc *curve)
{
    return curve ? curve->curve.negatives : 0;
}
double puad_roc_auroc(const puad_roc *curve)
{
    return curve ? roc_auroc(&curve->curve) : NAN;
}
double puad_roc_average_precision(const puad_roc *curve)
{
    return curve ? roc_average_precision(&curve->curve) : NAN;
}
double puad_roc_tpr_at_fpr(const puad_roc *curve, double fpr)
{
    return curve ? roc_tpr_at_fpr(&curve->curve, fpr) : NAN;
}
size_t puad_roc_points(const puad_roc *curve)
{
    return curve ? curve->curve.points : 0;
}
double puad_roc_fpr(const puad_roc *curve, size_t point)
{
    return curve && point < curve->curve.points ? roc_fpr(&curve->curve, point) : NAN;
}
double puad_roc_tpr(const puad_roc *curve, size_t point)
{
    return curve && point < curve->curve.points ? roc_tpr(&curve->curve, point) : NAN;
}
float puad_roc_threshold(const puad_roc *curve, size_t point)
{
    return curve && point < curve->curve.points ? curve->curve.threshold[point] : NAN;
}
