/* Classifies labeled anomalies against unlabeled rows: an out-of-sample probability for every row, as the
 * estimators of prior.h need. Uses positive-unlabeled forests (detector/forest/pu_forest.h), each grown
 * without one fold of the rows. */
#ifndef PRIOR_PU_CLASSIFIER_H
#define PRIOR_PU_CLASSIFIER_H

#include "prior/prior.h"

/* P(labeled | row) for every row, into `probabilities`. Labels: 1 a labeled anomaly, anything else an
 * unlabeled row; the values must be finite. Needs at least 2 of each kind. The bits depend only on
 * the seed. Ranks (NULL for a single process) with the same rows divide the folds, and all get the result. */
puad_status pu_classify(float *probabilities, const prior_rows *rows, uint64_t seed, team *workers,
                        rank_group *all);

#endif
