/* Thresholds of an audit that checks all rows of its region with equal probability, as with fewer than 20
 * checks. The general rule of audit_bounds.h bounds the expected fraction of false alarms for each sample, and
 * with n checks it supports no rate below 1 / n. Here the fraction is bounded on average over the samples.
 *
 * Two ranks are fixed before the answers: k, the end of the region, and k1 < k. If at most c normal rows are
 * found among the n sampled ones, the top k rows are flagged; if not, and at most c1 are found above k1, the
 * top k1 rows are flagged. With m1 normal rows above k1 and m2 between k1 and k, the expected fraction of
 * normal rows among the flagged ones is, by the exchange of audit_bounds.h,
 *
 *     (k - n) / (n + 1) x E[ (i + j) / (k - i - j + 1); i + j <= c + 1 ]
 *   + (k - n) / (n + 1) x E[ i / (k1 - i + 1); i + j > c + 1, 1 <= i <= c1 + 1 ]
 *
 * where i and j are the normal rows of either part in a simple random sample of n + 1 of the k rows. The rates
 * are kept by the largest value over all m1 and m2. (With one threshold it depends on c alone: for n = 10 it
 * is .035, .082 and .136 for c = 0, 1 and 2.) */
#ifndef AUDIT_AUDIT_EVEN_H
#define AUDIT_AUDIT_EVEN_H

#include "base/memory.h"

typedef struct audit_even {
    size_t sampled;            /* n */
    size_t outer, inner;       /* k and k1; 0: none */
    long outer_max, inner_max; /* c and c1, -1: the threshold is never used */
} audit_even;

/* log_factorials[i] = log(i!), for i up to `max`. */
puad_status audit_log_factorials(double **out, arena *memory, size_t max);

/* The largest expected fraction over all labels. */
double audit_even_fraction(const audit_even *rule, const double *log_factorials);

/* Fills outer_max, inner and inner_max so that the rate is kept: the largest c, then the smallest inner rank.
 * `thresholds`, ascending, are the ranks at which a threshold can be; the last is the outer one. */
void audit_even_choose(audit_even *rule, double rate, const size_t *thresholds, size_t count,
                       const double *log_factorials);

#endif
