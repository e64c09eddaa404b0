/* Marks on axes: round numbers within the axis, in common notation. */
#include "plot/ticks.h"
#include "test.h"

static void check_labels(tick_list list, const char *expected)
{
    char found[512] = "";
    for (size_t i = 0; i < list.count; i++) {
        if (i) strcat(found, " ");
        strcat(found, list.ticks[i].label);
    }
    CHECK_TEXT(found, expected);
}

TEST(linear_marks_are_one_two_or_five_times_a_power_of_ten)
{
    check_labels(ticks_linear(0, 1, 5), "0.0 0.2 0.4 0.6 0.8 1.0");
    check_labels(ticks_linear(0.012, 0.3, 4), "0.1 0.2 0.3");
    check_labels(ticks_linear(-7.5, 7.5, 3), "\xE2\x88\x92"
                                             "5 0 5");
    check_labels(ticks_linear(0, 4750, 5), "0 1000 2000 3000 4000");
    check_labels(ticks_linear(-30000, 30000, 3), "\xE2\x88\x92"
                                                 "20k 0 20k");
    check_labels(ticks_linear(0.9985, 0.9999, 3), "0.9985 0.9990 0.9995");
}

TEST(huge_and_tiny_values_are_written_with_an_exponent)
{
    check_labels(ticks_linear(0, 2e6, 2), "0 1e6 2e6");
    check_labels(ticks_linear(0, 2e-5, 2), "0 1e\xE2\x88\x92"
                                           "5 2e\xE2\x88\x92"
                                           "5");
}

TEST(log_marks_are_powers_with_steps_between_when_there_are_few)
{
    check_labels(ticks_log(0.01, 0.3, 6), "0.01 0.02 0.05 0.1 0.2");
    check_labels(ticks_log(1, 1000, 4), "1 10 100 1000");
    check_labels(ticks_log(1, 1e6, 3), "10\xE2\x81\xB0 10\xC2\xB2 10\xE2\x81\xB4 10\xE2\x81\xB6");
}

TEST(no_range_gives_no_marks_and_never_too_many)
{
    CHECK_INT(ticks_linear(1, 1, 5).count, 0);
    CHECK_INT(ticks_linear(NAN, 1, 5).count, 0);
    CHECK_INT(ticks_linear(-INFINITY, 1, 5).count, 0);
    CHECK_INT(ticks_log(0, 1, 5).count, 0);
    CHECK(ticks_linear(0, 1, 1000000).count <= TICKS_MAX);
    CHECK(ticks_log(1e-300, 1e300, 1000000).count <= TICKS_MAX);
}

TEST(a_scale_maps_its_ends_to_its_pixels)
{
    scale linear = {.min = -1, .max = 3, .start = 100, .to = 20},
          log = {.log = true, .min = 0.1, .max = 1000, .to = 400};
    CHECK_NEAR(scale_pixel(&linear, -1), 100, 1e-12);
    CHECK_NEAR(scale_pixel(&linear, 1), 60, 1e-12);
    CHECK_NEAR(scale_pixel(&log, 0.1), 0, 1e-12);
    CHECK_NEAR(scale_pixel(&log, 10), 200, 1e-9);
}

TEST(an_axis_of_whole_numbers_has_marks_at_these_alone)
{
    for (int last = 1; last < 60; last++) {
        const scale axis = {.whole = true, .max = last, .to = 400};
        tick_list list = scale_ticks(&axis, 10);
        CHECK(list.count >= 2);
        for (size_t i = 0; i < list.count; i++)
            CHECK_NEAR(list.ticks[i].value, round(list.ticks[i].value), 1e-9);
    }
}
