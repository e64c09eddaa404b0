/* Estimates of alpha, the fraction of anomalies hidden among the unlabeled rows.
 *
 * Threads: an estimate does not change. */
#ifndef PUAD_PRIOR_H
#define PUAD_PRIOR_H

#include <puad/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_prior puad_prior;

/* Estimates alpha from the labeled anomalies and unlabeled rows of a dataset; labeled normals are not used.
 * If alpha is not identifiable, the call still succeeds; check puad_prior_result.
 * options: "seed", "threads".
 * Errors: PUAD_INVALID for too few rows, PUAD_CANCELLED, PUAD_MEMORY. */
PUAD_API puad_status puad_prior_estimate(puad_prior **out, const puad_dataset *data,
                                         const puad_options *options);
PUAD_API void puad_prior_free(puad_prior *prior);

/* An estimate, and the data that it is computed from. Intervals have a confidence of at least 95%; unknown
 * numbers are NaN. */
typedef struct puad_prior_evidence {
    size_t struct_size;
    double alpha, alpha_low, alpha_high;             /* alpha_U: among the unlabeled rows */
    double alpha_all, alpha_all_low, alpha_all_high; /* among all rows, with the labeled ones */
    double auroc, auroc_low, auroc_high;             /* of labeled anomalies against normal rows */
    size_t rows_used;   /* unlabeled rows: a sample if there are more than 100,000 */
    int refused;        /* 1: alpha is not identifiable */
    const char *reason; /* why alpha is not identifiable; else "" */
    const float
        *probabilities;  /* calibrated P(labeled | row), each from a fold model that was not trained on the
                            row; NaN for labeled normals and rows outside the sample */
    size_t point_count;  /* thresholds, highest first */
    const double *x, *y; /* fraction of labeled anomalies above it; fraction of unlabeled rows above it
                            divided by x */
} puad_prior_evidence;

/* Fills *out with an estimate and its data.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_prior_result(const puad_prior *prior, puad_prior_evidence *out);

/* Returns the log odds of probabilities[row]; NaN if that is NaN. */
PUAD_API double puad_prior_log_odds(const puad_prior *prior, size_t row);

#ifdef __cplusplus
}
#endif
#endif
