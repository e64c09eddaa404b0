/* The terms of objectives: means over the rows of one label, and the loe mean over the unlabeled ones. The
 * value of a term is computed first; once the objective knows the term's factor, it adds the term's
 * weights. */
#ifndef OBJECTIVE_MEANS_H
#define OBJECTIVE_MEANS_H

#include <puad/objective.h>

/* The function of each built-in objective and loss pair, expanded from the lists. */
#define OBJECTIVE(name, ...) double objective_##name(void *context, const puad_objective_batch *batch);
#include "objective/objectives.def"
#undef OBJECTIVE
#define LOSS_PAIR(name, ...) void losses_##name(void *context, puad_losses *out, double score);
#include "objective/losses.def"
#undef LOSS_PAIR

typedef enum loss_side { NEG, POS } loss_side;

/* The mean of one of the two losses over the rows of a label; 0 if there are none. */
double term_mean(const puad_objective_batch *batch, puad_label label, loss_side side);

/* Adds factor * (d mean / d loss) to the weights of these rows. */
void term_weigh(const puad_objective_batch *batch, puad_label label, loss_side side, double factor);

/* Both at once, for a term whose factor is already known: returns factor * mean. */
double term_add(const puad_objective_batch *batch, puad_label label, loss_side side, double factor);

/* The loe mean over U; it leaves the presumed anomalies in the scratch memory, for loe_weigh. */
double loe_mean(const puad_objective_batch *batch);
void loe_weigh(const puad_objective_batch *batch, double factor);

#define LOE_SCRATCH (sizeof(size_t) + 1) /* a heap of row numbers and a mark per row */

/* The slope of |r|; 0 at 0. */
static inline double slope_of_absolute(double r)
{
    return (r > 0) - (r < 0);
}

#endif
