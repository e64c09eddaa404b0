/* The operating table: what each threshold would do, from labeled anomalies A and unlabeled rows U only.
 *
 * With G_S(t) the fraction of S with score at least t, on rows not used in training, and alpha the
 * fraction of anomalies in U: TPR = G_A, FPR = (G_U - alpha G_A) / (1 - alpha), precision = alpha G_A /
 * G_U, F1 = 2 alpha G_A / (G_U + alpha). This holds for anomalies like the labeled ones; no such table can
 * describe new kinds. */
#ifndef DECIDE_OPERATING_H
#define DECIDE_OPERATING_H

#include "base/memory.h"
#include "base/threads.h"
#include "prior/score_bootstrap.h"

enum {
    OPERATING_POINTS_MAX = 1000,
    OPERATING_GRID = 64, /* enough points that the best of them is close to the optimum */
    OPERATING_REPLICATES = 400,
};

/* alpha and its 95% interval; all three are equal if it is known. */
typedef struct alpha_interval {
    double value, low, high;
} alpha_interval;

/* An estimate with its 95% band. `value` is clipped to [0, 1] and monotonic along the table, `raw` is the
 * formula. */
typedef struct operating_figure {
    double value, low, high, raw;
} operating_figure;

typedef struct operating_point {
    double threshold; /* rows with at least this score are flagged */
    double flagged;   /* fraction of U flagged, G_U */
    operating_figure tpr, fpr, precision, f1;
} operating_point;

typedef struct operating_table {
    arena memory; /* owns the points */
    size_t count;
    operating_point *points; /* from the highest to the lowest threshold */
    size_t best_f1; /* index of the point with the largest F1, or Youden index if alpha is not identifiable */
    double alpha, alpha_low, alpha_high;
    operating_figure auroc; /* of anomalies against normal rows */
} operating_table;

/* The bands include the uncertainty of alpha. At most `points` thresholds, dense where few rows are
 * flagged. alpha must be below 1. */
puad_status operating_table_new(operating_table *out, const pu_sample *sample, const alpha_interval *alpha,
                                size_t points, uint64_t seed, team *workers);

/* Replaces the values and bands of a table by those of the anomaly posterior of the same scores
 * (anomaly_posterior.h), if alpha is estimated from the scores. They are for a batch of new rows as large
 * as the unlabeled ones. Needs at least PURITY_LABELS_MIN anomalies. */
puad_status operating_table_model(operating_table *table, const pu_sample *sample, uint64_t seed);

/* Keeps at most `points` (at least 2) of the points, including the one with the largest F1. */
void operating_table_thin(operating_table *table, size_t points);

void operating_table_free(operating_table *owner); /* {0} is fine */
#define AUTO_OPERATING __attribute__((cleanup(operating_table_free)))

#endif
