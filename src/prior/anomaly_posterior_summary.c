/* Summaries over the states of an anomaly posterior. */
#include "base/sort.h"
#include "prior/anomaly_posterior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t purity_bin(const purity *bounds, size_t rank)
{
    size_t low = 0, high = bounds->bins - 1; /* the first bin that reaches this rank */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (bounds->to[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct weighted {
    double value, weight;
} weighted;

static int rising(const void *left, const void *right)
{
    double a = ((const weighted *)left)->value, b = ((const weighted *)right)->value;
    return (a > b) - (a < b);
}

static double quantile_in(const weighted *sorted, size_t count, double q)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < count; i++) all += sorted[i].weight;
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i].weight;
        if (sum >= q * all) return sorted[i].value;
    }
    return sorted[count - 1].value;
}

puad_status purity_alpha(const purity *bounds, double *out_alpha, double *out_low, double *out_high)
{
    AUTO_FREE weighted *sorted = NULL;
    TRY(memory_new(&sorted, bounds->states, sizeof *sorted, "states"));
    for (size_t i = 0; i < bounds->states; i++) sorted[i] = (weighted){bounds->alpha[i], bounds->weight[i]};
    qsort(sorted, bounds->states, sizeof *sorted, rising);
    *out_low = quantile_in(sorted, bounds->states, 0.025);
    *out_high = quantile_in(sorted, bounds->states, 0.975);
    for (size_t i = 0; i < bounds->states; i++) sorted[i].weight *= sorted[i].value;
    *out_alpha = fmin(*out_high, fmax(*out_low, quantile_in(sorted, bounds->states, 0.5)));
    return PUAD_OK;
}

/* One end (side -1 or 1) of Wilson's interval of a fraction, z standard deviations away. */
static double share_end(double share, double count, double z, double side)
{
    double center = share + z * z / (2 * count), wide = 1 + z * z / count;
    double half = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count));
    return fmin(1, fmax(0, (center + side * half) / wide));
}

static double share_above(const float *scores, size_t count, float threshold)
{
    double above = 0;
    for (size_t i = 0; i < count; i++) above += scores[i] >= threshold;
    return above / (double)count;
}

double purity_bound(const pu_sample *sample)
{
    size_t anomalies = sample->anomalies, rows = sample->rows;
    enum { THRESHOLDS = 5 };
    const double z = 2.81; /* 0.025 / 10, one-sided: five thresholds with two fractions each */
    double min = 1;
    AUTO_FREE float *sorted = NULL;
    if (anomalies == 0 || rows == 0 || memory_new(&sorted, anomalies, sizeof *sorted, "scores") != PUAD_OK)
        return 1;
    memcpy(sorted, sample->anomaly, anomalies * sizeof *sorted);
    sort_floats_falling(sorted, anomalies);
    for (size_t i = 1; i <= THRESHOLDS; i++) {
        size_t rank = i * anomalies / THRESHOLDS;
        if (rank == 0) continue;
        float threshold = sorted[rank - 1];
        double in_a = share_end(share_above(sample->anomaly, anomalies, threshold), (double)anomalies, z, -1);
        double in_u = share_end(share_above(sample->unlabeled, rows, threshold), (double)rows, z, 1);
        if (in_a > 0) min = fmin(min, in_u / in_a);
    }
    return min;
}

puad_status purity_estimate(purity *out, double *out_alpha, double *out_low, double *out_high,
                            const pu_sample *sample)
{
    TRY(purity_new(out, sample, &purity_for_intervals, 1));
    TRY(purity_alpha(out, out_alpha, out_low, out_high));
    *out_high = fmax(*out_high, purity_bound(sample));
    return PUAD_OK;
}

static double rows_of(const purity *bounds, size_t bin)
{
    return (double)(bounds->to[bin] - (bin ? bounds->to[bin - 1] : 0));
}

/* Added to the number of normal rows above a score. Plain p-values add a whole row because they count
 * rows; here the number is an expectation under a smooth model. */
#define ROW_ADDED 0.3
#define TAIL_QUANTILE 0.9

/* The weighted quantile of values in [0, most], by bisection. */
static double weighted_quantile(const float *values, const double *weights, size_t count, double quantile,
                                double max)
{
    double low = 0, high = max;
    for (int round = 0; round < 26; round++) {
        double middle = (low + high) / 2, below = 0;
        for (size_t i = 0; i < count; i++) below += (double)values[i] <= middle ? weights[i] : 0;
        *(below < quantile ? &low : &high) = middle;
    }
    return high;
}

/* p of every state in this bin, from the normal rows above; adds the bin's to `above`. */
static void states_tail(float *tail, double *above, const double *normals, const purity *bounds, size_t bin)
{
    for (size_t s = 0; s < bounds->states; s++) {
        above[s] += (1 - (double)bounds->hidden[s * bounds->bins + bin]) * rows_of(bounds, bin);
        tail[s] = (float)((ROW_ADDED + above[s]) / (ROW_ADDED + normals[s]));
    }
}

puad_status purity_tail(double *p, const purity *bounds, double excess)
{
    AUTO_ARENA arena memory = {0};
    double *at, *above, *normals, none = 0;
    float *tail;
    TRY(arena_new(&memory, &at, bounds->bins, sizeof *at));
    TRY(arena_new(&memory, &above, bounds->states, sizeof *above));
    TRY(arena_new(&memory, &normals, bounds->states, sizeof *normals));
    TRY(arena_new(&memory, &tail, bounds->states, sizeof *tail));
    for (size_t s = 0; s < bounds->states; s++) {
        normals[s] = (1 - bounds->alpha[s]) * (double)bounds->unlabeled;
        none += bounds->weight[s] * ROW_ADDED / (ROW_ADDED + normals[s]);
    }
    for (size_t bin = 0; bin < bounds->bins; bin++) {
        double mean = 0, max = 0;
        states_tail(tail, above, normals, bounds, bin);
        for (size_t s = 0; s < bounds->states; s++) {
            mean += bounds->weight[s] * (double)tail[s];
            max = fmax(max, (double)tail[s]);
        }
        double careful = weighted_quantile(tail, bounds->weight, bounds->states, TAIL_QUANTILE, max) / excess;
        at[bin] = fmax(fmax(mean, careful), bin ? at[bin - 1] : 0);
    }
    p[0] = fmin(1, none);
    for (size_t rank = 1, bin = 0; rank <= bounds->unlabeled; rank++) {
        if (rank > bounds->to[bin]) bin++;
        p[rank] = fmin(1, at[bin]);
    }
    return PUAD_OK;
}

void purity_posterior(double *posterior, const purity *bounds)
{
    memset(posterior, 0, bounds->bins * sizeof *posterior);
    for (size_t s = 0; s < bounds->states; s++)
        for (size_t bin = 0; bin < bounds->bins; bin++)
            posterior[bin] += bounds->weight[s] * (double)bounds->hidden[s * bounds->bins + bin];
}
