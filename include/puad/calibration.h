/* The calibration of a model (option "calibrate"): scores of unlabeled rows held out of training and of
 * labeled anomalies scored by models that had not seen them; and what each threshold would do.
 *
 * Ownership: what these calls return is borrowed from the model or the table. Threads: nothing changes. */
#ifndef PUAD_CALIBRATION_H
#define PUAD_CALIBRATION_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The held-out scores of a model; all 0, NULL and NaN without a calibration. */
typedef struct puad_calibration {
    size_t struct_size;
    const float *unlabeled; /* scores of unlabeled rows held out */
    size_t unlabeled_count;
    const float *anomalies; /* scores of labeled anomalies, cross-fitted */
    size_t anomaly_count;
    double fraction;                     /* held out, as asked for */
    int alpha_known;                     /* 0: alpha could not be estimated, and is NaN */
    int alpha_estimated;                 /* 0: it was given, and the interval has width 0 */
    double alpha, alpha_low, alpha_high; /* alpha_U with its 95% interval */
} puad_calibration;
PUAD_API puad_status puad_detector_calibration(const puad_detector *model, puad_calibration *out);

/* An estimate with its band: 95%, for recall 99% if alpha is estimated. `value` is within [0, 1] and monotone
 * along the table, `raw` is as the formula gives. */
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
    PUAD_OPERATING_RATIO, /* fraction of the unlabeled rows flagged / recall: alpha where only anomalies are left
                             above the threshold; NaN where no labeled anomaly is. Without a band */
} puad_operating_figure;

typedef struct puad_operating puad_operating;

/* The operating table: at most `points` thresholds (at least 2), dense where few rows are flagged. "alpha" is
 * taken as certain where it is set; takes "seed" and "threads". If labels do not identify alpha, it warns
 * ("scores_overlap", "alpha_wide" or "labels_spread"), and alpha, the AUROC, precision, FPR and F1 have the
 * value NaN; recall and the intervals of alpha and the AUROC remain. PUAD_INVALID where no rows, or no
 * labeled anomalies, were held out, or alpha is not known. */
PUAD_API puad_status puad_operating_new(puad_operating **out, const puad_detector *model, size_t points,
                                        const puad_options *options);
PUAD_API void puad_operating_free(puad_operating *table); /* NULL is fine */
PUAD_API size_t puad_operating_count(const puad_operating *table);
PUAD_API puad_figure puad_operating_at(const puad_operating *table, size_t point,
                                       puad_operating_figure which); /* from the strictest to the laxest */
PUAD_API size_t puad_operating_best_f1(const puad_operating *table); /* the point with the largest F1 */
PUAD_API puad_figure puad_operating_auroc(const puad_operating *table);
PUAD_API puad_figure puad_operating_alpha(const puad_operating *table);
/* Leaves at most `points` of the points (at least 2), the one with the largest F1 among them. */
PUAD_API void puad_operating_thin(puad_operating *table, size_t points);
enum { PUAD_OPERATING_POINTS_MOST = 1000 };

#ifdef __cplusplus
}
#endif
#endif
