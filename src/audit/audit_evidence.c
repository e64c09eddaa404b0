/* The thresholds that the answers of an audit support. */
#include "audit/audit.h"

#include <math.h>
#include <stdlib.h>

static int by_rank(const void *left, const void *right)
{
    const audit_arrival *a = left, *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* A threshold includes all rows with equal scores. */
static puad_status find_thresholds(audit_evidence *out, arena *memory, const puad_audit *audit)
{
    size_t region = audit->design.region, rows = audit->design.rows;
    TRY(arena_new(memory, &out->thresholds, region, sizeof *out->thresholds));
    for (size_t k = 1; k <= region; k++)
        if (k == rows || audit->scores[audit->order[k]] < audit->scores[audit->order[k - 1]])
            out->thresholds[out->threshold_count++] = k;
    return PUAD_OK;
}

puad_status audit_evidence_of(audit_evidence *out, arena *memory, const puad_audit *audit, double confidence)
{
    size_t count = audit->drawn_count, strata = audit->design.region_strata;
    const audit_arrival *last = &audit->drawn[count - 1];
    *out = (audit_evidence){0};
    TRY(audit_law_of(&out->law, &audit->design, last, count - 1));
    TRY(find_thresholds(out, memory, audit));
    TRY(arena_new(memory, &out->by_rank, count, sizeof *out->by_rank));
    for (size_t i = 0; i < count; i++) out->by_rank[i] = audit->drawn[i];
    qsort(out->by_rank, count, sizeof *out->by_rank, by_rank);
    TRY(arena_new(memory, &out->max, strata, sizeof *out->max));
    if (strata == 1) TRY(audit_log_factorials(&out->log_factorials, memory, audit->design.region));
    double error = (1 - confidence) / (double)(strata * audit->design.rounds);
    for (size_t s = 0; s < strata; s++) {
        size_t found = audit_counts_at(audit, out, audit->design.ends[s]).normals;
        TRY(audit_normals_max(&out->max[s], &audit->design, &out->law, s, found, error));
    }
    return PUAD_OK;
}

audit_counts audit_counts_at(const puad_audit *audit, const audit_evidence *evidence, size_t rank)
{
    audit_counts at = {.rank = rank, .flagged = rank};
    const audit_arrival *last = &audit->drawn[audit->drawn_count - 1];
    for (size_t i = 0; i < audit->drawn_count; i++) {
        const audit_arrival *each = &evidence->by_rank[i];
        bool anomaly = audit->labels[each->row] == PUAD_LABEL_ANOMALY, above = each->rank < rank;
        at.known += above && !anomaly;
        at.normals += above && !anomaly && each->row != last->row;
        at.anomalies += !above && anomaly;
    }
    at.flagged = rank - at.known + at.anomalies;
    return at;
}

static double weight_at(const puad_audit *audit, const audit_evidence *evidence, size_t rank)
{
    return rank ? evidence->law.weight[audit_stratum_of(&audit->design, rank - 1)] : 0;
}

static size_t sampled_above(const puad_audit *audit, const audit_evidence *evidence, size_t rank)
{
    size_t count = 0;
    while (count < audit->drawn_count && evidence->by_rank[count].rank < rank) count++;
    return count;
}

/* The smallest rate at which `normals` normal rows among `sampled` ones support the rank. */
static double even_rate(const audit_evidence *evidence, size_t rank, size_t sampled, size_t normals)
{
    const audit_even rule = {.sampled = sampled, .outer = rank, .outer_max = (long)normals, .inner_max = -1};
    return audit_even_fraction(&rule, evidence->log_factorials);
}

audit_counts audit_choose(const puad_audit *audit, const audit_evidence *evidence, double rate)
{
    if (evidence->log_factorials && evidence->threshold_count) {
        size_t outer = evidence->thresholds[evidence->threshold_count - 1];
        audit_even rule = {.sampled = sampled_above(audit, evidence, outer)};
        audit_even_choose(&rule, rate, evidence->thresholds, evidence->threshold_count,
                          evidence->log_factorials);
        audit_counts all = audit_counts_at(audit, evidence, rule.outer);
        audit_counts top = audit_counts_at(audit, evidence, rule.inner);
        if ((long)all.known <= rule.outer_max) return all;
        if (rule.inner && (long)top.known <= rule.inner_max) return top;
        return audit_counts_at(audit, evidence, 0);
    }
    for (size_t i = evidence->threshold_count; i-- > 0;) {
        audit_counts at = audit_counts_at(audit, evidence, evidence->thresholds[i]);
        if (audit_rate_at(audit, evidence, &at) <= rate) return at;
    }
    return audit_counts_at(audit, evidence, 0);
}

double audit_rate_at(const puad_audit *audit, const audit_evidence *evidence, const audit_counts *at)
{
    if (at->flagged == 0) return INFINITY;
    if (evidence->log_factorials)
        return even_rate(evidence, at->rank, sampled_above(audit, evidence, at->rank), at->known);
    return (double)(at->normals + 1) * weight_at(audit, evidence, at->rank) / (double)at->flagged;
}

double audit_limit_at(const puad_audit *audit, const audit_evidence *evidence, const audit_counts *at)
{
    double limit = 1;
    if (at->flagged == 0 || at->rank == 0) return 0;
    for (size_t s = 0; s < audit->design.region_strata; s++) {
        if (audit->design.ends[s] < at->rank) continue;
        size_t found = audit_counts_at(audit, evidence, audit->design.ends[s]).normals;
        limit = fmin(limit, (double)(evidence->max[s] - found) / (double)at->flagged);
    }
    size_t unchecked = at->rank;
    for (size_t i = 0; i < audit->drawn_count; i++) unchecked -= evidence->by_rank[i].rank < at->rank;
    return fmin(limit, (double)unchecked / (double)at->flagged);
}

/* More checks that find the same fraction of normal rows. */
static size_t even_checks_for(const puad_audit *audit, const audit_evidence *evidence, double rate,
                              size_t flagged)
{
    size_t outer = evidence->threshold_count ? evidence->thresholds[evidence->threshold_count - 1] : 0;
    size_t sampled = sampled_above(audit, evidence, outer);
    audit_counts at = audit_counts_at(audit, evidence, outer);
    if (at.flagged < flagged || sampled == 0) return 0;
    for (size_t more = sampled; more <= AUDIT_CHECKS_MAX && more < outer; more++) {
        size_t normals = (at.known * more + sampled - 1) / sampled;
        if (even_rate(evidence, outer, more, normals) <= rate)
            return (audit->drawn_count * more + sampled - 1) / sampled;
        if ((double)normals > rate * 2 * (double)more + 1)
            return 0; /* too many, however often they are checked */
    }
    return 0;
}

size_t audit_checks_for(const puad_audit *audit, const audit_evidence *evidence, double rate, size_t flagged)
{
    if (evidence->log_factorials) return even_checks_for(audit, evidence, rate, flagged);
    double min = INFINITY, sampled = (double)evidence->law.sampled;
    for (size_t i = 0; i < evidence->threshold_count; i++) {
        audit_counts at = audit_counts_at(audit, evidence, evidence->thresholds[i]);
        double weight = weight_at(audit, evidence, at.rank);
        double buffer = rate * (double)at.flagged - (double)at.normals * weight;
        /* With n' sampled rows each represents n / n' times as many unsampled ones, and n' / n times as
         * many normal rows are found. */
        if (at.flagged >= flagged && buffer > 0) min = fmin(min, weight * sampled / buffer);
    }
    return isinf(min) || min > 1e9 ? 0 : (size_t)ceil(fmax(min + 1, 1));
}
