/* Cross-fitting: scores of labeled anomalies by models trained without them.
 *
 * The labeled anomalies are divided into folds; for each fold the method is trained on all rows outside
 * the fold, and scores the fold. No label is therefore lost to training.
 *
 * A model with fewer labels gives all rows lower scores: with a fifth of the labels left out, labeled
 * anomalies of some tables lost 0.14 of their AUROC against unlabeled rows scored by the whole model. The
 * fold models therefore also score rows that no model was trained on, and scores are quantile-mapped to
 * the whole model's scale. */
#ifndef DECIDE_CROSS_FIT_LABELS_H
#define DECIDE_CROSS_FIT_LABELS_H

#include "detector/model/model.h"

/* fewer folds from FOLDS_MANY_LABELS labels on */
enum { FOLDS_FEW = 10, FOLDS_MANY = 5, FOLDS_MANY_LABELS = 50 };

/* Rows that no model was trained on, and their scores by the model trained on all labels. */
typedef struct fold_scale {
    const float *values, *scores;
    size_t rows; /* at most FOLD_SCALE_ROWS of them are used */
} fold_scale;
enum { FOLD_SCALE_ROWS = 20000 };

/* scores[i] is that of row which[i], a labeled anomaly; at least 2 of them. Other labeled anomalies are in
 * every training set. Without rows in `scale`, scores are not mapped. */
puad_status fold_labels(float *scores, const uint32_t *which, size_t count, const labeled_rows *rows,
                        const fold_scale *scale, const fit_options *options);

/* Quantile-maps `score` from `source` to `to`, both ascending: linear between neighbors, the middle of ties,
 * and unchanged outside the range of both. */
float fold_rescale(float score, const float *source, const float *to, size_t count);

#endif
