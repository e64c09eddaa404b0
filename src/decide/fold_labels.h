/* Scores of labeled anomalies by models that were trained without them.
 *
 * The labeled anomalies are dealt into folds; for each fold the method is trained on all rows but those of
 * the fold, and scores them. So none of the few labels is lost to training. The unlabeled rows to train on
 * are the same every time, which keeps the scores of these models on one scale. */
#ifndef DECIDE_FOLD_LABELS_H
#define DECIDE_FOLD_LABELS_H

#include "detector/model.h"

enum { FOLDS_FEW = 10, FOLDS_MANY = 5, FOLDS_MANY_LABELS = 50 }; /* fewer folds from so many labels on */

/* scores[i] is that of row which[i], a labeled anomaly; at least 2 of them. Other labeled anomalies train
 * every time. */
puad_status fold_labels(float *scores, const uint32_t *which, size_t count, const puad_rows *rows,
                        const puad_fit_options *options);

#endif
