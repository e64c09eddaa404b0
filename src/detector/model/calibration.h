/* The calibration data of a model: scores of rows held out of training and of early stopping, and the
 * embeddings of labeled anomalies.
 *
 * A fraction of the unlabeled rows and of the labeled anomalies is held out before training and scored by
 * the trained model (train/calibrate.h). p-values, probabilities, thresholds and the operating table are
 * computed from these scores. */
#ifndef DETECTOR_MODEL_CALIBRATION_H
#define DETECTOR_MODEL_CALIBRATION_H

#include "base/memory.h"

typedef struct calibration {
    arena memory; /* owns the arrays */
    double share; /* as requested */
    /* alpha_U with its 95% interval; all three are equal if alpha was given */
    double alpha, alpha_low, alpha_high;
    bool alpha_estimated;
    bool alpha_unknown; /* alpha could not be estimated and was not given; it is 0 and must not be used */
    /* The labeled anomalies were not held out but cross-fitted: each was scored by a model trained without
     * it. */
    bool folded;
    bool modeled;                 /* alpha and decisions come from the posterior model of the scores */
    float *unlabeled, *anomalies; /* scores of the rows held out */
    size_t unlabeled_count, anomaly_count;
    uint32_t *rows; /* indices of these rows in the training data, unlabeled ones first */
    uint64_t *keys; /* keys of these rows, see dataset/row_keys.h */
    /* Embeddings of labeled anomalies, and the 95% quantile of the distance from a labeled anomaly to the
     * nearest other one: rows that are farther away are of a new kind. */
    float *known;
    size_t known_count, known_columns;
    double known_distance;
} calibration;

void calibration_free(calibration *owner); /* {0} is fine */

#endif
