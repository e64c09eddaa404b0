/* Decisions from scores: p-values against the rows that a model held out, and which rows to flag.
 *
 *     puad_options_set(options, "fdr", "0.1");
 *     puad_decider_new(&decider, model, options);
 *     puad_decider_count(decider, scores, rows);        all rows, in one call or in many
 *     puad_decider_settle(decider);
 *     for (i = 0; i < rows; i++) if (puad_decider_flags(decider, scores[i])) ...
 *
 * With "fdr" all rows must be counted before the first one can be flagged; memory use does not depend on
 * their number. With "flag_rate" or "threshold" rows can be flagged at once.
 *
 * Ownership: the model must outlive the decider. Threads: after puad_decider_settle a decider does not
 * change. */
#ifndef PUAD_DECISION_H
#define PUAD_DECISION_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_decider puad_decider;

typedef enum puad_decision_kind {
    PUAD_DECIDES_NOT, /* p-values and probabilities only */
    PUAD_DECIDES_THRESHOLD,
    PUAD_DECIDES_FDR,
} puad_decision_kind;

/* Creates a decider.
 * options: one of "fdr", "flag_rate" and "threshold", or none; "p_values", "kind" and "alpha".
 * Errors: PUAD_INVALID if the model lacks what they need: all but "threshold" need held-out rows.
 * PUAD_MEMORY. */
PUAD_API puad_status puad_decider_new(puad_decider **out, const puad_detector *model,
                                      const puad_options *options);
PUAD_API void puad_decider_free(puad_decider *decider);

/* The rule of a decider, and the rows counted so far. There are no probabilities if alpha is unknown or the
 * labels do not support them; "fdr" then uses plain p-values, and puad_decider_new warns ("scores_overlap",
 * "alpha_wide" or "labels_spread"). */
typedef struct puad_decider_summary {
    size_t struct_size;
    puad_decision_kind kind;
    int has_p, has_probability, has_kind; /* has_kind: it distinguishes known from new kinds */
    size_t rows, flagged;                 /* counted; flagged among them */
    double threshold;                     /* of PUAD_DECIDES_THRESHOLD; else NaN */
} puad_decider_summary;

/* Fills *out with the state of a decider.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_decider_state(const puad_decider *decider, puad_decider_summary *out);

/* Counts rows.
 * Errors: PUAD_NUMERIC if a score is NaN; then none of the rows is counted. PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_decider_count(puad_decider *decider, const float *scores, size_t rows);

/* Chooses the threshold after all rows are counted.
 * Errors: PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_decider_settle(puad_decider *decider);

/* Return the p-value of a score, and the probability that a row with it is an anomaly; NaN if the decider has
 * none. */
PUAD_API double puad_decider_p(const puad_decider *decider, float score);
PUAD_API double puad_decider_probability(const puad_decider *decider, float score);

/* Returns 1 if a row with this score is flagged. */
PUAD_API int puad_decider_flags(const puad_decider *decider, float score);

/* Writes 1 for each row that is close to labeled anomalies, 0 for a new kind. Needs `has_kind`.
 * values: rows x columns encoded values.
 * Errors: PUAD_INVALID, PUAD_NUMERIC, PUAD_MEMORY. */
PUAD_API puad_status puad_decider_known(const puad_decider *decider, unsigned char *known,
                                        puad_scorer *scorer, const float *values, size_t rows,
                                        size_t columns);

/* Returns a line about what was decided and what it assumes; "" past the end. */
PUAD_API const char *puad_decider_report(puad_decider *decider, size_t line);

#ifdef __cplusplus
}
#endif
#endif
