/* Trains twice: hidden anomalies found by a first training are left out of a second one.
 *
 * A positive-unlabeled risk corrects the mean loss of the unlabeled rows for the fraction alpha of hidden
 * anomalies, assuming that they have the loss of the labeled ones. With few labels they do not: the
 * network overfits the labels, and the correction overshoots. Therefore the fraction alpha of the
 * unlabeled rows with the highest scores is left out of a second training, which begins with new weights. */
#ifndef DETECTOR_NETWORK_RETRAIN_WITHOUT_SUSPECTS_H
#define DETECTOR_NETWORK_RETRAIN_WITHOUT_SUSPECTS_H

#include "detector/network/trainer.h"

/* Marks the fraction alpha of the unlabeled rows with the highest scores after training, one flag per row;
 * ties go to the first. The caller frees *out. */
puad_status suspects_mark(bool **out, size_t *out_count, trainer *state, double alpha);

/* Replaces *state by a trainer that has been trained without the marked rows. */
puad_status suspects_train_again(trainer **state, const train_settings *settings, const train_rows *rows,
                                 const bool *marked);

#endif
