/* Internals of an audit, and the steps of a decision. */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include "audit/audit_bounds.h"
#include "audit/audit_even.h"

#include <puad/audit.h>

#define AUDIT_DEFAULT_RATE 0.1

struct puad_audit {
    audit_design design;
    arena memory;
    float *scores;
    int8_t *labels;  /* per row */
    uint32_t *order; /* rows in order of rank */
    audit_arrival *drawn;
    size_t drawn_count, round;
    const char *text;
    double threshold; /* of the last decision; infinite if there is none */
};

/* The fraction of rows that an audit with this rate (0: the default) can be expected to flag in data like the
 * training data; `model` is NULL or calibrated. */
double audit_flag_rate(const puad_detector *model, double rate);

/* Counts at one threshold: the k highest-ranked rows. */
typedef struct audit_counts {
    size_t rank;      /* k */
    size_t normals;   /* normal rows among the sampled rows above the threshold */
    size_t known;     /* checked rows above it that are not anomalies */
    size_t anomalies; /* checked anomalies below it */
    size_t flagged;   /* R(k) */
} audit_counts;

typedef struct audit_evidence {
    audit_law law;
    size_t *thresholds, threshold_count; /* possible ranks of a threshold, ascending */
    size_t *max;                         /* upper limit of the number of normal rows in each region stratum */
    audit_arrival *by_rank;              /* the sampled rows, by rank */
    double *log_factorials;              /* if the region is sampled evenly (audit_even.h), else NULL */
} audit_evidence;

/* `memory` owns the evidence. */
puad_status audit_evidence_of(audit_evidence *out, arena *memory, const puad_audit *audit, double confidence);
audit_counts audit_counts_at(const puad_audit *audit, const audit_evidence *evidence, size_t rank);

/* The largest threshold that the rate supports; rank 0 if there is none. */
audit_counts audit_choose(const puad_audit *audit, const audit_evidence *evidence, double rate);

/* The smallest rate that supports the threshold; and the upper confidence limit of the fraction of false
 * alarms there. */
double audit_rate_at(const puad_audit *audit, const audit_evidence *evidence, const audit_counts *at);
double audit_limit_at(const puad_audit *audit, const audit_evidence *evidence, const audit_counts *at);

/* The total number of checks that would support `rate` at a threshold that flags at least `flagged` rows;
 * 0 if no number would. */
size_t audit_checks_for(const puad_audit *audit, const audit_evidence *evidence, double rate, size_t flagged);

/* Design-weighted estimates with intervals of this confidence (melded beta distributions of the strata,
 * after Fay, Proschan and Brittain 2015). recall and alpha are NaN if the audit did not check rows of
 * every rank. */
puad_status audit_estimate(puad_audit_estimate *precision, puad_audit_estimate *recall,
                           puad_audit_estimate *alpha, const puad_audit *audit,
                           const audit_evidence *evidence, const audit_counts *at, double confidence);

/* Draws all rounds up to `round`. */
puad_status audit_draw(puad_audit *audit, size_t round);

#endif
