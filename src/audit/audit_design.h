/* The random design of an audit: which rows a person checks, and with what probability.
 *
 * Rows are ranked by score. The region is the top of the ranking; it is cut into strata whose sizes grow
 * by half from one to the next. A row of stratum s arrives at a random time, exponential with rate
 * rates[s], and rows are checked in order of arrival. Rates fall as 1 / rank, so checks are denser at the
 * top. From 20 checks on, a tenth of them is spent below the region, for estimates of recall.
 *
 * Given the last checked row and its time of arrival t, the rows checked before it are a fixed-size sample
 * with independent odds exp(rate t) - 1 (conditional Poisson sampling, Hajek 1964). A further round checks
 * the rows that arrive next, so all rounds together have the same distribution. */
#ifndef AUDIT_AUDIT_DESIGN_H
#define AUDIT_AUDIT_DESIGN_H

#include "base/memory.h"

enum { AUDIT_STRATA_MAX = 32, AUDIT_CHECKS_MAX = 2000, AUDIT_ROUNDS_MAX = 100 };

typedef struct audit_design {
    size_t rows;   /* rows of the input */
    size_t checks; /* per round */
    size_t rounds; /* planned */
    size_t region; /* in rows; thresholds are chosen within it */
    double rate;   /* requested expected fraction of false alarms */
    uint64_t seed;
    size_t strata, region_strata;   /* the last stratum is below the region if strata > region_strata */
    size_t ends[AUDIT_STRATA_MAX];  /* rank after the last row of each stratum */
    double rates[AUDIT_STRATA_MAX]; /* arrival rate per row */
} audit_design;

/* Completes a design whose fields up to seed are set; `region` 0 means: derive it from `flag_rate`,
 * the expected fraction of rows to flag. */
puad_status audit_design_complete(audit_design *design, double flag_rate);

size_t audit_stratum_of(const audit_design *design, size_t rank);

typedef struct audit_arrival {
    double time;
    size_t rank, row;
} audit_arrival;

/* The first `count` arrivals in order; `order` are the rows by rank. Fewer if there are fewer rows. */
puad_status audit_arrivals(audit_arrival *out, size_t *out_count, const audit_design *design,
                           const uint32_t *order, size_t count);

#endif
