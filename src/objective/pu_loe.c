/* pu_abs with mean_U neg replaced by the loe mean: alpha * mean_A pos + |r|, r = loe_U - alpha * mean_A neg,
 * or the equally weighted form of pu_abs.c. */
#include "objective/means.h"

double objective_pu_loe(void *context, const puad_objective_batch *batch)
{
    (void)context;
    const puad_objective_options *options = batch->options;
    double alpha = options->alpha;
    double anomaly_factor = options->weight == PUAD_WEIGHT_EQUAL ? 1 : alpha;
    double normal_factor = options->weight == PUAD_WEIGHT_EQUAL ? 1 / (1 - alpha) : 1;
    double r = loe_mean(batch) - alpha * term_mean(batch, PUAD_LABEL_ANOMALY, NEG);
    double slope = normal_factor * slope_of_absolute(r);
    loe_weigh(batch, slope);
    term_weigh(batch, PUAD_LABEL_ANOMALY, NEG, -alpha * slope);
    return term_add(batch, PUAD_LABEL_ANOMALY, POS, anomaly_factor) + normal_factor * (r < 0 ? -r : r);
}
