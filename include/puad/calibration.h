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

/* Facts about a table. */
typedef struct puad_operating_info {
    size_t struct_size;
    size_t count; /* of points */
    /* The point with the largest F1; if alpha is not identifiable, with the largest recall - flagged, which is
     * proportional to the Youden index for every alpha. */
    size_t best_f1;
    puad_figure auroc, alpha; /* they do not depend on a threshold */
} puad_operating_info;

/* Fills *out with the facts about a table.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_operating_summary(const puad_operating *table, puad_operating_info *out);

/* The expected effect of a threshold. */
typedef struct puad_operating_point {
    size_t struct_size;
    double threshold; /* rows scoring at least this are flagged */
    double flagged;   /* fraction of the unlabeled rows flagged */
    double ratio; /* flagged / recall: it approaches alpha where all rows above the threshold are anomalies;
                         NaN if no labeled anomaly is above it */
    puad_figure recall, fpr, precision, f1;
} puad_operating_point;

/* Fills *out with a point; point 0 has the highest threshold. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_operating_at(const puad_operating *table, puad_operating_point *out, size_t point);

/* Removes points until at most `points` (at least 2) are left; the best one (best_f1) stays. */
PUAD_API void puad_operating_thin(puad_operating *table, size_t points);
enum { PUAD_OPERATING_POINTS_MAX = 1000 };

#ifdef __cplusplus
}
#endif
#endif
