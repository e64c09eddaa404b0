/* Are the rows to score like those of the training? A sample of them is held against the model's column
 * profile and held-out scores: a two-sample test for each column and for the score, all of them together
 * wrong in one input of a hundred, and a difference that matters, so that many rows do not warn about
 * nothing. */
#ifndef CHECKS_DRIFT_H
#define CHECKS_DRIFT_H

#include "checks/guards.h"
#include "detector/model/model.h"

typedef struct drift_sample {
    const puad_detector *model; /* borrowed */
    float *values, *scores;     /* `count` rows */
    size_t count, room, stride, seen;
    bool scored;
} drift_sample;

/* For at most `rows` rows, SIZE_MAX if unknown. Takes nothing where the model has no profile or the rows are
 * too few to compare. */
puad_status drift_begin(drift_sample *out, const puad_detector *model, size_t rows);
/* `scores` may be NULL, for all rows of a sample or for none; they are then not compared. */
void drift_add(drift_sample *sample, const float *values, const float *scores, size_t rows);
void drift_end(drift_sample *sample); /* {0} is fine */

/* Warns of what differs. `absent` has a flag for each column of the model's table that the input has not, or
 * is NULL. */
puad_status drift_warn(const drift_sample *sample, const bool *absent, const puad_options *options);

/* Warns of rows of a series that are not in the order of time. */
struct axis_clock;
puad_status drift_warn_order(const struct axis_clock *clock, const puad_options *options);

/* Warns of columns that the training data did not have. */
puad_status drift_warn_added(const char *const *names, size_t count, const puad_options *options);

#endif
