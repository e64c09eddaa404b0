/* The paper's objective: alpha * mean_A pos + |r|, r = mean_U neg - alpha * mean_A neg (weight = prior),
 * or mean_A pos + |r| / (1 - alpha) (weight = equal). r estimates (1 - alpha) times the mean loss of the
 * normal rows, which cannot be negative; if it is negative for a batch, |r| reverses the step. At r = 0
 * the slope of |r| is 0. */
#include "objective/means.h"

double objective_pu_abs(void *context, const puad_objective_batch *batch)
{
    (void)context;
    const puad_objective_options *options = batch->options;
    double alpha = options->alpha;
    double anomaly_factor = options->weight == PUAD_WEIGHT_EQUAL ? 1 : alpha;
    double normal_factor = options->weight == PUAD_WEIGHT_EQUAL ? 1 / (1 - alpha) : 1;
    double r =
        term_mean(batch, PUAD_LABEL_UNLABELED, NEG) - alpha * term_mean(batch, PUAD_LABEL_ANOMALY, NEG);
    double slope = normal_factor * slope_of_absolute(r);
    term_weigh(batch, PUAD_LABEL_UNLABELED, NEG, slope);
    term_weigh(batch, PUAD_LABEL_ANOMALY, NEG, -alpha * slope);
    return term_add(batch, PUAD_LABEL_ANOMALY, POS, anomaly_factor) + normal_factor * (r < 0 ? -r : r);
}
