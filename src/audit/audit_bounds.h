/* What the answers of an audit imply about unchecked rows.
 *
 * Notation: k rows rank highest. c(k) is the number of normal rows found among the sampled ones of them.
 * R(k) rows would be flagged: those k without the rows known to be normal, and lower rows known to be
 * anomalies. w(k) is the weight of a sampled row of the stratum that contains rank k: unsampled rows per
 * sampled one, P(n + 1) / P(n) x (1 - p) / p, where P(n) is the probability that independent draws with
 * probabilities p sample n rows. w increases with k.
 *
 * Expected fraction. The threshold is the largest k with (c(k) + 1) w(k) <= rate R(k). Then the expected
 * fraction of normal rows among the flagged ones is at most the rate, over the random draw, for any
 * labels. Proof: let T be the rule applied to a sample of n + 1 rows C+ with c+(k) w(k) <= rate (R+(k) +
 * 1). For a normal row r that is flagged and unchecked, T(C and r) is the threshold of C. The ratio of the
 * probability of a sample C to that of C and r is w(r). So the expectation is that of the sum of w(r) /
 * (R+ + 1) over normal rows r of C+ above T, which is at most c+ w(T) / (R+ + 1), which is at most the
 * rate. (For equal p this is conformal selection, Jin and Candes 2023, and Weinstein et al. 2017.)
 *
 * Limit. With the stated confidence the top `ends[s]` rows contain at most `most[s]` normal rows, for all
 * strata simultaneously: the largest number under which at most c found normal rows have a probability
 * above (1 - confidence) / strata. The worst case is that normal rows are in the strata sampled least:
 * exchanging a normal row for one with larger odds can only add found ones. */
#ifndef AUDIT_AUDIT_BOUNDS_H
#define AUDIT_AUDIT_BOUNDS_H

#include "audit/audit_design.h"

/* The distribution of a sample of `sampled` rows, given the last checked row. */
typedef struct audit_law {
    size_t sampled;
    size_t sizes[AUDIT_STRATA_MAX];       /* rows that could be sampled */
    double probability[AUDIT_STRATA_MAX]; /* of each of them, before the size of the sample is known */
    double weight[AUDIT_STRATA_MAX];
    double of_size; /* P(n) */
} audit_law;

/* `last` is the arrival of the last checked row; `sampled` rows came before it. */
puad_status audit_law_of(audit_law *out, const audit_design *design, const audit_arrival *last,
                         size_t sampled);

/* The upper limit of normal rows among the top ends[stratum] rows that could be sampled, if `found` of
 * them were found and each smaller error has a probability above `error`. At least `found`. */
puad_status audit_normals_max(size_t *out, const audit_design *design, const audit_law *law, size_t stratum,
                              size_t found, double error);

#endif
