/* Positive-negative-unlabeled risk: alpha * mean_A pos + (1 - eta)(1 - alpha) * mean_L neg + eta * |r|, r
 * = mean_U neg - alpha * mean_A neg (weight = prior); or mean_A pos + (1 - eta) * mean_L neg + eta * |r| /
 * (1 - alpha), with equal weights of both classes (weight = equal), as in pu_abs.c. */
#include "objective/means.h"
#include "objective/objective.h"

/* eta = clamp((b - a) / (b + a)) with a = alpha^2 / M and b = (1 - alpha)^2 / |L|, both multiplied by M
 * |L| to avoid division by 0; 1 without L, and if both are 0 (M = 0 and alpha = 0). */
double objective_eta(const puad_objective_options *options)
{
    if (options->eta >= 0) return options->eta;
    if (options->training_normals == 0) return 1;
    double alpha = options->alpha;
    double a = alpha * alpha * (double)options->training_normals;
    double b = (1 - alpha) * (1 - alpha) * (double)options->training_anomalies;
    if (a + b == 0) return 1;
    return b > a ? (b - a) / (b + a) : 0;
}

double objective_pnu(void *context, const puad_objective_batch *batch)
{
    (void)context;
    double alpha = batch->options->alpha, eta = objective_eta(batch->options);
    double r =
        term_mean(batch, PUAD_LABEL_UNLABELED, NEG) - alpha * term_mean(batch, PUAD_LABEL_ANOMALY, NEG);
    bool equal = batch->options->weight == PUAD_WEIGHT_EQUAL;
    double anomaly_factor = equal ? 1 : alpha, normal_factor = equal ? 1 / (1 - alpha) : 1;
    double slope = eta * normal_factor * slope_of_absolute(r);
    term_weigh(batch, PUAD_LABEL_UNLABELED, NEG, slope);
    term_weigh(batch, PUAD_LABEL_ANOMALY, NEG, -alpha * slope);
    return term_add(batch, PUAD_LABEL_ANOMALY, POS, anomaly_factor) +
           term_add(batch, PUAD_LABEL_NORMAL, NEG, (1 - eta) * (1 - alpha) * normal_factor) +
           eta * normal_factor * (r < 0 ? -r : r);
}
