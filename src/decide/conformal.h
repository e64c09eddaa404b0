/* From scores to decisions: p-values against held-out unlabeled scores, and which rows to flag.
 *
 * Calibration scores come from unlabeled rows and labeled anomalies that were used neither for training
 * nor for early stopping. The plain p-value is valid if anomalies hidden in the calibration rows score no
 * lower than normal rows; it is conservative, because they score as high as the anomalies to be found. The
 * corrected p-value subtracts the hidden anomalies from the tail, assuming that they resemble the labeled
 * ones. Their number comes from the posterior model (anomaly_posterior.h), averaged over the uncertainty
 * that the labels leave. If alpha is given, it is alpha times the fraction of labeled anomalies in the tail,
 * which is asymptotically valid. The corrected p-value is never above the plain one. Neither says anything
 * about new kinds of anomaly.
 *
 * p takes only as many values as there are calibration scores. Rows are therefore identified by a level,
 * and deciding over a stream of rows needs one counter per level instead of the rows. */
#ifndef DECIDE_CONFORMAL_H
#define DECIDE_CONFORMAL_H

#include "prior/score_bootstrap.h"

#include <math.h>
#include <stdbool.h>

typedef enum conformal_kind { CONFORMAL_CORRECTED, CONFORMAL_PLAIN } conformal_kind;

typedef struct conformal {
    arena memory;  /* owns the arrays */
    size_t levels; /* number of distinct calibration scores of both kinds, plus one */
    /* levels - 1 scores in descending order; a row's level is the number of them that are >= its score */
    float *level;
    double *p[2];      /* by conformal_kind: one per level, non-decreasing */
    double *posterior; /* per level: P(anomaly | score), non-increasing */
    double *recall;    /* per level: the fraction of labeled anomalies with at least this score */
    size_t unlabeled, anomalies;
    double alpha;                     /* as given; else the posterior mode */
    bool modeled;                     /* alpha was estimated from the scores */
    double labels;                    /* number of labeled anomalies, or the assumed number */
    bool separated, nearly_separated; /* see conformal_declines */
    double overlap, overlap_max;
} conformal;

/* alpha below 1, or NaN to estimate it from the scores. Without labeled anomalies, or with too few to
 * estimate alpha, the corrected p-value is the plain one. */
puad_status conformal_new(conformal *out, const pu_sample *sample, double alpha);
void conformal_free(conformal *owner); /* {0} is fine */
#define AUTO_CONFORMAL __attribute__((cleanup(conformal_free)))

size_t conformal_level(const conformal *calibration, float score);
double conformal_p(const conformal *calibration, conformal_kind kind, float score);
double conformal_posterior(const conformal *calibration, float score); /* calibrated P(anomaly | score) */
double conformal_smallest(const conformal *calibration,
                          conformal_kind kind); /* the smallest p any row can get */

/* The approximate fraction of normal rows among those counted (counts[level] per level): only normal rows
 * have a large p, half of them above one half (Storey). At most 1, biased upwards. */
double conformal_normals(const conformal *calibration, conformal_kind kind, const uint64_t *counts);

/* If alpha is estimated from the scores, the promised rate depends on how well labels confirm the
 * posterior model (anomaly_posterior.h). All constants were chosen on ten tables
 * (docs/tutorial/2-score-to-decision.md):
 * - at least the fraction CONFORMAL_RECALL_MIN of the labeled anomalies, and CONFORMAL_LABELS_ABOVE of
 * them,
 *   score above the last flagged row;
 * - once more than CONFORMAL_RECALL_MAX(rate) of them do, a false alarm rate of CONFORMAL_BELOW x rate is
 *   allowed, because the model is less certain for lower scores;
 * - p-values use the 90% quantile over states, divided by CONFORMAL_EXCESS(labels): fewer than 50 labels
 *   are too few to check the model if scores are not separated (below);
 * - with fewer labels than CONFORMAL_FEW_LABELS, four fifths of them must be among the top tenth of the
 *   unlabeled rows: a larger group around few labels looks pure whatever it contains. */
#define CONFORMAL_RECALL_MIN 0.15
#define CONFORMAL_RECALL_MAX(rate) fmin(0.9, 0.3 + 2 * (rate))
#define CONFORMAL_BELOW 0.3
#define CONFORMAL_EXCESS(labels) fmin(2.5, fmax(1, (labels) / 50))
#define CONFORMAL_FEW_RECALL 0.8
#define CONFORMAL_FEW_SHARE 0.1
enum { CONFORMAL_LABELS_ABOVE = 3, CONFORMAL_FEW_LABELS = 30 };

/* Corrected p-values and probabilities assume that nearly all of the highest-scoring rows are anomalies.
 * Above any threshold the unlabeled rows are a mixture of anomalies, distributed like the labeled ones,
 * and normal rows. If labeled ones rank above unlabeled ones there with probability AUC, the fraction of
 * normal rows is at least 2 AUC - 1, whatever alpha is: the `overlap`. It is computed above the median
 * label and above the fraction CONFORMAL_OVERLAP_WIDE of the labels; the larger value counts. It is a lower
 * bound: even if it is small, the assumption may be wrong. It is also an estimate: with 100 labels its
 * standard error is about 0.1.
 *
 * Scores are separated if the AUROC of anomalies against normal rows, corrected for hidden anomalies, is at
 * least CONFORMAL_SEPARATED, and 1 - AUROC is at most the 2.5% quantile of alpha over the states: where
 * anomalies are rare, a high AUROC still leaves many normal rows at the top. Then a larger overlap may
 * be chance, and p-values need less margin. Other scores need CONFORMAL_MIXED_LABELS and an AUROC of
 * CONFORMAL_MIXED: broad overlap looks like a large alpha. These constants were chosen on simulated calibrations of ADBench tables
 * (docs/explanation/guarantees.md). */
#define CONFORMAL_OVERLAP_TOP 0.5
#define CONFORMAL_OVERLAP_MAX 0.1
#define CONFORMAL_OVERLAP_WIDE 0.65
#define CONFORMAL_SEPARATED 0.98
#define CONFORMAL_MIXED 0.92
#define CONFORMAL_SEPARATED_OVERLAP(rows) fmax(0.25, 0.1 + 1 / sqrt(3 * fmax(1, rows)))
#define CONFORMAL_SEPARATED_EXCESS 2.5
enum { CONFORMAL_SEPARATED_LABELS = 20, CONFORMAL_MIXED_LABELS = 150 };

typedef enum conformal_reason {
    CONFORMAL_ACCEPTED,
    CONFORMAL_FEW_LABELS_SPREAD, /* few labels, among too many unlabeled rows or not separated */
    CONFORMAL_OVERLAPS,          /* overlap > overlap_max, or the AUROC is below CONFORMAL_MIXED */
    CONFORMAL_ALPHA_WIDE,        /* alpha's interval is wider than PRIOR_WIDTH_MAX; set by the caller */
} conformal_reason;

/* Why the labels do not support a correction if alpha is estimated from the scores. Then only plain
 * p-values are valid. */
conformal_reason conformal_declines(const conformal *calibration);

/* Benjamini-Hochberg over the counted rows: the number of levels whose rows are flagged (levels 0 ..
 * result-1) so that the expected fraction of false alarms among them is at most `rate`. The procedure
 * itself guarantees rate x the fraction of normal rows, so that fraction is divided out. 0 if none can be
 * flagged. If plain p-values flag more than corrected ones, theirs are used. */
size_t conformal_flag_levels(const conformal *calibration, conformal_kind kind, const uint64_t *counts,
                             double rate);

/* Approximately how many labeled anomalies like these it would take to flag any of the counted rows, if
 * alpha is estimated from the scores; 0: no number would suffice. The levels must be those of
 * conformal_new for the same scores. */
puad_status conformal_labels_needed(size_t *out, const pu_sample *sample, const uint64_t *counts,
                                    double rate);

/* The threshold that flags (score >= it) at most the fraction `rate` of the unlabeled calibration rows;
 * +infinity if a single row is more. The fallback without a guarantee. */
float conformal_flag_rate(const conformal *calibration, double rate);

#endif
