/* Evidence that recurrence lacks: clusters of windows find anomalies that recur at many times, and the
 * distance of single rows finds anomalies much shorter than a window and broken relations of channels.
 *
 * Both use the encoded rows, clipped to SERIES_CLIP standard deviations. The CLUSTERS_MAX clusters come from
 * Lloyd's algorithm on training windows an eighth of a window apart, started at windows evenly spaced in time;
 * a window's distance is that to the nearest center. Columns with two values together weigh as much as one
 * other column (channel_scale.weight).
 *
 * A row is compared together with the row before it: the Mahalanobis distance of both to the training rows,
 * over the columns with more than two values. The covariance of the columns, each with variance 1, gets
 * ROW_RIDGE on its diagonal, and is estimated ROW_ROUNDS times without the rows that were furthest away, one
 * in ROW_TRIMMED. The first row of a segment is its own predecessor.
 *
 * All three are measured in robust units of the training windows or rows: minus the median, divided by the median
 * absolute deviation (as a standard deviation, and at least half of the real one). A window's score is its recurrence
 * plus the excess of its distance to the clusters over 1. A row's score is the mean over its windows, plus (C - 1) / C
 * times the excess of its own distance; C is the number of columns used. Small distances count as 0: an anomaly that
 * lasts has a cluster of its own, and most of its rows are ordinary. */
#ifndef DETECTOR_ENSEMBLE_SERIES_EVIDENCE_H
#define DETECTOR_ENSEMBLE_SERIES_EVIDENCE_H

#include "detector/ensemble/recurrence.h"

enum {
    CLUSTERS_MAX = 10,
    CLUSTER_LANES = 16, /* the next power of 2 */
    CLUSTER_ROUNDS = 10,
    CLUSTER_VALUES_MAX = 1 << 24, /* floats of the windows used to find them */
    SERIES_CLIP = 10,
    ROW_ROUNDS = 3,
    ROW_TRIMMED = 50,
    ROW_CHANNELS_MAX = 256, /* with more columns rows have no evidence of their own */
};
#define ROW_RIDGE 0.01

typedef struct window_clusters {
    arena memory; /* owns the arrays */
    size_t length, channels, count;
    bool plain;     /* rows are compared unchanged and are not windows (length 1) */
    float *weights; /* per channel */
    float *centers; /* (length * channels) x CLUSTER_LANES */
} window_clusters;

typedef struct row_distance {
    arena memory; /* owns the arrays */
    size_t count; /* columns used; 0: rows have no evidence of their own */
    int32_t *columns;
    float *means, *factors; /* per column used */
    float *whitening;       /* 2 count x 2 count, transposed, then the center */
    float unit[2];          /* median and unit of the distance */
} row_distance;

typedef struct series_evidence {
    window_clusters clusters;
    row_distance rows;
    float units[4]; /* median and unit of recurrence, then of the distance to the clusters */
} series_evidence;

/* Windows that are labeled anomalies are not used. `recurring` has been fitted to the same windows. */
puad_status series_evidence_fit(series_evidence *out, const recurrence *recurring,
                                const recurrence_rows *rows, team *workers);
/* `scores` has the recurrence of the windows and gets the sum of both. */
puad_status series_evidence_score(float *scores, const series_evidence *evidence, const float *values,
                                  size_t rows, team *workers);
/* What a row adds to the mean of its windows; `before` is the preceding row of the segment, or the row. */
float row_evidence(const series_evidence *evidence, const float *row, const float *before);
/* Median, and the median absolute deviation as a standard deviation, at least half of the real one. */
puad_status robust_unit(float unit[2], const float *values, size_t count);
float evidence_excess(const float unit[2], float distance);
void series_evidence_free(series_evidence *owner); /* {0} is fine */

/* The parts; for readers of model files, which fill the arrays and call series_evidence_check. */
puad_status window_clusters_new(window_clusters *out, size_t window, size_t columns, size_t count);
puad_status window_clusters_fit(window_clusters *out, const recurrence *recurring,
                                const recurrence_rows *rows, team *workers);
puad_status window_clusters_score(float *distances, const window_clusters *clusters, const float *values,
                                  size_t rows, team *workers);
puad_status row_distance_new(row_distance *out, size_t count);
puad_status row_distance_fit(row_distance *out, const recurrence_rows *rows, team *workers);
puad_status series_evidence_check(const series_evidence *evidence);

#endif
