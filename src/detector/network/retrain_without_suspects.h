/* Training twice: hidden anomalies that a first training finds are left out of a second one.
 *
 * A positive-unlabeled risk corrects the mean loss of the unlabeled rows for the share alpha of hidden
 * anomalies, as if those had the loss of the labeled ones. With a handful of labels they do not: the network
 * knows the labeled ones by heart, and too much is taken off. So the share alpha of the unlabeled rows that
 * score highest is left out of a second training, which begins from new weights. */
#ifndef DETECTOR_NETWORK_RETRAIN_WITHOUT_SUSPECTS_H
#define DETECTOR_NETWORK_RETRAIN_WITHOUT_SUSPECTS_H

#include "detector/network/trainer.h"

/* Marks, one flag per row of the data, the share alpha of the unlabeled rows that score highest after
 * training; of equal ones the first. The caller frees *out. */
puad_status suspects_mark(bool **out, size_t *out_count, trainer *state, double alpha);

/* Puts a trainer that has been trained without the marked rows in place of *state. */
puad_status suspects_train_again(trainer **state, const train_settings *settings, const train_rows *rows,
                                 const bool *marked);

#endif
