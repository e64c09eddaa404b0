/* Labeled anomalies against unlabeled rows: a small classifier whose only product is an out-of-sample
 * probability for every row it was trained on, which is what the estimators of prior.h need.
 *
 * Extremely randomised trees (Geurts et al., 2006), each grown on a part of the rows; a row's probability
 * comes from the trees that did not see it. They were chosen by measurement: mean AUROC of labeled anomalies
 * against true normals on twelve real tables 0.945, against 0.912 for logistic regression on random Fourier
 * features, 0.890 on the columns and 0.870 for boosted trees. */
#ifndef DECIDE_PU_CLASSIFIER_H
#define DECIDE_PU_CLASSIFIER_H

#include "base/memory.h"
#include "base/threads.h"

/* P(labeled | row) for every row, into `probabilities`. labels: 1 a labeled anomaly, anything else an
 * unlabeled row. rows x columns values, all finite; needs at least 2 of each kind. The bits depend on the
 * seed alone. */
puad_status pu_classify(float *probabilities, const float *values, const int8_t *labels, size_t rows,
                        size_t columns, uint64_t seed, team *workers);

#endif
