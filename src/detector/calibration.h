/* What a model keeps for decisions: scores of rows held out of training and of early stopping, and where the
 * labeled anomalies lie.
 *
 * A share of the unlabeled rows and of the labeled anomalies is set aside before training; the model scores
 * them when it is done. p-values, probabilities, thresholds and the operating table are all made from these
 * scores (conformal.h, operating.h). A method that does not use labeled anomalies loses nothing by setting
 * all of them aside. */
#ifndef DETECTOR_CALIBRATION_H
#define DETECTOR_CALIBRATION_H

#include "base/memory.h"

#include <puad/detector.h>

enum {
    CALIBRATION_ANOMALIES_LEAST = 10, /* held out; as many must stay to train on */
    CALIBRATION_UNLABELED_LEAST = 50,
    CALIBRATION_KNOWN_MOST = 1000, /* labeled anomalies whose codes are kept */
};
/* Rows held out before are held out again, as far as nobody was asked about them; what is lacking to the
 * share is drawn from new rows first, which nobody can have chosen, then from all. */
enum { CALIBRATION_ANY, CALIBRATION_HELD_BEFORE, CALIBRATION_NEW };
#define CALIBRATION_SHARE "0.2" /* the default, as the option table writes it */

typedef struct calibration {
    arena memory; /* owns the arrays */
    double share; /* as asked for */
    /* alpha_U with its 95% interval; all three the same where it was given and not estimated */
    double alpha, alpha_low, alpha_high;
    bool alpha_estimated;
    bool alpha_unknown; /* the data could not tell it and nobody gave it: alpha is 0 and stands for nothing */
    float *unlabeled, *anomalies; /* scores of the rows held out */
    size_t unlabeled_count, anomaly_count;
    uint32_t
        *rows; /* the numbers of these rows in the training data, unlabeled ones first; NULL: not known */
    uint64_t *keys; /* of these rows, see row_keys.h; NULL: not known (files of earlier programs) */
    /* Codes of labeled anomalies, and how far from the nearest of them a labeled anomaly that is not one of
     * them lies in 95 of 100 cases: what lies farther is of a new kind. */
    float *known;
    size_t known_count, known_columns;
    double known_distance;
} calibration;

/* How to calibrate; the rest is found out. */
typedef struct calibration_plan {
    double share;
    double alpha, alpha_low, alpha_high;
    bool alpha_estimated, alpha_unknown;
    const uint8_t *asked;  /* not 0 for rows that were unlabeled until somebody was asked: chosen for their
                              scores, they are no fair sample and are not held out. Or NULL */
    const uint8_t *before; /* rows of CALIBRATION_...: what is known from the time before; NULL: nothing */
} calibration_plan;

/* Which rows train and which are held out; of the latter the unlabeled ones first. */
typedef struct calibration_parts {
    arena memory;
    uint32_t *kept, *held;
    size_t kept_count, unlabeled, anomalies;
} calibration_parts;

puad_status calibration_part(calibration_parts *out, const puad_rows *rows, const puad_fit_options *options,
                             const calibration_plan *plan);
void calibration_parts_free(calibration_parts *owner); /* {0} is fine */
#define AUTO_PARTS __attribute__((cleanup(calibration_parts_free)))

/* Fits on the rows that are not held out and fills model->held_out from those that are. */
puad_status calibrated_fit(puad_detector **out, const puad_rows *rows, const calibration_parts *parts,
                           const puad_fit_options *options, const calibration_plan *plan);

/* Does a row with this code lie where labeled anomalies lie? Needs known_count > 0. */
bool calibration_is_known(const calibration *by, const float *code);

void calibration_free(calibration *owner); /* {0} is fine */

#endif
