/* Fits and evaluates empirical tails. */
#include "detector/ensemble/empirical_tail.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

puad_status tail_scale_check(tail_scale *scale)
{
    for (size_t i = 0; i < scale->count; i++)
        if (!isfinite(scale->levels[i]) || (i && scale->levels[i] < scale->levels[i - 1]))
            FAIL(PUAD_FORMAT, "the scores of a scale are not in ascending order");
    size_t begin = scale->count - scale->count / 20 - 1;
    double sum = 0;
    for (size_t i = begin; i < scale->count; i++)
        sum += (double)scale->levels[i] - (double)scale->levels[begin];
    double span = (double)scale->levels[scale->count - 1] - (double)scale->levels[0];
    scale->excess = sum / (double)(scale->count - begin);
    if (!(scale->excess > 0)) scale->excess = span > 0 ? span / 20 : 1;
    return PUAD_OK;
}

puad_status tail_scale_make(tail_scale *out, arena *memory, const float *scores, size_t count)
{
    out->count = count < TAIL_LEVELS_MAX ? count : TAIL_LEVELS_MAX;
    TRY(arena_new(memory, &out->levels, out->count, sizeof *out->levels));
    for (size_t i = 0; i < out->count; i++) out->levels[i] = scores[i * count / out->count];
    sort_floats(out->levels, out->count);
    return tail_scale_check(out);
}

/* The number of levels below the score, or below or equal to it. Branch-free, since branches would be
 * unpredictable. */
static size_t levels_below(const tail_scale *scale, double score, bool at)
{
    const float *levels = scale->levels;
    size_t below = 0;
    for (size_t left = scale->count; left > 0;) {
        size_t half = left / 2;
        double level = (double)levels[below + half];
        bool up = at ? level <= score : level < score;
        below = up ? below + half + 1 : below;
        left = up ? left - half - 1 : half;
    }
    return below;
}

/* `first` levels are below the score. */
static double probability(const tail_scale *scale, double score, size_t first)
{
    double rows = (double)scale->count, max = (double)scale->levels[scale->count - 1];
    size_t last = first;
    if (first < scale->count && (double)scale->levels[first] == score)
        last = levels_below(scale, score, true);
    double below = (double)first, to = (double)last;
    double found = (rows - (below + to) / 2 + 0.5) / (rows + 1);
    return score > max ? found * exp(-fmin((score - max) / scale->excess, TAIL_EXCESS_MAX)) : found;
}

double tail_probability(const tail_scale *scale, double score)
{
    return probability(scale, score, levels_below(scale, score, false));
}

void tail_probabilities(double *out, const tail_scale *scale, const double *scores, size_t count)
{
    enum { TOGETHER = 8 };
    const float *levels = scale->levels;
    size_t i = 0;
    for (; i + TOGETHER <= count; i += TOGETHER) {
        size_t below[TOGETHER] = {0}, left = scale->count;
        for (; left > 1; left -= left / 2)
            for (size_t k = 0; k < TOGETHER; k++)
                below[k] += (size_t)((double)levels[below[k] + left / 2 - 1] < scores[i + k]) * (left / 2);
        for (size_t k = 0; k < TOGETHER; k++) below[k] += (double)levels[below[k]] < scores[i + k];
        for (size_t k = 0; k < TOGETHER; k++) out[i + k] = probability(scale, scores[i + k], below[k]);
    }
    for (; i < count; i++) out[i] = tail_probability(scale, scores[i]);
}
