/* Converts a score to the fraction of unlabeled rows with at least this score, which makes different kinds
 * of scores comparable. Above the highest row the tail is extrapolated at the rate of its upper twentieth,
 * so that no two scores tie. */
#ifndef DETECTOR_ENSEMBLE_EMPIRICAL_TAIL_H
#define DETECTOR_ENSEMBLE_EMPIRICAL_TAIL_H

#include "base/memory.h"

/* excess: bound of the exponent above the highest score */
enum { TAIL_LEVELS_MAX = 8192, TAIL_EXCESS_MAX = 600 };

typedef struct tail_scale {
    float *levels; /* ascending scores of rows that were not in the scorer's training data */
    size_t count;
    double excess; /* mean excess of the upper twentieth over its lower end, positive */
} tail_scale;

/* Keeps at most TAIL_LEVELS_MAX of the scores, evenly spaced; memory comes from the arena. */
puad_status tail_scale_make(tail_scale *out, arena *memory, const float *scores, size_t count);

/* For readers of model files: checks the levels and derives the other fields. */
puad_status tail_scale_check(tail_scale *scale);

double tail_probability(const tail_scale *scale, double score); /* in (0, 1] */

/* The same for many scores, with searches interleaved to overlap memory latency; `out` may be `scores`. */
void tail_probabilities(double *out, const tail_scale *scale, const double *scores, size_t count);

#endif
