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
    TRY(arena_new(memory, &out->most, strata, sizeof *out->most));
    double error = (1 - confidence) / (double)(strata * audit->design.rounds);
    for (size_t s = 0; s < strata; s++) {
        size_t found = audit_counts_at(audit, out, audit->design.ends[s]).normals;
        TRY(audit_normals_max(&out->most[s], &audit->design, &out->law, s, found, error));
    }
    return PUAD_OK;
}

audit_counts audit_counts_at(const puad_audit *audit, const audit_evidence *of, size_t rank)
{
    audit_counts at = {.rank = rank, .flagged = rank};
    const audit_arrival *last = &audit->drawn[audit->drawn_count - 1];
    for (size_t i = 0; i < audit->drawn_count; i++) {
        const audit_arrival *each = &of->by_rank[i];
        bool anomaly = audit->labels[each->row] == PUAD_LABEL_ANOMALY, above = each->rank < rank;
        at.known += above && !anomaly;
        at.normals += above && !anomaly && each->row != last->row;
        at.anomalies += !above && anomaly;
    }
    at.flagged = rank - at.known + at.anomalies;
    return at;
}

static double weight_at(const puad_audit *audit, const audit_evidence *of, size_t rank)
{
    return rank ? of->law.weight[audit_stratum_of(&audit->design, rank - 1)] : 0;
}

double audit_rate_at(const puad_audit *audit, const audit_evidence *of, const audit_counts *at)
{
    if (at->flagged == 0) return INFINITY;
    return (double)(at->normals + 1) * weight_at(audit, of, at->rank) / (double)at->flagged;
}

double audit_limit_at(const puad_audit *audit, const audit_evidence *of, const audit_counts *at)
{
    double limit = 1;
    if (at->flagged == 0 || at->rank == 0) return 0;
    for (size_t s = 0; s < audit->design.region_strata; s++) {
        if (audit->design.ends[s] < at->rank) continue;
        size_t found = audit_counts_at(audit, of, audit->design.ends[s]).normals;
        limit = fmin(limit, (double)(of->most[s] - found) / (double)at->flagged);
    }
    size_t unchecked = at->rank;
    for (size_t i = 0; i < audit->drawn_count; i++) unchecked -= of->by_rank[i].rank < at->rank;
    return fmin(limit, (double)unchecked / (double)at->flagged);
}

size_t audit_checks_for(const puad_audit *audit, const audit_evidence *of, double rate, size_t flagged)
{
    double least = INFINITY, sampled = (double)of->law.sampled;
    for (size_t i = 0; i < of->threshold_count; i++) {
        audit_counts at = audit_counts_at(audit, of, of->thresholds[i]);
        double weight = weight_at(audit, of, at.rank);
        double room = rate * (double)at.flagged - (double)at.normals * weight;
        /* With n' sampled rows each represents n / n' times as many unsampled ones, and n' / n times as
         * many normal rows are found. */
        if (at.flagged >= flagged && room > 0) least = fmin(least, weight * sampled / room);
    }
    return isinf(least) || least > 1e9 ? 0 : (size_t)ceil(fmax(least + 1, 1));
}
