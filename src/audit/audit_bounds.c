/* Distributions of sums of binomial variables, and the bounds derived from them. */
#include "audit/audit_bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The binomial distribution for 0 to `max` successes. */
static void binomial(double *out, size_t trials, double probability, size_t max)
{
    double odds = log(probability) - log1p(-probability), chance = (double)trials * log1p(-probability);
    for (size_t k = 0; k <= max; k++) {
        out[k] = probability >= 1 ? k == trials : k <= trials ? exp(chance) : 0;
        if (k < trials) chance += odds + log((double)(trials - k) / (double)(k + 1));
    }
}

/* The distribution of the number of sampled rows, up to `max`, among sizes[s] rows of each stratum. */
static puad_status sum_of(double *out, const size_t *sizes, const audit_law *law, size_t strata, size_t max)
{
    AUTO_FREE double *one = NULL, *sum = NULL;
    TRY(memory_new(&one, max + 1, sizeof *one, "probabilities"));
    TRY(memory_new(&sum, max + 1, sizeof *sum, "probabilities"));
    memset(out, 0, (max + 1) * sizeof *out);
    out[0] = 1;
    for (size_t s = 0; s < strata; s++) {
        if (sizes[s] == 0) continue;
        binomial(one, sizes[s], law->probability[s], max);
        for (size_t k = 0; k <= max; k++) {
            sum[k] = 0;
            for (size_t i = 0; i <= k; i++) sum[k] += out[i] * one[k - i];
        }
        memcpy(out, sum, (max + 1) * sizeof *out);
    }
    return PUAD_OK;
}

puad_status audit_law_of(audit_law *out, const audit_design *design, const audit_arrival *last,
                         size_t sampled)
{
    AUTO_FREE double *sizes = NULL;
    *out = (audit_law){.sampled = sampled};
    TRY(memory_new(&sizes, sampled + 2, sizeof *sizes, "probabilities"));
    for (size_t s = 0, begin = 0; s < design->strata; begin = design->ends[s++]) {
        out->sizes[s] = design->ends[s] - begin;
        out->probability[s] = -expm1(-design->rates[s] * last->time);
    }
    out->sizes[audit_stratum_of(design, last->rank)]--;
    TRY(sum_of(sizes, out->sizes, out, design->strata, sampled + 1));
    out->of_size = sizes[sampled];
    if (!(out->of_size > 0)) FAIL(PUAD_NUMERIC, "the sample of the audit has probability 0");
    for (size_t s = 0; s < design->strata; s++)
        out->weight[s] =
            sizes[sampled + 1] / sizes[sampled] * (1 - out->probability[s]) / out->probability[s];
    return PUAD_OK;
}

/* The probability that at most `found` of the `normals` rows ranked lowest above the end of the stratum
 * are sampled. */
static puad_status chance_of(double *out, const audit_design *design, const audit_law *law, size_t stratum,
                             size_t normals, size_t found)
{
    AUTO_FREE double *inside = NULL, *outside = NULL;
    size_t in[AUDIT_STRATA_MAX] = {0}, rest[AUDIT_STRATA_MAX], n = law->sampled;
    TRY(memory_new(&inside, n + 1, sizeof *inside, "probabilities"));
    TRY(memory_new(&outside, n + 1, sizeof *outside, "probabilities"));
    for (size_t s = stratum + 1; s-- > 0;) {
        in[s] = normals < law->sizes[s] ? normals : law->sizes[s];
        normals -= in[s];
    }
    for (size_t s = 0; s < design->strata; s++) rest[s] = law->sizes[s] - in[s];
    TRY(sum_of(inside, in, law, design->strata, n));
    TRY(sum_of(outside, rest, law, design->strata, n));
    *out = 0;
    for (size_t k = 0; k <= found && k <= n; k++) *out += inside[k] * outside[n - k] / law->of_size;
    return PUAD_OK;
}

puad_status audit_normals_max(size_t *out, const audit_design *design, const audit_law *law, size_t stratum,
                              size_t found, double error)
{
    size_t low = found, high = 0;
    for (size_t s = 0; s <= stratum; s++) high += law->sizes[s];
    while (low < high) { /* the probability decreases with the number of normal rows */
        size_t middle = low + (high - low + 1) / 2;
        double chance;
        TRY(chance_of(&chance, design, law, stratum, middle, found));
        if (chance > error)
            low = middle;
        else
            high = middle - 1;
    }
    *out = low;
    return PUAD_OK;
}
