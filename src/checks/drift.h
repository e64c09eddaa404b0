/* Tests whether the rows to score resemble the training rows. A sample is compared with the model's column
 * profile and held-out scores: a two-sample test for each column and for the score, with a family-wise
 * error rate of 1%, and a minimum effect size, so that large files do not trigger warnings about trivial
 * differences. */
#ifndef CHECKS_DRIFT_H
#define CHECKS_DRIFT_H

#include "checks/guards.h"
#include "detector/model/model.h"

typedef struct drift_sample {
    const puad_detector *model; /* borrowed */
    float *values, *scores;     /* `count` rows */
    size_t count, capacity, stride, seen;
    bool scored;
} drift_sample;

/* For at most `rows` rows, SIZE_MAX if unknown. Does nothing if the model has no profile or there are too
 * few rows. */
puad_status drift_begin(drift_sample *out, const puad_detector *model, size_t rows);
/* `scores` may be NULL, for all rows of a sample or for none; they are then not compared. */
void drift_add(drift_sample *sample, const float *values, const float *scores, size_t rows);
void drift_end(drift_sample *sample); /* {0} is fine */

/* Warns about differences. `absent` has a flag for each column of the model's table that the input lacks,
 * or is NULL. */
puad_status drift_warn(const drift_sample *sample, const bool *absent, const puad_options *options);

/* Warns about rows of a series that are not in order of time. */
struct axis_clock;
puad_status drift_warn_order(const struct axis_clock *clock, const puad_options *options);

/* Warns about columns that the training data did not have. */
puad_status drift_warn_added(const char *const *names, size_t count, const puad_options *options);

#endif
