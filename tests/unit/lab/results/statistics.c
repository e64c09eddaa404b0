/* The marks of a result table and the edge cases of the paired test; tests/parity/test_statistics.py
 * compares with scipy. */
#include "lab/results/statistics.h"
#include "test.h"

TEST(student_t_has_its_tabled_quantiles)
{
    CHECK_NEAR(student_t_two_sided(2.776445105, 4), 0.05, 1e-9);
    CHECK_NEAR(student_t_two_sided(INFINITY, 7), 0, 0);
    CHECK(isnan(student_t_two_sided(1, 0)));
}

TEST(equal_differences_do_not_become_a_variance_by_rounding)
{
    static const double first[] = {0.3, 0.3, 0.3}, second[] = {0.1, 0.1, 0.1};
    CHECK_NEAR(statistics_paired(first, first, 3).p, 1, 0);
    CHECK_NEAR(statistics_paired(first, second, 3).p, 0, 0);
    CHECK(isinf(statistics_paired(first, second, 3).t));
}

TEST(missing_cells_are_left_out_of_pairs)
{
    static const double first[] = {1, NAN, 3, 5}, second[] = {0, 9, 1, NAN};
    paired_test test = statistics_paired(first, second, 4);
    CHECK_INT(test.pairs, 2);
    CHECK_NEAR(test.difference, 1.5, 0);
    CHECK(isnan(statistics_paired(first, second, 1).p));
    CHECK_NEAR(statistics_mean(first, 4), 3, 0);
    CHECK_NEAR(statistics_deviation(first, 4), 2, 0);
    CHECK(isnan(statistics_deviation(first, 2)));
}

TEST(marks_are_the_best_and_those_not_significantly_different)
{
    static const double values[] = {
        .70, .71, .72, .69, .70, /* far below */
        .90, .92, .88, .91, .89, /* the best */
        .91, .90, .89, .88, .90, /* as good, up to noise */
        .89, .91, .87, .90, .88, /* always a little below */
        NAN, NAN, NAN, NAN, NAN, /* not run */
    };
    bool marks[5];
    CHECK_INT(statistics_mark_best(marks, values, 5, 5, 0.05), 1);
    CHECK(!marks[0] && marks[1] && marks[2] && !marks[3] && !marks[4]);
    CHECK_INT(statistics_mark_best(marks, values + 20, 1, 5, 0.05), 1);
    CHECK(!marks[0]);
}
