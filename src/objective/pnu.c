/* Positive-negative-unlabeled risk: alpha * mean_A pos + (1 - eta)(1 - alpha) * mean_L neg + eta * |r|,
 * r = mean_U neg - alpha * mean_A neg. */
#include "objective/objective.h"
#include "objective/terms.h"

/* eta = clamp((b - a) / (b + a)) with a = alpha^2 / M and b = (1 - alpha)^2 / |L|, both multiplied by M |L|
 * so that no count of 0 is divided by; 1 without L, and without any evidence (M = 0 and alpha = 0). */
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
    double slope = eta * slope_of_absolute(r);
    term_weigh(batch, PUAD_LABEL_UNLABELED, NEG, slope);
    term_weigh(batch, PUAD_LABEL_ANOMALY, NEG, -alpha * slope);
    return term_add(batch, PUAD_LABEL_ANOMALY, POS, alpha) +
           term_add(batch, PUAD_LABEL_NORMAL, NEG, (1 - eta) * (1 - alpha)) + eta * (r < 0 ? -r : r);
}
