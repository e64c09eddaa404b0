/* Holds rows out of training, and scores them with the model.
 *
 * A method that does not use labeled anomalies loses nothing if all of them are held out. A method that
 * trains quickly holds none of them out: they are cross-fitted (cross_fit_labels.h). */
#ifndef DECIDE_CALIBRATE_H
#define DECIDE_CALIBRATE_H

#include "detector/model/model.h"
#include "prior/score_bootstrap.h"

enum {
    CALIBRATION_ANOMALIES_MIN = 10, /* minimum number held out; the same number must remain for training */
    CALIBRATION_FOLDED_MIN = 5,     /* minimum number of cross-fitted labeled anomalies */
    CALIBRATION_UNLABELED_MIN = 50,
    CALIBRATION_UNLABELED_MAX = 20000, /* maximum if the fraction was not requested */
    CALIBRATION_KNOWN_MAX = 1000,      /* labeled anomalies whose embeddings are stored */
};
/* Rows held out before are held out again, unless a reviewer was asked about them. Missing rows are drawn
 * first from new rows, whose selection cannot be biased, then from all. */
enum { CALIBRATION_ANY, CALIBRATION_HELD_BEFORE, CALIBRATION_NEW };
/* Default hold-out fraction for networks and for all other methods. */
#define CALIBRATION_SHARE 0.2
#define CALIBRATION_SHARE_FOLDED 0.4

/* How to calibrate; other choices are derived. */
typedef struct calibration_plan {
    double share; /* 0: default of the method */
    double alpha; /* for decisions if there are too few labels to estimate it from held-out scores */
    bool alpha_given;
    /* not 0 for rows that were unlabeled until a reviewer was asked: they were chosen by score, so they
     * are not a fair sample and are not held out. Or NULL */
    const uint8_t *asked;
    const uint8_t *before; /* per row CALIBRATION_...: known from the earlier model; NULL: nothing */
} calibration_plan;

/* Training rows and held-out rows; of the latter the unlabeled ones come first. */
typedef struct calibration_parts {
    arena memory;
    uint32_t *kept, *held;
    size_t kept_count, unlabeled, anomalies;
} calibration_parts;

/* Whether labeled anomalies are cross-fitted instead of held out. */
bool calibration_folds(const detector_kind *kind);

puad_status calibration_part(calibration_parts *out, const labeled_rows *rows, const fit_options *options,
                             const calibration_plan *plan);
void calibration_parts_free(calibration_parts *owner); /* {0} is fine */
#define AUTO_PARTS __attribute__((cleanup(calibration_parts_free)))

/* Fits on the rows that are not held out and fills model->held_out from the others. `encoding`, the encoding of
 * the rows, relearns means and deviations from the training rows (transform_refit); the rows themselves
 * are unchanged. It may be NULL. */
puad_status calibrated_fit(puad_detector **out, const labeled_rows *rows, const calibration_parts *parts,
                           const fit_options *options, const calibration_plan *plan, transform *encoding);

/* Estimates alpha from the scores of a calibration; with too few labels, uses that of the plan. */
puad_status calibration_read_alpha(calibration *out, const calibration_plan *plan);

/* Whether a row with this embedding is close to labeled anomalies. Needs known_count > 0. */
bool calibration_is_known(const calibration *held, const float *code);

/* Its scores; borrowed. */
static inline pu_sample calibration_sample(const calibration *held)
{
    return (pu_sample){held->anomalies, held->anomaly_count, held->unlabeled, held->unlabeled_count};
}

#endif
