/* Estimates alpha_U, the fraction of anomalies hidden among the unlabeled rows.
 *
 * The estimate assumes that the labeled anomalies are a fair sample of the hidden ones. Then the
 * unlabeled scores are the mixture G_U = alpha G_A + (1 - alpha) G_normal, and above the scores of normal
 * rows G_U / G_A is alpha. Scores must be out of fold: no row may be scored by a model that was trained on
 * it. */
#ifndef PRIOR_PRIOR_H
#define PRIOR_PRIOR_H

#include "base/memory.h"
#include "base/threads.h"
#include "nn/ranks.h"
#include "prior/score_bootstrap.h"

enum { PRIOR_LABELS_MIN = 5, PRIOR_REPLICATES = 400, PRIOR_ROWS_MAX = 100000 };
#define PRIOR_WIDTH_MAX 0.5 /* maximum width of the interval */

typedef struct prior_estimate {
    double alpha, low, high; /* alpha_U and its interval of at least 95%, from the anomaly posterior */
    double auroc; /* of anomalies against normal rows: A against U, corrected for the anomalies in U */
    double auroc_low, auroc_high; /* its 95% bootstrap interval */
    bool refused;                 /* alpha is not identifiable from these data */
    char reason[256];             /* the reason as a sentence; "" if not refused */
} prior_estimate;

/* From out-of-fold probabilities P(labeled | row), in [0, 1], of at least PRIOR_LABELS_MIN labeled
 * anomalies and the unlabeled rows. A refusal is a result, not a failure; the fields are filled in as far
 * as possible. */
puad_status prior_from_scores(prior_estimate *out, const pu_sample *sample, uint64_t seed, team *workers);

/* rows x columns values and labels: 1 labeled anomaly, -1 labeled normal, anything else unlabeled. */
typedef struct prior_rows {
    const float *values;
    const int8_t *labels;
    size_t rows, columns;
    size_t unlabeled_most,
        anomalies_most; /* if there are more rows, this many are drawn; 0: PRIOR_ROWS_MAX, a quarter of it */
} prior_rows;

/* The same from rows: an A-versus-U classifier computes the probabilities; labeled normals are left out.
 * `probabilities`, one per row (NaN for rows that are left out), may be NULL. Ranks (may be NULL) classify
 * jointly. */
puad_status prior_from_rows(prior_estimate *out, float *probabilities, const prior_rows *rows, uint64_t seed,
                            team *workers, rank_group *all);

/* alpha_all = (alpha_U N + M) / (N + M) */
double prior_alpha_all(double alpha_unlabeled, size_t unlabeled, size_t anomalies);

#endif
