/* alpha, the fraction of anomalies hidden among the unlabeled rows, estimated instead of guessed.
 *
 * Ownership: the caller frees *out; what its calls return is borrowed from it. Threads: an estimate does not
 * change. */
#ifndef PUAD_PRIOR_H
#define PUAD_PRIOR_H

#include <puad/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_prior puad_prior;

typedef enum puad_prior_figure {
    PUAD_PRIOR_ALPHA, /* alpha_U: among the unlabeled rows */
    PUAD_PRIOR_LOW,   /* its interval of 95% or more */
    PUAD_PRIOR_HIGH,
    PUAD_PRIOR_ALPHA_ALL, /* among all rows, with the labeled ones */
    PUAD_PRIOR_ALPHA_ALL_LOW,
    PUAD_PRIOR_ALPHA_ALL_HIGH,
    PUAD_PRIOR_PLAIN, /* G_U / G_A at the best threshold, median of five splits (docs/explanation/alpha.md) */
    PUAD_PRIOR_DEDPUL, /* two other estimators, for comparison */
    PUAD_PRIOR_MENON,
    PUAD_PRIOR_AUROC, /* of labeled anomalies against normal rows, with its 95% interval */
    PUAD_PRIOR_AUROC_LOW,
    PUAD_PRIOR_AUROC_HIGH,
    PUAD_PRIOR_ROWS, /* unlabeled rows that were looked at: of more than 100,000 so many are drawn */
} puad_prior_figure;

/* From the labeled anomalies and unlabeled rows of a dataset; labeled normals are left out. Takes "seed" and
 * "threads". If alpha is not identifiable the call still succeeds; check puad_prior_result. */
PUAD_API puad_status puad_prior_estimate(puad_prior **out, const puad_dataset *data,
                                         const puad_options *options);
PUAD_API void puad_prior_free(puad_prior *prior); /* NULL is fine */

PUAD_API double puad_prior_number(const puad_prior *prior, puad_prior_figure which); /* NaN: not known */

/* What the estimate rests on. */
typedef struct puad_prior_evidence {
    size_t struct_size;
    int refused;        /* 1: alpha is not identifiable */
    const char *reason; /* of the refusal, a sentence; "" without */
    const float
        *probabilities;  /* calibrated out-of-fold P(labeled | row); NaN for labeled normals and rows that
                                   were not sampled */
    size_t point_count;  /* thresholds, from the strictest */
    const double *x, *y; /* fraction of labeled anomalies above it; of unlabeled rows above it / x */
} puad_prior_evidence;
PUAD_API puad_status puad_prior_result(const puad_prior *prior, puad_prior_evidence *out);

/* Returns the log odds of the probability of a row, finite or NaN. */
PUAD_API double puad_prior_log_odds(const puad_prior *prior, size_t row);

#ifdef __cplusplus
}
#endif
#endif
