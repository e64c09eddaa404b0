/* Adds a PU forest to the method `recurrence` if labels from one time predict labels from another time.
 *
 * Windows of a labeled run share rows, and windows near it resemble it, so evidence for the forest comes from
 * other times only: labeled runs and blocks of unlabeled windows are divided into folds, and a forest trained
 * without a fold scores it. Let U be the evidence of recurrence, a p^(a - 1) with the tail probability p of the
 * distance, F the odds of the forest divided by their mean over unlabeled windows, and n the option novelty.
 * The forest is kept if the mixture (1 - n) F + n U predicts the held-out runs better than U does: the log
 * likelihood ratio, averaged over the windows of a run and summed over the runs, exceeds
 * RECURRENCE_FOREST_EVIDENCE. The score of a window is then the logarithm of the mixture. Otherwise the method
 * stays as described in recurrence.h. */
#ifndef DETECTOR_ENSEMBLE_RECURRENCE_FOREST_H
#define DETECTOR_ENSEMBLE_RECURRENCE_FOREST_H

#include "base/status.h"
#include "base/threads.h"

struct puad_detector;
struct train_rows;

#define RECURRENCE_FOREST_EVIDENCE 1.0 /* natural logarithm of the likelihood ratio */
enum { RECURRENCE_FOREST_FOLDS = 5 };

/* Call after recurrence_fit. Adds trees, scale and weights to the model, or leaves it unchanged. */
puad_status recurrence_forest_fit(struct puad_detector *model, const struct train_rows *rows, team *workers);

#endif
