/* Audits: a few rows drawn at random from scored data and checked by a person. They bound the fraction of false
 * alarms among flagged rows without an assumption about labels, models or drift.
 *
 *     puad_audit_plan plan = {.struct_size = sizeof plan, .checks = 30, .rate = 0.1};
 *     puad_audit_new(&audit, scores, rows, &plan);
 *     for (i = 0; i < puad_audit_count(audit); i++) puad_audit_get(audit, i, &row);       rows to check
 *     puad_audit_answer(audit, checked, labels, count);
 *     puad_audit_decide(audit, 0.1, 0.9, &result);
 *     for (i = 0; i < rows; i++) if (puad_audit_flags(audit, i)) ...
 *
 * Ownership: the caller frees *out; an audit keeps copies of the scores and answers. Threads: an audit belongs
 * to one thread until the last answer is given and decided; then it does not change. */
#ifndef PUAD_AUDIT_H
#define PUAD_AUDIT_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_audit puad_audit;

typedef struct puad_audit_plan {
    size_t struct_size;
    size_t checks; /* rows to check in each round, 1 to 2000 */
    size_t rounds; /* planned; 0: 1. Each round may spend rate / rounds */
    double rate;   /* the fraction of false alarms to be guaranteed; 0: 0.1 */
    double alpha;  /* about the fraction of anomalies in the data; 0: 0.1. It affects power, not validity */
    uint64_t seed;
} puad_audit_plan;

/* Draws the first round from the scores of all rows. The draw depends on the seed, so choose another seed for
 * another audit of the same data. */
PUAD_API puad_status puad_audit_new(puad_audit **out, const float *scores, size_t rows,
                                    const puad_audit_plan *plan);
PUAD_API void puad_audit_free(puad_audit *audit); /* NULL is fine */

/* About the fraction of anomalies in data like the training data, for puad_audit_plan.alpha. */
PUAD_API double puad_audit_alpha(const puad_detector *model);

/* An audit from files that `puad query --audit` wrote and a person filled in, one or more for each round. Fails
 * if the rows in the files are not the ones that the design draws from these scores. */
PUAD_API puad_status puad_audit_read(puad_audit **out, const float *scores, size_t rows,
                                     const char *const *paths, size_t path_count);

/* Draws the next round. PUAD_INVALID after the last planned one. */
PUAD_API puad_status puad_audit_continue(puad_audit *audit);

typedef struct puad_audit_row {
    size_t struct_size;
    size_t row;
    size_t round;       /* from 1 */
    size_t stratum;     /* from 0, the highest scores */
    double probability; /* of a row of this stratum to be drawn, by the rounds so far together */
    float score;
    int8_t label; /* puad_label; unlabeled without an answer */
} puad_audit_row;

PUAD_API size_t puad_audit_count(const puad_audit *audit); /* rows drawn, of all rounds */
PUAD_API puad_status puad_audit_get(const puad_audit *audit, size_t index, puad_audit_row *out);

/* The design in one line; `puad query --audit` writes it into the column "audit". */
PUAD_API const char *puad_audit_text(const puad_audit *audit);

/* labels[i] of row rows[i]: 1 an anomaly, -1 normal, 0 unknown. PUAD_INVALID if a row was not drawn. Rows
 * without an answer count as normal. */
PUAD_API puad_status puad_audit_answer(puad_audit *audit, const size_t *rows, const int8_t *labels,
                                       size_t count);

typedef struct puad_audit_estimate {
    double value, low,
        high; /* NaN if the audit cannot estimate it; [low, high] has the confidence asked for */
} puad_audit_estimate;

typedef struct puad_audit_result {
    size_t struct_size;
    size_t checked, anomalies, unanswered; /* rows drawn; found anomalies; rows without an answer */
    size_t flagged;   /* rows from the threshold on, without checked normal rows, and all checked anomalies */
    double threshold; /* the smallest score that is flagged; NaN if only checked rows are flagged */
    double rate;      /* the expected fraction of false alarms is at most this, over all planned rounds */
    double round_rate;  /* of it, spent in each round */
    double limit;       /* the fraction of false alarms is at most this with the confidence asked for */
    double lowest_rate; /* the smallest rate at which the answers flag more than checked rows; NaN: none */
    size_t lowest_rate_flagged;
    size_t checks_for_rate; /* about so many checks in total support half the rate, or the rate itself if
                               nothing but checked rows is flagged; 0: no number does */
    size_t checks_for_rows; /* about so many checks in total flag half as many rows again at the same rate; 0:
                               no number does */
    puad_audit_estimate precision, recall, alpha; /* of the flagged rows; of all rows */
} puad_audit_result;

/* Chooses the threshold and estimates what it does. `rate` is 0 for that of the plan; a rate chosen after
 * seeing the answers has no guarantee. `confidence` is that of the limit and the intervals; 0: 0.9. */
PUAD_API puad_status puad_audit_decide(puad_audit *audit, double rate, double confidence,
                                       puad_audit_result *out);

/* 1 or 0 for a row: a checked row by its answer, another by the threshold of puad_audit_decide. */
PUAD_API int puad_audit_flags(const puad_audit *audit, size_t row);

/* Warns ("labels_biased") if the anomalies found score lower than the labeled ones that the model held out. It
 * needs a calibrated model, 8 labels and 5 anomalies found. The guarantee does not depend on it. */
PUAD_API puad_status puad_audit_check_labels(const puad_audit *audit, const puad_detector *model,
                                             const puad_options *options);

/* What thresholds at the ends of the strata do, for tables; `rate` is the smallest that supports it. */
typedef struct puad_audit_point {
    size_t struct_size;
    double threshold, rate, limit;
    size_t flagged;
    puad_audit_estimate precision, recall;
} puad_audit_point;

PUAD_API size_t puad_audit_point_count(const puad_audit *audit);
PUAD_API puad_status puad_audit_point_get(const puad_audit *audit, size_t index, double confidence,
                                          puad_audit_point *out);

#ifdef __cplusplus
}
#endif
#endif
