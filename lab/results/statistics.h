/* Statistics of result tables: mean, standard deviation, the paired t-test, and which methods are not
 * significantly worse than the best. */
#ifndef LAB_RESULTS_STATISTICS_H
#define LAB_RESULTS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* NaN values are missing and are skipped everywhere. */
double statistics_mean(const double *values, size_t count);      /* NaN if there are none */
double statistics_deviation(const double *values, size_t count); /* ddof 1; NaN for fewer than two */

/* The probability of a |T| at least as large, of Student's t distribution. */
double student_t_two_sided(double t, double degrees);

typedef struct paired_test {
    size_t pairs;      /* pairs with both values */
    double difference; /* mean of first - second */
    /* two-sided. NaN with fewer than two pairs; for equal differences 0 and 1 if they are 0, else infinite
     * and 0 */
    double t, p;
} paired_test;

paired_test statistics_paired(const double *first, const double *second, size_t count);

/* `values` is methods x pairs. Marks the method with the largest mean and those not significantly
 * different from it by a paired t-test at `level` (0.05) over the same pairs. Returns the index of the
 * best, or `methods` if there are no values. A method without any value is never marked. */
size_t statistics_mark_best(bool *marks, const double *values, size_t methods, size_t pairs, double level);

#endif
