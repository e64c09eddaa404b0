/* Numbers in text against strtod, bit for bit. */
#include "base/number.h"
#include "base/rng.h"
#include "test.h"

#include <stdint.h>

static int wrong; /* mismatches, of which the first few are shown */

static void compare(const char *text)
{
    double expected = strtod(text, NULL), actual = 0;
    bool read = number_parse(&actual, text, strlen(text), '.');
    if ((!read || memcmp(&actual, &expected, sizeof actual) != 0) && wrong++ < 5)
        TEST_FAIL("%s gives %.17g, strtod gives %.17g", text, read ? actual : NAN, expected);
}

TEST(chosen_numbers_equal_strtod)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "-1",
                                        "+1",
                                        "0.1",
                                        "1e5",
                                        "1E-5",
                                        "123456789012345678",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "99999999999999999999",
                                        "1e308",
                                        "1e309",
                                        "-1e400",
                                        "4.9e-324",
                                        "1e-400",
                                        "2.2250738585072014e-308",
                                        "0.000000000000000000000000000001",
                                        "00000000000000000000000000000.5",
                                        "1.7976931348623157e308",
                                        "8.5e23",
                                        "5e-20",
                                        ".5",
                                        "5.",
                                        "1e+10",
                                        "3.14159265358979323846264338327950288",
                                        "0.1e1",
                                        "12345678.12345678",
                                        "1234567812345678",
                                        "100000000000000000000000",
                                        "9223372036854775807.5",
                                        "1e23",
                                        "4503599627370496.5",
                                        "4503599627370497.5",
                                        "0.5e-15",
                                        "1e22",
                                        "1e-22",
                                        "7e-27",
                                        "7e-28"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) compare(texts[i]);
}

TEST(random_numbers_equal_strtod)
{
    rng draw = rng_make(1, rng_stream("number test", 0));
    char text[80];
    for (int i = 0; i < 400000; i++) {
        uint64_t digits = ((uint64_t)rng_word(&draw) << 32 | rng_word(&draw)) >> rng_below(&draw, 60);
        int length = snprintf(text, sizeof text, "%llu", (unsigned long long)digits);
        int point = (int)rng_below(&draw, (uint64_t)length + 1);
        char plain[32];
        snprintf(plain, sizeof plain, "%llu", (unsigned long long)digits);
        snprintf(text, sizeof text, "%s%.*s.%s", rng_below(&draw, 2) ? "-" : "", point, plain, plain + point);
        if (rng_below(&draw, 2)) snprintf(text + strlen(text), 16, "e%d", (int)rng_below(&draw, 80) - 40);
        compare(text);
    }
}

TEST(random_doubles_come_back_from_seventeen_digits)
{
    rng draw = rng_make(2, rng_stream("number test", 1));
    for (int i = 0; i < 400000; i++) {
        uint64_t bits = (uint64_t)rng_word(&draw) << 32 | rng_word(&draw);
        double value;
        if (i % 2) bits = (bits & ~(0x7ffull << 52)) | (1023 - 40 + rng_below(&draw, 80)) << 52;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        char text[40];
        snprintf(text, sizeof text, i % 3 ? "%.17g" : "%.15g", value);
        compare(text);
    }
}

TEST(numbers_halfway_between_two_doubles_round_to_even)
{
    for (uint64_t m = (1ull << 53) - 40; m < (1ull << 53) + 40; m++) {
        char text[64];
        for (int k = 0; k < 12; k++) {
            snprintf(text, sizeof text, "%llu.5e%d", (unsigned long long)m >> k, k % 4);
            compare(text);
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)m * 2 + 1, k);
            compare(text);
        }
    }
}

TEST(cells_that_are_not_numbers_are_refused)
{
    static const char *const texts[] = {"",      "-",     "+",    ".",   "e5",        "1e",  "1e+",
                                        "1.2.3", "12a",   "0x10", "1,5", "1 2",       "--1", "nan",
                                        "info",  "1_000", "$5",   "5%",  "2020-01-01"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (number_parse(&value, texts[i], strlen(texts[i]), '.'))
            TEST_FAIL("'%s' was read as %g", texts[i], value);
}

TEST(blanks_around_a_number_and_a_decimal_comma_are_read)
{
    double value = 0;
    CHECK(number_parse(&value, "  2.5 ", 6, '.') && value == 2.5);
    CHECK(number_parse(&value, "-2,5", 4, ',') && value == -2.5);
    CHECK(number_parse(&value, "1234567890123456789012,5", 24, ',') && value == 1234567890123456789012.5);
    CHECK(!number_parse(&value, "2.5", 3, ','));
}

TEST(words_for_missing_values_are_missing)
{
    static const char *const missing[] = {"", " ", "NA", "n/a", "NaN", "null", "None", "?", "-", "#N/A"};
    static const char *const present[] = {"0", "no", "nap", "none of these", "--", "infinite", "inf", "-Inf"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (!cell_is_missing(missing[i], strlen(missing[i]))) TEST_FAIL("'%s' should be missing", missing[i]);
    for (size_t i = 0; i < sizeof present / sizeof *present; i++)
        if (cell_is_missing(present[i], strlen(present[i]))) TEST_FAIL("'%s' should be present", present[i]);
}

TEST(a_number_becomes_the_shortest_text_that_reads_back)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {0.3, "0.3"},
                 {100000, "100000"},
                 {-7, "-7"},
                 {-0.0, "0"},
                 {1e15, "1e+15"},
                 {80331, "80331"},
                 {1e-5, "1e-05"},
                 {0.5, "0.5"},
                 {1.0 / 3, "0.3333333333333333"},
                 {123456.75, "123456.75"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUMBER_TEXT];
        number_text(text, cases[i].value);
        CHECK_TEXT(text, cases[i].text);
    }
    CHECK_NEAR(number_of_float(0.1f), 0.1, 0);
    CHECK_NEAR(number_of_float(16777216), 16777216, 0);
}
