/* Means over the rows of one label, and their weights. */
#include "objective/means.h"

static size_t count_of(const puad_objective_batch *batch, puad_label label)
{
    return label == PUAD_LABEL_UNLABELED ? batch->unlabeled
           : label == PUAD_LABEL_ANOMALY ? batch->anomalies
                                         : batch->normals;
}

double term_mean(const puad_objective_batch *batch, puad_label label, loss_side side)
{
    size_t count = count_of(batch, label);
    if (count == 0) return 0;
    double sum = 0;
    for (size_t i = 0; i < batch->rows; i++)
        if (batch->labels[i] == label) sum += side == NEG ? batch->losses[i].neg : batch->losses[i].pos;
    return sum / (double)count;
}

void term_weigh(const puad_objective_batch *batch, puad_label label, loss_side side, double factor)
{
    size_t count = count_of(batch, label);
    if (count == 0) return;
    double weight = factor / (double)count;
    for (size_t i = 0; i < batch->rows; i++)
        if (batch->labels[i] == label)
            *(side == NEG ? &batch->weights[i].neg : &batch->weights[i].pos) += weight;
}

double term_add(const puad_objective_batch *batch, puad_label label, loss_side side, double factor)
{
    term_weigh(batch, label, side, factor);
    return factor * term_mean(batch, label, side);
}
