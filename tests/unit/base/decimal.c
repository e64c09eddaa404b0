#include "base/decimal.h"

#include "base/rng.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void check_as_printed(double value, int digits)
{
    char ours[DECIMAL_TEXT], printed[64];
    size_t length = decimal_text(ours, value, digits);
    snprintf(printed, sizeof printed, "%.*g", digits, value);
    if (strcmp(ours, printed) != 0 || length != strlen(printed))
        TEST_FAIL("%d digits of %a: '%s', expected '%s'", digits, value, ours, printed);
}

TEST(numbers_are_written_as_printf_does)
{
    static const double odd[] = {0,          -0.0,        1,
                                 -1,         9.5,         0.5,
                                 0.00012345, 0.0001,      9.9999999999e-5,
                                 99999.95,   999999.5,    999999999,
                                 1e9,        999999999.5, 1.0000000005,
                                 2.5,        1e-300,      1e300,
                                 DBL_MAX,    INFINITY,    -INFINITY,
                                 123456789,  0.1,         0.25,
                                 1024,       33554432};
    for (int digits = 1; digits <= DECIMAL_DIGITS_MAX; digits++)
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            check_as_printed(odd[i], digits);
            check_as_printed(-odd[i], digits);
        }
}

TEST(so_are_floats_of_all_sizes_and_halves)
{
    rng draws = rng_make(1, 2);
    for (size_t i = 0; i < 300000; i++) {
        int digits = 1 + (int)rng_below(&draws, DECIMAL_DIGITS_MAX);
        double size = exp2((double)rng_below(&draws, 50) - 20);
        check_as_printed((double)(float)(size * (rng_uniform(&draws) - 0.5)), digits);
        check_as_printed((double)rng_below(&draws, 2000000) / 2, digits); /* many of them ties */
        check_as_printed((double)rng_below(&draws, 100000) / 1000, digits);
    }
}

TEST(whole_numbers_have_all_their_digits)
{
    static const size_t some[] = {0, 7, 10, 1234567890, SIZE_MAX};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        char ours[DECIMAL_TEXT], printed[32];
        size_t length = decimal_whole(ours, some[i]);
        snprintf(printed, sizeof printed, "%zu", some[i]);
        CHECK(strcmp(ours, printed) == 0);
        CHECK(length == strlen(printed));
    }
}
