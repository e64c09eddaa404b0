/* Adds a PU forest to the method `recurrence` if labels from one time predict labels from another time.
 *
 * Windows of a labeled run share rows, and windows near it resemble it, so evidence for the forest comes from
 * other times only: labeled runs and blocks of unlabeled windows are divided into folds, and a forest trained
 * without a fold scores it. Trees test levels and amplitudes of windows, not the steps of their shapes: a fault
 * is at no fixed step of a window.
 *
 * Let U be the evidence of recurrence, a p^(a - 1) with the tail probability p of the distance, F the odds of
 * the forest, and n the option novelty. A window's evidence is (1 - n) F^f U^u / mean + n U, with the mean of
 * F^f U^u over unlabeled windows (evidence_weights.h). The exponents f and u are fitted to the scores without a
 * window's fold; a run counts as often as it has windows that share no row. The forest is kept if it predicts
 * runs that neither it nor the exponents have seen better than U does: the log likelihood ratio, averaged over
 * the windows of a run and summed over the runs, is positive. The score of a window is then the logarithm of
 * the evidence. Otherwise, and with fewer than RECURRENCE_FOREST_RUNS runs, the method stays as described in
 * recurrence.h. */
#ifndef DETECTOR_ENSEMBLE_RECURRENCE_FOREST_H
#define DETECTOR_ENSEMBLE_RECURRENCE_FOREST_H

#include "base/status.h"
#include "base/threads.h"

struct puad_detector;
struct train_rows;

enum { RECURRENCE_FOREST_FOLDS = 5, RECURRENCE_FOREST_RUNS = 3 /* at least */ };

/* Call after recurrence_fit. Adds trees, scale and weights to the model, or leaves it unchanged. If the rows
 * have weights, those of a model of more windows, that model's decision and weights are used. */
puad_status recurrence_forest_fit(struct puad_detector *model, const struct train_rows *rows, team *workers);

#endif
