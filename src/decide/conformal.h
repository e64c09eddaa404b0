/* From a score to a decision: p-values against held-out unlabeled scores, and which rows to flag.
 *
 * Calibration scores come from unlabeled rows, and labeled anomalies, that the model was not trained on nor
 * stopped by. The plain p-value is valid as long as what hides among the calibration rows scores no lower
 * than normal rows, but conservative: they hold anomalies, which score as high as those to be found. The
 * corrected one takes the anomalies out of the tail, for anomalies like the labeled ones: as many as the
 * purity of the scores (anomaly_posterior.h) says on average over all that the labels leave open, or, where
 * alpha is given, alpha times the share of labeled anomalies in the tail, which is valid as the calibration
 * rows grow many. It is never above the plain one. Neither knows anything about new kinds of anomaly.
 *
 * p takes only as many values as there are calibration scores, so rows are told apart by a level, and
 * deciding over a stream of rows needs one counter per level instead of the rows. */
#ifndef DECIDE_CONFORMAL_H
#define DECIDE_CONFORMAL_H

#include "base/memory.h"

#include <math.h>

typedef enum conformal_kind { CONFORMAL_CORRECTED, CONFORMAL_PLAIN } conformal_kind;

typedef struct conformal {
    arena memory;  /* owns the arrays */
    size_t levels; /* distinct calibration scores of either kind, plus one */
    float *level;  /* levels - 1 of them, largest first; a row's level is how many of them are >= its score */
    double *p[2];  /* by conformal_kind: levels each, never falling */
    double *posterior; /* levels: P(anomaly | score), never rising */
    double *recall;    /* levels: the share of labeled anomalies that score as high or higher */
    size_t unlabeled, anomalies;
    double alpha;   /* as given; else the most likely one */
    bool modeled;   /* alpha was read from the scores */
    double labels;  /* labeled anomalies, or as many as are pretended */
    double overlap; /* see conformal_declines */
} conformal;

/* alpha below 1, or NaN: to be read from the scores. Without labeled anomalies, or with fewer than it takes
 * to read alpha, the corrected p-value is the plain one. */
puad_status conformal_new(conformal *out, const float *unlabeled, size_t unlabeled_count,
                          const float *anomaly, size_t anomalies, double alpha);

/* The same as if there were `times` as many labeled anomalies of the same scores, where alpha is read from
 * them. */
puad_status conformal_new_pretending(conformal *out, const float *unlabeled, size_t unlabeled_count,
                                     const float *anomaly, size_t anomalies, double alpha, double times);
void conformal_free(conformal *owner); /* {0} is fine */
#define AUTO_CONFORMAL __attribute__((cleanup(conformal_free)))

size_t conformal_level(const conformal *by, float score);
double conformal_p(const conformal *by, conformal_kind kind, float score);
double conformal_posterior(const conformal *by, float score);        /* calibrated P(anomaly | score) */
double conformal_smallest(const conformal *by, conformal_kind kind); /* the smallest p any row can get */

/* About the share of normal rows among those counted, counts[level] at each level: they alone have a large p,
 * one half of them above one half (Storey). At most 1, and rather too large. */
double conformal_normals(const conformal *by, conformal_kind kind, const uint64_t *counts);

/* Where alpha is read from the scores, a rate is promised as far as labels confirm what purity is taken to be
 * (anomaly_posterior.h). All of this was chosen on ten tables (docs/tutorial/2-score-to-decision.md):
 * - at least a share CONFORMAL_RECALL_LEAST of the labeled anomalies, and CONFORMAL_LABELS_ABOVE of them, lie
 *   above the last row flagged;
 * - where more than CONFORMAL_RECALL_MOST(rate) of them do, a false share of CONFORMAL_BELOW x rate is
 * allowed, as the form of purity is the less certain the farther down;
 * - p-values rest on states as unfavourable as nine tenths of them are, divided by CONFORMAL_EXCESS(labels):
 *   fewer than 50 labels are too few to check the form of purity;
 * - with fewer labels than CONFORMAL_FEW_LABELS, four fifths of them must lie among the top tenth of the
 *   unlabeled rows: a larger crowd around few labels looks pure whatever it holds. */
#define CONFORMAL_RECALL_LEAST 0.15
#define CONFORMAL_RECALL_MOST(rate) fmin(0.9, 0.3 + 2 * (rate))
#define CONFORMAL_BELOW 0.3
#define CONFORMAL_EXCESS(labels) fmin(2.5, fmax(1, (labels) / 50))
#define CONFORMAL_FEW_RECALL 0.8
#define CONFORMAL_FEW_SHARE 0.1
enum { CONFORMAL_LABELS_ABOVE = 3, CONFORMAL_FEW_LABELS = 30 };

/* Corrected p-values and probabilities rest on the belief that the highest-scoring rows are nearly all
 * anomalies. Above any threshold the unlabeled rows are anomalies, spread like the labeled ones, and a
 * fraction of normal rows. So if labeled ones rank above unlabeled ones there with probability AUC, that
 * fraction is at least 2 AUC - 1, whatever alpha is: the `overlap`. It is read above the median label, or
 * above CONFORMAL_OVERLAP_LABELS of them where that is more, at most four fifths. It is a lower bound: if
 * it is small, the belief may still be wrong. */
#define CONFORMAL_OVERLAP_TOP(labels) fmin(0.8, fmax(0.5, CONFORMAL_OVERLAP_LABELS / (labels)))
#define CONFORMAL_OVERLAP_MOST(top) (0.1 + ((top)-0.5) / 3) /* 0.1 to 0.2 */
enum { CONFORMAL_OVERLAP_LABELS = 40 };

typedef enum conformal_reason {
    CONFORMAL_ACCEPTED,
    CONFORMAL_FEW_LABELS_SPREAD, /* few labels, spread over too many unlabeled rows */
    CONFORMAL_OVERLAPS,          /* the overlap is above CONFORMAL_OVERLAP_MOST */
    CONFORMAL_ALPHA_WIDE,        /* alpha's interval is wider than PRIOR_WIDTH_MOST: the caller finds this */
} conformal_reason;

/* Why labels support no correction, where alpha is read from the scores. Then only plain p-values hold. */
conformal_reason conformal_declines(const conformal *by);

/* Benjamini-Hochberg over the rows counted: the number of levels whose rows are flagged (levels 0 ..
 * result-1) so that the expected share of false ones among them is at most `rate`. By itself it keeps to rate
 * x the share of normal rows; that share is divided out. 0: none can be. Where plain p-values flag more than
 * corrected ones, theirs are flagged. */
size_t conformal_flag_levels(const conformal *by, conformal_kind kind, const uint64_t *counts, double rate);

/* How many labeled anomalies like these, more or less, it would take to flag any of the rows counted where
 * alpha is read from the scores; 0: no number would do. The levels must be those of conformal_new for the
 * same scores. */
puad_status conformal_labels_needed(size_t *out, const float *unlabeled, size_t unlabeled_count,
                                    const float *anomaly, size_t anomalies, const uint64_t *counts,
                                    double rate);

/* The threshold that flags (score >= it) at most a share `rate` of the unlabeled calibration rows; +infinity
 * when even one row is more. The fallback without a guarantee. */
float conformal_flag_rate(const conformal *by, double rate);

/* Benjamini-Hochberg on p-values as they are: the largest p that is flagged, or -1 when none is. */
double benjamini_hochberg(const double *p, size_t count, double rate, double *scratch);

#endif
