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
 * "threads". Data that cannot tell alpha are no failure: puad_prior_refused says so. */
PUAD_API puad_status puad_prior_estimate(puad_prior **out, const puad_dataset *data,
                                         const puad_options *options);
PUAD_API void puad_prior_free(puad_prior *prior); /* NULL is fine */

PUAD_API double puad_prior_number(const puad_prior *prior, puad_prior_figure which); /* NaN: not known */
PUAD_API int puad_prior_refused(const puad_prior *prior);
PUAD_API const char *puad_prior_reason(const puad_prior *prior); /* of the refusal, a sentence; "" without */

/* The evidence: calibrated out-of-fold P(labeled | row) of each row, NaN for labeled normals and rows that
 * were not looked at; and, point by point from the strictest threshold on, the share of labeled anomalies
 * above it (x) and the share of unlabeled rows above it divided by x (y), which settles on alpha. */
PUAD_API const float *puad_prior_probabilities(const puad_prior *prior);
PUAD_API double puad_prior_log_odds(const puad_prior *prior, size_t row); /* of it, finite or NaN */
PUAD_API size_t puad_prior_point_count(const puad_prior *prior);
PUAD_API const double *puad_prior_points_x(const puad_prior *prior);
PUAD_API const double *puad_prior_points_y(const puad_prior *prior);

#ifdef __cplusplus
}
#endif
#endif
