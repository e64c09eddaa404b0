/* The ROC curve from one radix sort of the scores, and its metrics. */
#include "decide/metrics.h"

#include <math.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 3, BUCKETS = 1 << DIGIT_BITS };

/* A key whose ascending order is the descending order of scores; for negative numbers the other bits are
 * inverted. */
static uint32_t descending_key(float score)
{
    uint32_t bits;
    score += 0.0f; /* -0 and +0 are equal */
    memcpy(&bits, &score, sizeof bits);
    return bits & 0x80000000u ? bits : ~(bits | 0x80000000u);
}

static float score_of_key(uint32_t key)
{
    uint32_t bits = key & 0x80000000u ? key : ~key & 0x7fffffffu;
    float score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

/* Sorts by the upper 32 bits, least significant digit first, with `other` as second buffer; returns the
 * buffer with the result. */
static uint64_t *sort_keys(uint64_t *keys, uint64_t *other, size_t rows)
{
    for (int digit = 0; digit < DIGITS; digit++) {
        int shift = 32 + digit * DIGIT_BITS;
        size_t starts[BUCKETS] = {0}, sum = 0;
        for (size_t i = 0; i < rows; i++) starts[keys[i] >> shift & (BUCKETS - 1)]++;
        for (size_t b = 0; b < BUCKETS; b++) {
            size_t count = starts[b];
            starts[b] = sum;
            sum += count;
        }
        for (size_t i = 0; i < rows; i++) other[starts[keys[i] >> shift & (BUCKETS - 1)]++] = keys[i];
        uint64_t *turn = keys;
        keys = other;
        other = turn;
    }
    return keys;
}

/* Fills the points from rows in descending order of scores; the arrays have capacity for one per distinct
 * score and the first. */
static void walk(roc *out, const uint64_t *sorted, size_t rows)
{
    uint64_t counts[2] = {0, 0}; /* negatives, positives so far */
    out->threshold[0] = INFINITY;
    out->points = 1;
    for (size_t i = 0; i < rows;) {
        uint32_t key = (uint32_t)(sorted[i] >> 32);
        for (; i < rows && (uint32_t)(sorted[i] >> 32) == key; i++) counts[sorted[i] & 1]++;
        out->threshold[out->points] = score_of_key(key);
        out->false_positives[out->points] = counts[0];
        out->true_positives[out->points] = counts[1];
        out->points++;
    }
    out->negatives = (size_t)counts[0];
    out->positives = (size_t)counts[1];
}

puad_status roc_new(roc *out, const float *scores, const int8_t *truth, size_t rows)
{
    *out = (roc){0};
    AUTO_FREE uint64_t *keys = NULL, *other = NULL;
    TRY(memory_new(&keys, rows + 1, sizeof *keys, "sorting scores"));
    TRY(memory_new(&other, rows + 1, sizeof *other, "sorting scores"));
    for (size_t i = 0; i < rows; i++) {
        if (isnan(scores[i])) FAIL(PUAD_NUMERIC, "the score of row %zu is not a number", i);
        keys[i] = (uint64_t)descending_key(scores[i]) << 32 | (truth[i] == 1);
    }
    const uint64_t *sorted = sort_keys(keys, other, rows);
    size_t capacity = 1;
    for (size_t i = 0; i < rows; i++) capacity += i == 0 || sorted[i] >> 32 != sorted[i - 1] >> 32;
    AUTO_ROC roc made = {0};
    TRY(arena_new(&made.memory, &made.threshold, capacity, sizeof *made.threshold));
    TRY(arena_new(&made.memory, &made.true_positives, capacity, sizeof *made.true_positives));
    TRY(arena_new(&made.memory, &made.false_positives, capacity, sizeof *made.false_positives));
    walk(&made, sorted, rows);
    *out = made;
    made = (roc){0};
    return PUAD_OK;
}

void roc_free(roc *owner)
{
    arena_free(&owner->memory);
    *owner = (roc){0};
}

double roc_tpr(const roc *curve, size_t point)
{
    return curve->positives ? (double)curve->true_positives[point] / (double)curve->positives : NAN;
}

double roc_fpr(const roc *curve, size_t point)
{
    return curve->negatives ? (double)curve->false_positives[point] / (double)curve->negatives : NAN;
}

double roc_auroc(const roc *curve)
{
    if (!curve->positives || !curve->negatives) return NAN;
    unsigned __int128 doubled = 0; /* twice the area in unit squares, exact for trapezoids */
    for (size_t i = 1; i < curve->points; i++)
        doubled += (unsigned __int128)(curve->false_positives[i] - curve->false_positives[i - 1]) *
                   (curve->true_positives[i] + curve->true_positives[i - 1]);
    return (double)doubled / 2 / (double)curve->positives / (double)curve->negatives;
}

double roc_average_precision(const roc *curve)
{
    if (!curve->positives) return NAN;
    double sum = 0;
    for (size_t i = 1; i < curve->points; i++) {
        uint64_t hits = curve->true_positives[i], called = hits + curve->false_positives[i];
        sum += (double)(hits - curve->true_positives[i - 1]) * ((double)hits / (double)called);
    }
    return sum / (double)curve->positives;
}

double roc_tpr_at_fpr(const roc *curve, double fpr)
{
    if (!curve->positives || !curve->negatives) return NAN;
    size_t low = 0, high = curve->points; /* the last point with at most this FPR is in [low, high) */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (roc_fpr(curve, middle) <= fpr)
            low = middle;
        else
            high = middle;
    }
    return roc_tpr(curve, low);
}

puad_status metrics_auroc(double *out, const float *scores, const int8_t *truth, size_t rows)
{
    AUTO_ROC roc curve = {0};
    TRY(roc_new(&curve, scores, truth, rows));
    *out = roc_auroc(&curve);
    return PUAD_OK;
}
