/* Unbiased PU risk: alpha * mean_A pos + mean_U neg - alpha * mean_A neg. It has no lower bound, and
 * training diverges toward negative values; it is included for comparison. */
#include "objective/means.h"

double objective_pu_unbiased(void *context, const puad_objective_batch *batch)
{
    (void)context;
    double alpha = batch->options->alpha;
    return term_add(batch, PUAD_LABEL_ANOMALY, POS, alpha) + term_add(batch, PUAD_LABEL_UNLABELED, NEG, 1) +
           term_add(batch, PUAD_LABEL_ANOMALY, NEG, -alpha);
}
