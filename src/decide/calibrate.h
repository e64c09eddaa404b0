/* Setting rows aside before training, and what the finished model says about them.
 *
 * A method that does not use labeled anomalies loses nothing by setting all of them aside. A method that is
 * trained in a moment sets none of them aside: models trained without a part of them score that part
 * (cross_fit_labels.h). */
#ifndef DECIDE_CALIBRATE_H
#define DECIDE_CALIBRATE_H

#include "detector/model/model.h"

enum {
    CALIBRATION_ANOMALIES_LEAST = 10, /* held out; as many must stay to train on */
    CALIBRATION_FOLDED_LEAST = 5,     /* labeled anomalies that are scored by models trained without them */
    CALIBRATION_UNLABELED_LEAST = 50,
    CALIBRATION_UNLABELED_MOST = 20000, /* by a share that nobody has asked for */
    CALIBRATION_KNOWN_MOST = 1000,      /* labeled anomalies whose codes are kept */
};
/* Rows held out before are held out again, as far as nobody was asked about them; what is lacking to the
 * share is drawn from new rows first, which nobody can have chosen, then from all. */
enum { CALIBRATION_ANY, CALIBRATION_HELD_BEFORE, CALIBRATION_NEW };
/* Where no share is asked for: of networks, to which every row is dear, and of all else. */
#define CALIBRATION_SHARE 0.2
#define CALIBRATION_SHARE_FOLDED 0.4

/* How to calibrate; the rest is found out. */
typedef struct calibration_plan {
    double share; /* 0: by the method */
    double alpha; /* for decisions where labels are too few to read it from the scores of rows held out */
    bool alpha_given;
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

/* Whether labeled anomalies are scored by models trained without them instead of being held out. */
bool calibration_folds(const detector_kind *kind);

puad_status calibration_part(calibration_parts *out, const puad_rows *rows, const puad_fit_options *options,
                             const calibration_plan *plan);
void calibration_parts_free(calibration_parts *owner); /* {0} is fine */
#define AUTO_PARTS __attribute__((cleanup(calibration_parts_free)))

/* Fits on the rows that are not held out and fills model->held_out from those that are. `how`, what the rows
 * were encoded by, learns means and deviations anew from the rows that train (transform_refit); the rows
 * themselves stay as they are. It may be NULL. */
puad_status calibrated_fit(puad_detector **out, const puad_rows *rows, const calibration_parts *parts,
                           const puad_fit_options *options, const calibration_plan *plan, transform *how);

/* alpha as the scores of a calibration tell it; with too few labels for that, as the plan has it. */
puad_status calibration_read_alpha(calibration *out, const calibration_plan *plan);

/* Does a row with this code lie where labeled anomalies lie? Needs known_count > 0. */
bool calibration_is_known(const calibration *by, const float *code);

#endif
