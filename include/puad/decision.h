/* From a score to a decision: p-values against the rows a model held out, and which rows to flag.
 *
 *     puad_options_set(options, "fdr", "0.1");
 *     puad_decider_new(&decider, model, options);
 *     puad_decider_count(decider, scores, rows);        all rows, in one call or in many
 *     puad_decider_settle(decider);
 *     for (i = 0; i < rows; i++) if (puad_decider_flags(decider, scores[i])) ...
 *
 * At a false-discovery rate all rows must have been counted before one can be flagged; their number does not
 * matter to the memory it takes. With "flag_rate" or "threshold", rows are flagged one by one.
 *
 * Ownership: the model must outlive the decider; texts are borrowed from the decider. Threads: a decider
 * belongs to one thread while it counts; once settled it does not change. */
#ifndef PUAD_DECISION_H
#define PUAD_DECISION_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_decider puad_decider;

typedef enum puad_decision_kind {
    PUAD_DECIDES_NOT, /* p-values and probabilities alone */
    PUAD_DECIDES_THRESHOLD,
    PUAD_DECIDES_FDR,
} puad_decision_kind;

/* Takes one of "fdr", "flag_rate" and "threshold", or none; and "p_values", "kind" and "alpha". PUAD_INVALID where
 * they ask for what the model does not have: all but "threshold" need rows held out of training. */
PUAD_API puad_status puad_decider_new(puad_decider **out, const puad_detector *model,
                                      const puad_options *options);
PUAD_API void puad_decider_free(puad_decider *decider); /* NULL is fine */

/* What a decider does, and what it has counted. There are no probabilities if alpha is unknown, or if the
 * labels do not support them: then "fdr" rests on plain p-values, and puad_decider_new warns
 * ("scores_overlap", "alpha_wide" or "labels_spread"). */
typedef struct puad_decider_summary {
    size_t struct_size;
    puad_decision_kind kind;
    int has_p, has_probability, has_kind; /* has_kind: rows are told as known or novel */
    size_t rows, flagged;                 /* counted, and how many of these are flagged */
    double threshold;                     /* of PUAD_DECIDES_THRESHOLD; else NaN */
} puad_decider_summary;
PUAD_API puad_status puad_decider_state(const puad_decider *decider, puad_decider_summary *out);

/* PUAD_NUMERIC where a score is NaN; then none of the rows are counted. */
PUAD_API puad_status puad_decider_count(puad_decider *decider, const float *scores, size_t rows);
PUAD_API puad_status puad_decider_settle(puad_decider *decider);

PUAD_API double puad_decider_p(const puad_decider *decider, float score);           /* NaN without */
PUAD_API double puad_decider_probability(const puad_decider *decider, float score); /* of an anomaly; NaN */
PUAD_API int puad_decider_flags(const puad_decider *decider, float score);

/* 1 for rows that lie where labeled anomalies lie, 0 for those of a new kind; `values` are encoded. Needs
 * puad_decider_has_kind. */
PUAD_API puad_status puad_decider_known(const puad_decider *decider, unsigned char *known,
                                        puad_scorer *scorer, const float *values, size_t rows,
                                        size_t columns);

/* What was decided and what that assumes, line by line; "" behind the last. */
PUAD_API const char *puad_decider_report(puad_decider *decider, size_t line);

#ifdef __cplusplus
}
#endif
#endif
