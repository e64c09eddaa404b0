/* Probabilities that two samples of one distribution differ at least this much. */
#ifndef CHECKS_HYPOTHESIS_TESTS_H
#define CHECKS_HYPOTHESIS_TESTS_H

/* By the largest distance between their distribution functions (Kolmogorov-Smirnov). */
double distance_chance(double distance, double first_rows, double second_rows);

/* By a fraction of the rows in each, two-sided; normal approximation with a continuity correction. */
double share_chance(double first, double first_rows, double second, double second_rows);

#endif
