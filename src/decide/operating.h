/* The operating table: what each threshold would do, from labeled anomalies A and unlabeled rows U alone.
 *
 * With G_S(t) the share of S scoring at least t, on rows the scorer was not trained on, and alpha the share
 * of anomalies in U: TPR = G_A, FPR = (G_U - alpha G_A) / (1 - alpha), precision = alpha G_A / G_U, F1 = 2
 * alpha G_A / (G_U + alpha). This holds for anomalies like the labeled ones; of new kinds no table made from
 * these rows can speak. */
#ifndef DECIDE_OPERATING_H
#define DECIDE_OPERATING_H

#include "base/memory.h"
#include "base/threads.h"

enum {
    OPERATING_POINTS_MOST = 1000,
    OPERATING_GRID = 64, /* points enough for the best of them to be the best there is, or nearly */
    OPERATING_REPLICATES = 400,
};

/* An estimate with its 95% band. `value` is within [0, 1] and monotone along the table, `raw` is as the
 * formula gives. */
typedef struct operating_figure {
    double value, low, high, raw;
} operating_figure;

typedef struct operating_point {
    double threshold; /* rows scoring at least this are flagged */
    double flagged;   /* share of U flagged, G_U */
    operating_figure tpr, fpr, precision, f1;
} operating_point;

typedef struct operating_table {
    arena memory; /* owns the points */
    size_t count;
    operating_point *points; /* from the strictest threshold to the laxest */
    size_t best_f1;          /* the point with the largest F1 */
    double alpha, alpha_low, alpha_high;
    operating_figure auroc; /* of anomalies against normal rows */
} operating_table;

/* alpha_low and alpha_high are its 95% interval (equal to alpha where it is known): the bands carry that
 * doubt too. At most `points` thresholds, dense where few rows are flagged. alpha must be below 1. */
puad_status operating_table_new(operating_table *out, const float *anomaly, size_t anomalies,
                                const float *unlabeled, size_t unlabeled_count, double alpha,
                                double alpha_low, double alpha_high, size_t points, uint64_t seed,
                                team *workers);

/* Gives a table made from the same scores the values and bands that follow from their purity
 * (anomaly_posterior.h), where alpha is read from the scores and not given. They are those of a batch of new
 * rows as large as the unlabeled ones. At least PURITY_LABELS_LEAST anomalies. */
puad_status operating_table_model(operating_table *table, const float *anomaly, size_t anomalies,
                                  const float *unlabeled, size_t rows, uint64_t seed);

/* Leaves at most `points` of the points, the one with the largest F1 among them; at least 2. */
void operating_table_thin(operating_table *table, size_t points);

void operating_table_free(operating_table *owner); /* {0} is fine */
#define AUTO_OPERATING __attribute__((cleanup(operating_table_free)))

#endif
