/* mean_U neg: plain autoencoder and Deep SVDD training. */
#include "objective/means.h"

double objective_unsupervised(void *context, const puad_objective_batch *batch)
{
    (void)context;
    return term_add(batch, PUAD_LABEL_UNLABELED, NEG, 1);
}
