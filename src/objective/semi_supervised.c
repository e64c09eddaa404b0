/* mean_U neg + mean_A pos + mean_L neg (separate: the paper's ABC equation), or the mean over all rows of
 * the same losses (pooled: the weighting of Deep SAD). */
#include "objective/means.h"

double objective_semi_supervised(void *context, const puad_objective_batch *batch)
{
    (void)context;
    double unlabeled = 1, anomalies = 1, normals = 1;
    if (batch->options->balance == PUAD_BALANCE_POOLED && batch->rows > 0) {
        unlabeled = (double)batch->unlabeled / (double)batch->rows;
        anomalies = (double)batch->anomalies / (double)batch->rows;
        normals = (double)batch->normals / (double)batch->rows;
    }
    return term_add(batch, PUAD_LABEL_UNLABELED, NEG, unlabeled) +
           term_add(batch, PUAD_LABEL_ANOMALY, POS, anomalies) +
           term_add(batch, PUAD_LABEL_NORMAL, NEG, normals);
}
