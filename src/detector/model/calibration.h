/* What a model keeps for decisions: scores of rows held out of training and of early stopping, and where the
 * labeled anomalies lie.
 *
 * A share of the unlabeled rows and of the labeled anomalies is set aside before training; the model scores
 * them when it is done (decide/calibrate.h). p-values, probabilities, thresholds and the operating table are
 * all made from these scores. */
#ifndef DETECTOR_MODEL_CALIBRATION_H
#define DETECTOR_MODEL_CALIBRATION_H

#include "base/memory.h"

typedef struct calibration {
    arena memory; /* owns the arrays */
    double share; /* as asked for */
    /* alpha_U with its 95% interval; all three the same where it was given and not estimated */
    double alpha, alpha_low, alpha_high;
    bool alpha_estimated;
    bool alpha_unknown; /* the data could not tell it and nobody gave it: alpha is 0 and stands for nothing */
    /* The labeled anomalies were not held out: each was scored by a model like this one that was trained
     * without it. */
    bool folded;
    bool modeled; /* alpha and decisions come from the purity of the scores; false in files of earlier
                     programs */
    float *unlabeled, *anomalies; /* scores of the rows held out */
    size_t unlabeled_count, anomaly_count;
    /* the numbers of these rows in the training data, unlabeled ones first; NULL: not known */
    uint32_t *rows;
    uint64_t *keys; /* of these rows, see dataset/row_keys.h; NULL: not known (files of earlier programs) */
    /* Codes of labeled anomalies, and how far from the nearest of them a labeled anomaly that is not one of
     * them lies in 95 of 100 cases: what lies farther is of a new kind. */
    float *known;
    size_t known_count, known_columns;
    double known_distance;
} calibration;

void calibration_free(calibration *owner); /* {0} is fine */

#endif
