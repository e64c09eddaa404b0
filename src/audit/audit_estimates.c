/* Estimates precision, recall and the fraction of anomalies from a stratified sample. */
#include "audit/audit.h"
#include "base/rng.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 2000, PARTS_MAX = AUDIT_STRATA_MAX + 1 };

/* Rows of one stratum on one side of the threshold: given their numbers, the sampled ones are a simple
 * random sample. */
typedef struct part {
    bool flagged;
    size_t unknown, sampled, anomalies;
    double weight; /* unchecked rows per sampled one */
} part;

static double draw_beta(rng *draws, double a, double b)
{
    if (a <= 0) return 0;
    if (b <= 0) return 1;
    double x = rng_gamma(draws, a), y = rng_gamma(draws, b);
    return x + y > 0 ? x / (x + y) : a / (a + b);
}

static size_t parts_of(part *out, const puad_audit *audit, const audit_evidence *evidence, size_t rank)
{
    const audit_design *design = &audit->design;
    const audit_arrival *last = &audit->drawn[audit->drawn_count - 1];
    size_t count = 0;
    for (size_t s = 0, begin = 0; s < design->strata; begin = design->ends[s++]) {
        size_t middle = rank <= begin ? begin : rank < design->ends[s] ? rank : design->ends[s];
        const size_t source[2] = {begin, middle}, to[2] = {middle, design->ends[s]};
        for (int side = 0; side < 2; side++) {
            part each = {.flagged = side == 0, .unknown = to[side] - source[side]};
            if (each.unknown == 0) continue;
            for (size_t i = 0; i < audit->drawn_count; i++) {
                const audit_arrival *row = &evidence->by_rank[i];
                if (row->rank < source[side] || row->rank >= to[side]) continue;
                each.unknown--;
                if (row->row == last->row) continue;
                each.sampled++;
                each.anomalies += audit->labels[row->row] == PUAD_LABEL_ANOMALY;
            }
            double p = evidence->law.probability[s];
            each.weight = (1 - p) / p;
            out[count++] = each;
        }
    }
    return count;
}

/* Draws the number of anomalies among unchecked rows, at the low or the high end. */
static double draw_hidden(const part *parts, size_t count, bool flagged, bool high, rng *draws)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double a = (double)parts[i].anomalies, b = (double)parts[i].sampled - a;
        if (parts[i].flagged == flagged)
            sum += (double)parts[i].unknown * draw_beta(draws, a + (high ? 1 : 0), b + (high ? 0 : 1));
    }
    return sum;
}

/* The point estimate: sampled rows weighted by the number of rows they represent (Hajek's ratio). */
static double expected_hidden(const part *parts, size_t count, bool flagged)
{
    double anomalies = 0, all = 0, unknown = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].flagged != flagged) continue;
        anomalies += (double)parts[i].anomalies * parts[i].weight;
        all += (double)parts[i].sampled * parts[i].weight;
        unknown += (double)parts[i].unknown;
    }
    return all > 0 ? unknown * anomalies / all : 0;
}

typedef struct quantities {
    double precision, recall, alpha;
} quantities;

static double ratio(double some, double whole)
{
    return whole > 0 ? some / whole : NAN;
}

static quantities of_hidden(double above, double below, double found, double flagged, double rows)
{
    return (quantities){ratio(found + above, flagged), ratio(found + above, found + above + below),
                        (found + above + below) / rows};
}

static void set_interval(puad_audit_estimate *out, double value, double *low, double *high, double confidence)
{
    size_t cut = (size_t)((1 - confidence) / 2 * DRAWS);
    sort_doubles(low, DRAWS);
    sort_doubles(high, DRAWS);
    out->low = low[cut];
    out->high = high[DRAWS - 1 - cut];
    out->value = fmin(out->high, fmax(out->low, value));
}

puad_status audit_estimate(puad_audit_estimate *precision, puad_audit_estimate *recall,
                           puad_audit_estimate *alpha, const puad_audit *audit,
                           const audit_evidence *evidence, const audit_counts *at, double confidence)
{
    part parts[2 * AUDIT_STRATA_MAX];
    AUTO_FREE double *buffer = NULL;
    const audit_design *design = &audit->design;
    size_t count = parts_of(parts, audit, evidence, at->rank), found = 0;
    for (size_t i = 0; i < audit->drawn_count; i++)
        found += audit->labels[audit->drawn[i].row] == PUAD_LABEL_ANOMALY;
    double flagged = (double)at->flagged, rows = (double)design->rows, known = (double)found;
    TRY(memory_new(&buffer, 6 * DRAWS, sizeof *buffer, "estimates"));
    double *ends[6];
    for (int k = 0; k < 6; k++) ends[k] = buffer + (size_t)k * DRAWS;
    rng draws = rng_make(0, rng_stream("audit estimates", 0));
    for (size_t i = 0; i < DRAWS; i++) {
        double low_above = draw_hidden(parts, count, true, false, &draws);
        double high_above = draw_hidden(parts, count, true, true, &draws);
        double low_below = draw_hidden(parts, count, false, false, &draws);
        double high_below = draw_hidden(parts, count, false, true, &draws);
        quantities low = of_hidden(low_above, high_below, known, flagged, rows);
        quantities high = of_hidden(high_above, low_below, known, flagged, rows);
        ends[0][i] = low.precision;
        ends[1][i] = high.precision;
        ends[2][i] = low.recall;
        ends[3][i] = high.recall;
        ends[4][i] = (known + low_above + low_below) / rows;
        ends[5][i] = (known + high_above + high_below) / rows;
    }
    quantities value = of_hidden(expected_hidden(parts, count, true), expected_hidden(parts, count, false),
                                 known, flagged, rows);
    *precision = *recall = *alpha = (puad_audit_estimate){NAN, NAN, NAN};
    if (at->flagged) set_interval(precision, value.precision, ends[0], ends[1], confidence);
    if (design->ends[design->strata - 1] < design->rows) return PUAD_OK; /* lower rows were never checked */
    if (known > 0) set_interval(recall, value.recall, ends[2], ends[3], confidence);
    set_interval(alpha, value.alpha, ends[4], ends[5], confidence);
    return PUAD_OK;
}
