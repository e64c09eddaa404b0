/* The calibration of a model (option "calibrate"): scores of unlabeled rows held out of training and of
 * labeled anomalies scored by models that had not seen them, and the expected effect of each threshold.
 *
 * Ownership: arrays belong to the model. Threads: a table changes only in puad_operating_thin. */
#ifndef PUAD_CALIBRATION_H
#define PUAD_CALIBRATION_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The held-out scores of a model. Without a calibration counts are 0, arrays NULL and numbers NaN. */
typedef struct puad_calibration {
    size_t struct_size;
    const float *unlabeled; /* scores of unlabeled rows held out */
    size_t unlabeled_count;
    const float *anomalies; /* scores of labeled anomalies, cross-fitted */
    size_t anomaly_count;
    double fraction;                     /* fraction that was to be held out */
    int alpha_known;                     /* 0: alpha could not be estimated, and is NaN */
    int alpha_estimated;                 /* 0: it was given, and the interval has width 0 */
    double alpha, alpha_low, alpha_high; /* alpha_U with its 95% interval */
} puad_calibration;

/* Fills *out with the held-out scores of a model.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_detector_calibration(const puad_detector *model, puad_calibration *out);

/* An estimate with its interval: 95%, or 99% for recall if alpha is estimated. `value` is within [0, 1] and
 * monotone along the table; `raw` is the result of the formula. */
typedef struct puad_figure {
    double value, low, high, raw;
} puad_figure;

typedef enum puad_operating_figure {
    PUAD_OPERATING_THRESHOLD, /* rows scoring at least this are flagged; a value without an interval */
    PUAD_OPERATING_FLAGGED,   /* fraction of the unlabeled rows flagged; a value without an interval */
    PUAD_OPERATING_RECALL,
    PUAD_OPERATING_FPR,
    PUAD_OPERATING_PRECISION,
    PUAD_OPERATING_F1,
    PUAD_OPERATING_RATIO, /* fraction of the unlabeled rows flagged / recall, without an interval: it
                             approaches alpha where all rows above the threshold are anomalies; NaN if no
                             labeled anomaly is above it */
} puad_operating_figure;

typedef struct puad_operating puad_operating;

/* Creates the operating table: at most `points` thresholds (at least 2), closer together where few rows are
 * flagged. If the labels do not identify alpha, it warns ("scores_overlap", "alpha_wide" or "labels_spread"):
 * the values of alpha, AUROC, precision, FPR and F1 are then NaN, while recall and the intervals of alpha and
 * AUROC remain.
 * options: "alpha", which is then taken as exact; "seed", "threads".
 * Errors: PUAD_INVALID if the model holds out no rows or no labeled anomalies, or alpha is unknown;
 * PUAD_MEMORY. */
PUAD_API puad_status puad_operating_new(puad_operating **out, const puad_detector *model, size_t points,
                                        const puad_options *options);
PUAD_API void puad_operating_free(puad_operating *table);

/* Returns the number of points. */
PUAD_API size_t puad_operating_count(const puad_operating *table);

/* Returns one estimate at a point. Point 0 has the highest threshold. */
PUAD_API puad_figure puad_operating_at(const puad_operating *table, size_t point,
                                       puad_operating_figure which);

/* Returns the point with the largest F1. */
PUAD_API size_t puad_operating_best_f1(const puad_operating *table);

/* Return estimates that do not depend on a threshold. */
PUAD_API puad_figure puad_operating_auroc(const puad_operating *table);
PUAD_API puad_figure puad_operating_alpha(const puad_operating *table);

/* Removes points until at most `points` (at least 2) are left; the one with the largest F1 stays. */
PUAD_API void puad_operating_thin(puad_operating *table, size_t points);
enum { PUAD_OPERATING_POINTS_MOST = 1000 };

#ifdef __cplusplus
}
#endif
#endif
