/* Fits the two exponents by Newton's method, and the weight of new kinds by expectation maximization. */
#include "detector/ensemble/evidence_weights.h"

#include <math.h>
#include <stdbool.h>

static const double FOREST_FIRST = 1, UNUSUAL_FIRST = 0, PRECISION = 16, NOVELTY_PRECISION = 3,
                    STEP_MAX = 0.3, STEP_END = 1e-6;
enum { STEPS_MAX = 50 };

/* Mean and covariance of the evidence of unlabeled rows, weighted by exp(f log F + u log U). */
typedef struct moments {
    double log_mean, forest, unusual, forest_forest, forest_unusual, unusual_unusual;
} moments;

static double exponent(double forest, double unusual, log_evidence row)
{
    return forest * row.forest + unusual * row.unusual;
}

static moments weighted_moments(double forest, double unusual, const log_evidence *rows, size_t count)
{
    double max = -INFINITY, sum = 0;
    moments stats = {0};
    for (size_t i = 0; i < count; i++) max = fmax(max, exponent(forest, unusual, rows[i]));
    for (size_t i = 0; i < count; i++) {
        double weight = exp(exponent(forest, unusual, rows[i]) - max), f = rows[i].forest,
               u = rows[i].unusual;
        sum += weight;
        stats.forest += weight * f;
        stats.unusual += weight * u;
        stats.forest_forest += weight * f * f;
        stats.forest_unusual += weight * f * u;
        stats.unusual_unusual += weight * u * u;
    }
    stats.forest /= sum;
    stats.unusual /= sum;
    stats.forest_forest = stats.forest_forest / sum - stats.forest * stats.forest;
    stats.forest_unusual = stats.forest_unusual / sum - stats.forest * stats.unusual;
    stats.unusual_unusual = stats.unusual_unusual / sum - stats.unusual * stats.unusual;
    stats.log_mean = max + log(sum / (double)count);
    return stats;
}

void evidence_weights_fit(evidence_weights *out, const log_evidence *unlabeled, size_t count,
                          const log_evidence *labeled, size_t labels)
{
    double forest = FOREST_FIRST, unusual = UNUSUAL_FIRST, n = (double)labels, sums[2] = {0};
    for (size_t i = 0; i < labels; i++) {
        sums[0] += labeled[i].forest;
        sums[1] += labeled[i].unusual;
    }
    for (int step = 0; step < STEPS_MAX && labels; step++) {
        moments stats = weighted_moments(forest, unusual, unlabeled, count);
        double slopes[2] = {sums[0] - n * stats.forest - PRECISION * (forest - FOREST_FIRST),
                            sums[1] - n * stats.unusual - PRECISION * (unusual - UNUSUAL_FIRST)};
        double a = n * stats.forest_forest + PRECISION, b = n * stats.forest_unusual,
               c = n * stats.unusual_unusual + PRECISION, determinant = a * c - b * b;
        double moves[2] = {(c * slopes[0] - b * slopes[1]) / determinant,
                           (a * slopes[1] - b * slopes[0]) / determinant};
        bool forest_stays = forest == 0 && moves[0] <= 0, unusual_stays = unusual == 0 && moves[1] <= 0;
        if (unusual_stays) moves[0] = slopes[0] / a; /* at the bound only the other exponent changes */
        if (forest_stays) moves[1] = slopes[1] / c;
        double before[2] = {forest, unusual};
        forest = fmax(0, forest + fmax(-STEP_MAX, fmin(STEP_MAX, moves[0])));
        unusual = fmax(0, unusual + fmax(-STEP_MAX, fmin(STEP_MAX, moves[1])));
        if (fabs(forest - before[0]) + fabs(unusual - before[1]) < STEP_END) break;
    }
    out->forest = (float)forest;
    out->unusual = (float)unusual;
    out->log_mean =
        (float)weighted_moments((double)out->forest, (double)out->unusual, unlabeled, count).log_mean;
}

float evidence_novelty(double novelty, size_t labels)
{
    return (float)fmin(1, novelty * fmax(1, 7 / (4 + (double)labels)));
}

void evidence_novelty_fit(evidence_weights *out, double first, const log_evidence *labeled, size_t labels)
{
    double weight = first;
    for (int step = 0; step < STEPS_MAX && first > 0 && first < 1; step++) {
        double sum = NOVELTY_PRECISION * first, before = weight;
        for (size_t i = 0; i < labels; i++) {
            double ratio = log((1 - weight) / weight) + evidence_alike(out, labeled[i]) - labeled[i].unusual;
            sum += 1 / (1 + exp(fmin(40, fmax(-40, ratio))));
        }
        weight = sum / (NOVELTY_PRECISION + (double)labels);
        if (fabs(weight - before) < STEP_END) break;
    }
    out->novelty = (float)fmax(first, weight);
}

double evidence_alike(const evidence_weights *weights, log_evidence row)
{
    return exponent((double)weights->forest, (double)weights->unusual, row) - (double)weights->log_mean;
}
