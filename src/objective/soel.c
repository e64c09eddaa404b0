/* Semi-supervised outlier exposure with a limited labeling budget: loe + mean_A pos + mean_L neg. */
#include "objective/means.h"

double objective_soel(void *context, const puad_objective_batch *batch)
{
    (void)context;
    double loss = loe_mean(batch);
    loe_weigh(batch, 1);
    return loss + term_add(batch, PUAD_LABEL_ANOMALY, POS, 1) + term_add(batch, PUAD_LABEL_NORMAL, NEG, 1);
}
