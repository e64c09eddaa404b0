/* From a score to the share of unlabeled rows that score at least as high: what makes scores of different
 * kinds comparable. Beyond the highest row the tail goes on falling as its upper twentieth did, so that no
 * two scores tie. */
#ifndef DETECTOR_ENSEMBLE_EMPIRICAL_TAIL_H
#define DETECTOR_ENSEMBLE_EMPIRICAL_TAIL_H

#include "base/memory.h"

enum { TAIL_LEVELS_MOST = 8192, TAIL_EXCESS_MOST = 600 }; /* excess: beyond the highest, in the exponent */

typedef struct tail_scale {
    float *levels; /* ascending scores of rows that the scorer was not trained on */
    size_t count;
    double excess; /* mean distance of the upper twentieth from where it begins, above 0 */
} tail_scale;

/* Takes at most TAIL_LEVELS_MOST of the scores, evenly; room comes from the arena. */
puad_status tail_scale_make(tail_scale *out, arena *memory, const float *scores, size_t count);

/* For readers of model files: the levels are in place; checks them and fills in the rest. */
puad_status tail_scale_check(tail_scale *scale);

/* For qsort of floats that are numbers: ascending. */
int compare_scores(const void *left, const void *right);

double tail_probability(const tail_scale *scale, double score); /* above 0, at most 1 */

/* The same for many scores, whose searches wait for memory side by side; `out` may be `scores`. */
void tail_probabilities(double *out, const tail_scale *scale, const double *scores, size_t count);

#endif
