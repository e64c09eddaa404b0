/* Audits: a random sample of scored rows, checked by a reviewer, bounds the fraction of false alarms among
 * flagged rows without assumptions about labels, models or drift.
 *
 *     puad_audit_plan plan = {.struct_size = sizeof plan, .checks = 30, .rate = 0.1};
 *     puad_audit_new(&audit, scores, rows, &plan);
 *     for (i = 0; i < puad_audit_count(audit); i++) puad_audit_get(audit, i, &row);       rows to check
 *     puad_audit_answer(audit, checked, labels, count);
 *     puad_audit_decide(audit, 0.1, 0.9, &result);
 *     for (i = 0; i < rows; i++) if (puad_audit_flags(audit, i)) ...
 *
 * Ownership: an audit keeps copies of the scores and answers. Threads: after puad_audit_decide an audit does
 * not change. */
#ifndef PUAD_AUDIT_H
#define PUAD_AUDIT_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_audit puad_audit;

typedef struct puad_audit_plan {
    size_t struct_size;
    size_t checks;    /* rows to check in each round, 1 to 2000 */
    size_t rounds;    /* number of rounds, 0: 1. Each round uses rate / rounds */
    double rate;      /* maximum expected fraction of false alarms; 0: 0.1 */
    double flag_rate; /* expected fraction of rows to flag, for power; 0: what `model` lets expect */
    uint64_t seed;
    const puad_detector *model; /* calibrated, for the default of flag_rate; NULL: 0.05 */
} puad_audit_plan;

/* Draws the first round from the scores of all rows. The sample depends on the seed: use another seed for
 * another audit of the same data.
 * Errors: PUAD_INVALID, PUAD_NUMERIC, PUAD_MEMORY. */
PUAD_API puad_status puad_audit_new(puad_audit **out, const float *scores, size_t rows,
                                    const puad_audit_plan *plan);

PUAD_API void puad_audit_free(puad_audit *audit);

/* Creates an audit from files that `puad query --audit` wrote and a reviewer filled in, one or more per
 * round.
 * Errors: PUAD_INVALID if the rows in the files are not those that the design draws from these scores;
 * PUAD_IO, PUAD_FORMAT, PUAD_MEMORY. */
PUAD_API puad_status puad_audit_read(puad_audit **out, const float *scores, size_t rows,
                                     const char *const *paths, size_t path_count);

/* Draws the next round.
 * Errors: PUAD_INVALID after the last planned round; PUAD_MEMORY. */
PUAD_API puad_status puad_audit_continue(puad_audit *audit);

typedef struct puad_audit_row {
    size_t struct_size;
    size_t row;
    size_t round;       /* from 1 */
    size_t stratum;     /* from 0, the highest scores */
    double probability; /* probability that a row of this stratum is drawn in one of the rounds so far */
    float score;
    int8_t label; /* puad_label; PUAD_LABEL_UNLABELED without an answer */
} puad_audit_row;

/* Returns the number of rows drawn in all rounds. */
PUAD_API size_t puad_audit_count(const puad_audit *audit);

/* Fills *out with a drawn row. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_audit_get(const puad_audit *audit, size_t index, puad_audit_row *out);

/* Returns the design as one line; `puad query --audit` writes it into the column "audit". */
PUAD_API const char *puad_audit_text(const puad_audit *audit);

/* Sets the answers: labels[i] of row rows[i] is 1 for an anomaly, -1 for normal, 0 for unknown. Rows without
 * an answer count as normal.
 * Errors: PUAD_INVALID if a row was not drawn. */
PUAD_API puad_status puad_audit_answer(puad_audit *audit, const size_t *rows, const int8_t *labels,
                                       size_t count);

typedef struct puad_audit_estimate {
    double value, low,
        high; /* NaN if the audit cannot estimate it; [low, high] has the requested confidence */
} puad_audit_estimate;

typedef struct puad_audit_result {
    size_t struct_size;
    size_t checked, anomalies, unanswered; /* rows drawn; anomalies found; rows without an answer */
    size_t flagged;    /* rows from the threshold on, except checked normal rows, and all checked anomalies */
    double threshold;  /* smallest flagged score; NaN if only checked rows are flagged */
    double rate;       /* bound on the expected fraction of false alarms, over all planned rounds */
    double round_rate; /* part of it used in each round */
    double limit;      /* upper limit of the fraction of false alarms, at the requested confidence */
    double lowest_rate; /* the smallest rate at which the answers flag more than checked rows; NaN: none */
    size_t lowest_rate_flagged;
    size_t checks_for_rate; /* approximate number of checks in total that would support half the rate (or the
                               rate, if only checked rows are flagged); 0: no number does */
    size_t checks_for_rows; /* approximate number of checks in total that would flag 1.5 times as many rows at
                               the same rate; 0: no number does */
    puad_audit_estimate precision, recall, alpha; /* precision and recall of the flagged rows; alpha of all
                                                     rows */
    size_t point_count;                           /* for puad_audit_point_get */
} puad_audit_result;

/* Chooses the threshold and estimates its effect.
 * rate: 0 for that of the plan. A rate chosen after seeing the answers has no guarantee.
 * confidence: of the limit and the intervals; 0: 0.9.
 * Errors: PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_audit_decide(puad_audit *audit, double rate, double confidence,
                                       puad_audit_result *out);

/* Returns 1 if a row is flagged: a checked row by its answer, other rows by the threshold of
 * puad_audit_decide. */
PUAD_API int puad_audit_flags(const puad_audit *audit, size_t row);

/* Warns ("labels_biased") if the anomalies found score lower than the labeled ones that the model held out.
 * This needs a calibrated model, 8 labels and 5 anomalies found. The guarantee of the audit does not depend
 * on it.
 * Errors: PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_audit_check_labels(const puad_audit *audit, const puad_detector *model,
                                             const puad_options *options);

/* Estimates for a threshold at the end of a stratum; `rate` is the smallest rate that supports it. The
 * point_count of puad_audit_result is their number. */
typedef struct puad_audit_point {
    size_t struct_size;
    double threshold, rate, limit;
    size_t flagged;
    puad_audit_estimate precision, recall;
} puad_audit_point;

/* Fills *out with a point, after puad_audit_decide. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_audit_point_get(const puad_audit *audit, size_t index, double confidence,
                                          puad_audit_point *out);

#ifdef __cplusplus
}
#endif
#endif
