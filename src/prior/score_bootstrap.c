/* Slots, resamples and their AUROC. */
#include "prior/score_bootstrap.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

static uint32_t slot_of(const float *level, size_t levels, float score)
{
    size_t low = 0, high = levels; /* first level that is not above the score */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (level[middle] > score)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)(2 * low + (low < levels && level[low] == score));
}

puad_status pu_scores_new(pu_scores *out, const pu_sample *sample)
{
    size_t anomalies = sample->anomalies, rows = sample->rows;
    *out = (pu_scores){0};
    if (anomalies < 1 || anomalies > INT32_MAX)
        FAIL(PUAD_INVALID, "%zu labeled anomalies: expected at least 1", anomalies);
    if (rows < 1 || rows > UINT32_MAX) FAIL(PUAD_INVALID, "%zu unlabeled rows: expected at least 1", rows);
    for (size_t i = 0; i < anomalies; i++)
        if (isnan(sample->anomaly[i]))
            FAIL(PUAD_NUMERIC, "the score of labeled anomaly %zu is not a number", i);
    for (size_t i = 0; i < rows; i++)
        if (isnan(sample->unlabeled[i]))
            FAIL(PUAD_NUMERIC, "the score of unlabeled row %zu is not a number", i);
    AUTO_PU_SCORES pu_scores made = {.anomalies = anomalies, .unlabeled = rows};
    TRY(arena_new(&made.memory, &made.level, anomalies, sizeof *made.level));
    TRY(arena_new(&made.memory, &made.anomaly_slot, anomalies, sizeof *made.anomaly_slot));
    TRY(arena_new(&made.memory, &made.unlabeled_slot, rows, sizeof *made.unlabeled_slot));
    memcpy(made.level, sample->anomaly, anomalies * sizeof *made.level);
    sort_floats_falling(made.level, anomalies);
    for (size_t i = 0; i < anomalies; i++)
        if (i == 0 || made.level[i] != made.level[made.levels - 1]) made.level[made.levels++] = made.level[i];
    made.slots = 2 * made.levels + 1;
    for (size_t i = 0; i < anomalies; i++)
        made.anomaly_slot[i] = slot_of(made.level, made.levels, sample->anomaly[i]);
    for (size_t i = 0; i < rows; i++)
        made.unlabeled_slot[i] = slot_of(made.level, made.levels, sample->unlabeled[i]);
    *out = made;
    made = (pu_scores){0};
    return PUAD_OK;
}

void pu_scores_free(pu_scores *owner)
{
    arena_free(&owner->memory);
    *owner = (pu_scores){0};
}

void pu_resample(uint32_t *times, size_t rows, rng *draws)
{
    memset(times, 0, rows * sizeof *times);
    for (size_t i = 0; i < rows; i++) times[(uint64_t)rng_word(draws) * rows >> 32]++;
}

double pu_auroc(const uint32_t *anomaly_counts, const uint32_t *unlabeled_counts, size_t slots)
{
    double anomalies = 0, unlabeled = 0, won = 0; /* so far, in descending order of scores */
    for (size_t slot = 0; slot < slots; slot++) {
        won += unlabeled_counts[slot] * (anomalies + 0.5 * anomaly_counts[slot]);
        anomalies += anomaly_counts[slot];
        unlabeled += unlabeled_counts[slot];
    }
    return anomalies > 0 && unlabeled > 0 ? won / (anomalies * unlabeled) : 0.5;
}

double pu_auroc_corrected(double auroc, double alpha)
{
    if (alpha >= 1) return 0.5;
    return fmin(1, fmax(0, (auroc - alpha / 2) / (1 - alpha)));
}

double quantile_of(double *values, size_t count, double q)
{
    if (count == 0) return NAN;
    sort_doubles(values, count);
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count) return values[count - 1];
    double share = place - (double)below;
    return values[below] * (1 - share) + values[below + 1] * share;
}
