/* Scores of a mixture whose alpha is known: normals N(0, 1), anomalies N(distance, 1), as exact P(labeled |
 * score). */
#ifndef TESTS_SIMULATED_SCORES_H
#define TESTS_SIMULATED_SCORES_H

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

typedef struct simulated {
    size_t anomalies, unlabeled, hidden; /* the first `hidden` unlabeled rows are anomalies */
    double alpha;                        /* hidden / unlabeled */
    float *anomaly, *unlabeled_scores;
} simulated;

static inline float simulated_score(double x, double distance, double alpha, double odds)
{
    double ratio = exp(distance * x - distance * distance / 2); /* f_anomaly / f_normal */
    double labeled = odds * ratio / (alpha * ratio + 1 - alpha);
    return (float)(labeled / (1 + labeled));
}

static inline simulated simulate_with(size_t anomalies, size_t unlabeled, double alpha, double distance,
                                      uint64_t seed, bool exact)
{
    simulated made = {
        .anomalies = anomalies, .unlabeled = unlabeled, .hidden = (size_t)(alpha * (double)unlabeled + 0.5)};
    made.alpha = (double)made.hidden / (double)unlabeled;
    made.anomaly = malloc(anomalies * sizeof(float));
    made.unlabeled_scores = malloc(unlabeled * sizeof(float));
    rng draws = rng_make(seed, rng_stream("simulated", 0));
    double odds = (double)anomalies / (double)unlabeled, share = exact ? made.alpha : 0;
    for (size_t i = 0; i < anomalies; i++)
        made.anomaly[i] = simulated_score(rng_normal(&draws) + distance, distance, share, odds);
    for (size_t i = 0; i < unlabeled; i++)
        made.unlabeled_scores[i] =
            simulated_score(rng_normal(&draws) + (i < made.hidden ? distance : 0), distance, share, odds);
    return made;
}

static inline simulated simulate(size_t anomalies, size_t unlabeled, double alpha, double distance,
                                 uint64_t seed)
{
    return simulate_with(anomalies, unlabeled, alpha, distance, seed, true);
}

/* Scores of a method that accounts for hidden anomalies: the odds against normal rows only. */
static inline simulated simulate_odds(size_t anomalies, size_t unlabeled, double alpha, double distance,
                                      uint64_t seed)
{
    return simulate_with(anomalies, unlabeled, alpha, distance, seed, false);
}

static inline void simulated_free(simulated *owner)
{
    free(owner->anomaly);
    free(owner->unlabeled_scores);
}

/* The distance between two unit normals that gives this AUROC, sqrt(2) times its normal quantile, by
 * bisection. */
static inline double distance_for_auroc(double auroc)
{
    double low = 0, high = 10;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (0.5 * erfc(-middle / 2) < auroc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
