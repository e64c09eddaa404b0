/* Scores of labeled anomalies by models that were trained without them.
 *
 * The labeled anomalies are dealt into folds; for each fold the method is trained on all rows but those of
 * the fold, and scores them. So none of the few labels is lost to training.
 *
 * A model with fewer labels gives all rows lower scores: with a fifth of the labels left out, labeled
 * anomalies of some tables lost 0.14 of their AUROC against unlabeled rows scored by the whole model. So the
 * models also score rows that none of them was trained on, and a score becomes the one that has the same
 * place among the whole model's scores of those rows. */
#ifndef DECIDE_CROSS_FIT_LABELS_H
#define DECIDE_CROSS_FIT_LABELS_H

#include "detector/model/model.h"

enum { FOLDS_FEW = 10, FOLDS_MANY = 5, FOLDS_MANY_LABELS = 50 }; /* fewer folds from so many labels on */

/* Rows that trained no model, and their scores by the model that was trained on all labels. */
typedef struct fold_scale {
    const float *values, *scores;
    size_t rows; /* the first FOLD_SCALE_ROWS of them are looked at */
} fold_scale;
enum { FOLD_SCALE_ROWS = 20000 };

/* scores[i] is that of row which[i], a labeled anomaly; at least 2 of them. Other labeled anomalies train
 * every time. Without rows in `scale`, scores stay as the models give them. */
puad_status fold_labels(float *scores, const uint32_t *which, size_t count, const puad_rows *rows,
                        const fold_scale *scale, const puad_fit_options *options);

/* The score with the place among `to` that `score` has among `from`, both rising: linear between neighbours,
 * the middle of those that tie, and as it is where it lies beyond the ends of both. */
float fold_rescale(float score, const float *from, const float *to, size_t count);

#endif
