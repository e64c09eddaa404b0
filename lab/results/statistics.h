/* What a table of results needs: mean, standard deviation, the paired t-test, and which methods share the
 * first place. */
#ifndef LAB_RESULTS_STATISTICS_H
#define LAB_RESULTS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Values that are NaN are missing cells and left out everywhere. */
double statistics_mean(const double *values, size_t count);      /* NaN over none */
double statistics_deviation(const double *values, size_t count); /* ddof 1; NaN over fewer than two */

/* P(T <= t) of Student's t distribution, and the probability of a |T| at least as large. */
double student_t_below(double t, double degrees);
double student_t_two_sided(double t, double degrees);

typedef struct paired_test {
    size_t pairs;      /* both values there */
    double difference; /* mean of first - second */
    double t, p; /* two-sided. NaN with fewer than two pairs; equal differences: 0 and 1 when they are 0, else
                    infinite and 0 */
} paired_test;

paired_test statistics_paired(const double *first, const double *second, size_t count);

/* `values` is methods x pairs. Marks the method with the largest mean and those that a paired t-test at
 * `level` (0.05) over the same pairs does not tell from it. Returns the best one's index, or `methods` when
 * nothing is there. A method without any value is never marked. */
size_t statistics_mark_best(bool *marks, const double *values, size_t methods, size_t pairs, double level);

#endif
