/* How likely it is that two samples of one distribution differ so much. */
#ifndef CHECKS_HYPOTHESIS_TESTS_H
#define CHECKS_HYPOTHESIS_TESTS_H

/* By the largest distance between their distribution functions, after Kolmogorov and Smirnov. */
double distance_chance(double distance, double first_rows, double second_rows);

/* By a share of the rows in each, both ways; the normal approximation with a correction for whole rows. */
double share_chance(double first, double first_rows, double second, double second_rows);

#endif
