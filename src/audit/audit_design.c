/* Chooses strata and arrival rates, and draws the sample. */
#include "audit/audit_design.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

#define STRATUM_GROWTH 1.5
#define BELOW_FRACTION 0.1 /* fraction of the checks that is spent below the region */
#define REGION_MAX 1.9     /* in rows that are expected to be flagged */
enum { EVEN_CHECKS_MAX = 20 };

static double clamp(double value, double low, double high)
{
    return fmin(high, fmax(low, value));
}

/* Fewer checks are spread evenly over as many rows as are expected to be flagged; with more of them the region
 * may be larger and the ranks that checks cover wide. Measured on ADBench tables. */
static size_t region_of(const audit_design *design, double flag_rate)
{
    double expected = (double)design->checks * design->rate;
    double part = design->checks < EVEN_CHECKS_MAX ? 1 : clamp(expected / 2.4, 1, REGION_MAX);
    double rows = part * flag_rate * (double)design->rows;
    double total = (double)(design->checks * design->rounds);
    return (size_t)clamp(rows, fmin(2 * total, (double)design->rows), (double)design->rows);
}

static void cut_strata(audit_design *design)
{
    double expected = (double)design->checks * design->rate;
    double span = design->checks < EVEN_CHECKS_MAX ? 1 : clamp(expected * expected, 1.01, 64);
    double first = (double)design->region / span;
    size_t ends[AUDIT_STRATA_MAX], count = 0;
    for (double end = (double)design->region; count < AUDIT_STRATA_MAX - 1; end /= STRATUM_GROWTH) {
        size_t rank = (size_t)(end + 0.5);
        if (count && (end < first || rank < 1 || rank >= ends[count - 1])) break;
        ends[count++] = rank;
    }
    for (size_t s = 0; s < count; s++) design->ends[s] = ends[count - 1 - s];
    design->strata = design->region_strata = count;
}

puad_status audit_design_complete(audit_design *design, double flag_rate)
{
    if (design->rows < 1) FAIL(PUAD_INVALID, "there are no rows to audit");
    if (design->rows > UINT32_MAX) FAIL(PUAD_MEMORY, "%zu rows are too many to audit", design->rows);
    if (design->checks < 1 || design->checks > AUDIT_CHECKS_MAX)
        FAIL(PUAD_INVALID, "an audit checks 1 to %d rows per round", AUDIT_CHECKS_MAX);
    if (design->rounds < 1 || design->rounds > AUDIT_ROUNDS_MAX)
        FAIL(PUAD_INVALID, "an audit has 1 to %d rounds", AUDIT_ROUNDS_MAX);
    if (!(design->rate > 0 && design->rate < 1)) FAIL(PUAD_INVALID, "the rate must be above 0 and below 1");
    if (!design->region) design->region = region_of(design, flag_rate);
    if (design->region > design->rows)
        FAIL(PUAD_INVALID, "a region of %zu rows, but the input has %zu", design->region, design->rows);
    cut_strata(design);
    double total = 0, region = (double)design->region, below = (double)(design->rows - design->region);
    for (size_t s = 0, begin = 0; s < design->strata; begin = design->ends[s++]) {
        design->rates[s] = region / (double)design->ends[s];
        total += (double)(design->ends[s] - begin) * design->rates[s];
    }
    if (design->checks < EVEN_CHECKS_MAX || below < 1) return PUAD_OK;
    design->rates[design->strata] = BELOW_FRACTION / (1 - BELOW_FRACTION) * total / below;
    design->ends[design->strata++] = design->rows;
    return PUAD_OK;
}

size_t audit_stratum_of(const audit_design *design, size_t rank)
{
    size_t s = 0;
    while (s < design->strata && rank >= design->ends[s]) s++;
    return s;
}

static int by_time(const void *left, const void *right)
{
    const audit_arrival *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

puad_status audit_arrivals(audit_arrival *out, size_t *out_count, const audit_design *design,
                           const uint32_t *order, size_t count)
{
    AUTO_FREE audit_arrival *all = NULL;
    size_t rows = design->ends[design->strata - 1];
    uint64_t stream = rng_stream("audit", 0);
    TRY(memory_new(&all, rows, sizeof *all, "the sample of the audit"));
    for (size_t rank = 0, s = 0; rank < rows; rank++) {
        rng draw = rng_make(design->seed, stream);
        while (rank >= design->ends[s]) s++;
        draw.position = order[rank]; /* a row's draw does not depend on its rank */
        all[rank] = (audit_arrival){-log1p(-rng_uniform(&draw)) / design->rates[s], rank, order[rank]};
    }
    qsort(all, rows, sizeof *all, by_time);
    *out_count = count < rows ? count : rows;
    for (size_t i = 0; i < *out_count; i++) out[i] = all[i];
    return PUAD_OK;
}
