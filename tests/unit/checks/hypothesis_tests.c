/* Two-sample tests against values of scipy 1.11: ks_2samp's asymptotic tail and a z-test. */
#include "checks/hypothesis_tests.h"

#include "test.h"

#include <math.h>

TEST(distances_have_kolmogorov_probabilities)
{
    /* kstwobign.sf of 1 and of 1.5; the correction for few rows vanishes with many */
    double rows = 2e8;
    CHECK(fabs(distance_chance(1 / sqrt(rows / 2), rows, rows) - 0.26999967) < 1e-3);
    CHECK(fabs(distance_chance(1.5 / sqrt(rows / 2), rows, rows) - 0.02221796) < 1e-3);
    CHECK(distance_chance(0, 100, 100) == 1);
    CHECK(distance_chance(0.9, 1000, 1000) < 1e-100);
}

TEST(fewer_rows_make_a_distance_more_likely)
{
    CHECK(distance_chance(0.2, 50, 50) > 0.2);
    CHECK(distance_chance(0.2, 5000, 50) < distance_chance(0.2, 50, 50));
}

TEST(fractions_have_normal_probabilities)
{
    /* 10% of 1000 and 13% of 1000: z = 2.105 without the correction, 2.035 with it */
    CHECK(fabs(share_chance(0.10, 1000, 0.13, 1000) - 0.0419) < 1e-3);
    CHECK(share_chance(0.1, 100, 0.1, 100) == 1);
    CHECK(share_chance(0, 8000, 1.0 / 300, 300) > 1e-4);
    CHECK(share_chance(0, 8000, 0.05, 300) < 1e-10);
    CHECK(share_chance(0, 100, 0, 100) == 1);
}
