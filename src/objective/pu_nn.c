/* Non-negative PU learning: alpha * mean_A pos + max(0, r), r = mean_U neg - alpha * mean_A neg. While r <
 * 0 the step follows only the gradient of -r, so the weights are then not the gradient of the loss. At r =
 * 0 the step is that of alpha * mean_A pos + r. */
#include "objective/means.h"

double objective_pu_nn(void *context, const puad_objective_batch *batch)
{
    (void)context;
    double alpha = batch->options->alpha;
    double r =
        term_mean(batch, PUAD_LABEL_UNLABELED, NEG) - alpha * term_mean(batch, PUAD_LABEL_ANOMALY, NEG);
    double slope = r < 0 ? -1 : 1;
    term_weigh(batch, PUAD_LABEL_UNLABELED, NEG, slope);
    term_weigh(batch, PUAD_LABEL_ANOMALY, NEG, -alpha * slope);
    if (r < 0) return alpha * term_mean(batch, PUAD_LABEL_ANOMALY, POS);
    return term_add(batch, PUAD_LABEL_ANOMALY, POS, alpha) + r;
}
