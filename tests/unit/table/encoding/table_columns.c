/* Tables as a whole: columns that the rows of one label lack, and extreme values. */
#include "written.h"

static const char *const both_csv = "a,b\n1,10\n2,20\n3,30\n4,\n";

TEST(a_column_that_a_file_of_one_label_lacks_is_refused)
{
    static const struct {
        const char *text, *facts[3];
    } cases[] = {
        {"a\n7\n8\n", {"part.csv", "column 'b'", "3 of 4 rows"}},
        {"a,b\n7,\n8,NA\n", {"part.csv", "column 'b'", "3 of 4 rows"}},
        {"a,b\n7,1 EUR\n8,2 EUR\n", {"part.csv", "column 'b'", "3 of 4 rows"}},
    };
    const char *path = write_text("u.csv", both_csv);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO_DATASET dataset rows = {0};
        const char *part = write_text("part.csv", cases[i].text);
        data_options options = {.anomalies = part};
        CHECK_FAILS(data_open(&rows, path, &options), PUAD_FORMAT, cases[i].facts[0], cases[i].facts[1],
                    cases[i].facts[2]);
        CHECK(strstr(puad_last_error(), "ignore=b"));
        options = (data_options){.normals = part};
        CHECK_FAILS(data_open(&rows, path, &options), PUAD_FORMAT, cases[i].facts[0], cases[i].facts[1],
                    cases[i].facts[2]);
    }
}

TEST(a_column_that_is_ignored_may_be_absent_from_a_file_of_one_label)
{
    AUTO_DATASET dataset rows = {0};
    const char *const ignore[] = {"b"};
    data_options options = {
        .anomalies = write_text("part.csv", "a\n7\n8\n"), .ignore = ignore, .ignore_count = 1};
    CHECK_OK(data_open(&rows, write_text("u.csv", both_csv), &options));
    CHECK_INT(rows.rows, 6);
    CHECK_INT(rows.columns, 1);
    static const char *const wrong[] = {"c"};
    options.ignore = wrong;
    AUTO_DATASET dataset none = {0};
    CHECK_FAILS(data_open(&none, test_path("u.csv"), &options), PUAD_INVALID, "'ignore'", "'c'", "a, b");
}

TEST(a_column_of_an_array_that_one_label_lacks_is_refused)
{
    AUTO_DATASET dataset rows = {0};
    const double main_rows[] = {1, 10, 2, 20, 3, 30}, part[] = {7, NAN, 8, NAN};
    data_options options = {.anomalies = write_npy("part.npy", "<f8", "2, 2", part, sizeof part)};
    CHECK_FAILS(data_open(&rows, write_npy("u.npy", "<f8", "3, 2", main_rows, sizeof main_rows), &options),
                PUAD_FORMAT, "part.npy", "'column_2'");
}

/* Notes of a table with one column besides row numbers. */
static bool told_of_extremes(double value(int row))
{
    enum { ROWS = 400 };
    AUTO_DATASET dataset rows = {0};
    static double values[2 * ROWS];
    for (int i = 0; i < ROWS; i++) {
        values[2 * i] = i;
        values[2 * i + 1] = value(i);
    }
    if (data_open(&rows, write_npy("x.npy", "<f8", "400, 2", values, sizeof values), &(data_options){0}) !=
        PUAD_OK) {
        TEST_FAIL("%s", puad_last_error());
        return false;
    }
    return has_note(&rows.notes, "are clipped");
}

static double large(int row)
{
    return 5e200 + 1e200 * sin(row);
}
static double one_wild(int row)
{
    return row == 300 ? 1e12 : sin(row);
}
static double some_wild(int row)
{
    return row % 50 == 0 ? 1e300 : sin(row);
}
static double rare_flag(int row)
{
    return row == 300;
}
static double two_levels(int row)
{
    return (row < 200 ? 0 : 1e6) + sin(row);
}

TEST(extreme_values_are_judged_relative_to_the_column)
{
    CHECK(!told_of_extremes(large));
    CHECK(!told_of_extremes(rare_flag));
    CHECK(!told_of_extremes(two_levels));
    CHECK(told_of_extremes(one_wild));
    CHECK(told_of_extremes(some_wild));
}

/* The spread of the other rows of a column when one of them is `wild`. */
static double spread_beside(double wild)
{
    enum { ROWS = 400 };
    AUTO_DATASET dataset rows = {0};
    static double values[ROWS];
    for (int i = 0; i < ROWS; i++) values[i] = i == 300 ? wild : sin(i);
    if (data_open(&rows, write_npy("w.npy", "<f8", "400, 1", values, sizeof values), &(data_options){0}) !=
        PUAD_OK) {
        TEST_FAIL("%s", puad_last_error());
        return 0;
    }
    double min = 0, max = 0;
    for (int i = 0; i < ROWS; i++) {
        CHECK(isfinite(rows.values[i]));
        if (i == 300) continue;
        min = fmin(min, (double)rows.values[i]);
        max = fmax(max, (double)rows.values[i]);
    }
    return max - min;
}

TEST(one_extreme_value_does_not_ruin_the_scale_of_its_column)
{
    double usual = spread_beside(0.5);
    CHECK_NEAR(usual, TABLE_SCALE * 2 * sqrt(2), 0.01);
    CHECK(spread_beside(1e36) > 0.7 * usual);
    CHECK(spread_beside(-1e300) > 0.7 * usual);
    CHECK_NEAR(spread_beside(1e36), spread_beside(1e12), 0);
}

TEST(numbers_outside_the_bounds_are_clipped)
{
    enum { ROWS = 400 };
    AUTO_DATASET dataset rows = {0};
    static double values[ROWS];
    for (int i = 0; i < ROWS; i++) values[i] = sin(i);
    CHECK_OK(
        data_open(&rows, write_npy("b.npy", "<f8", "400, 1", values, sizeof values), &(data_options){0}));
    const transform_column *column = &rows.transform->columns[0];
    float far, further, inside;
    CHECK(!transform_number(&far, column, 100));
    CHECK(!transform_number(&further, column, 1e300));
    CHECK(transform_number(&inside, column, 5));
    CHECK_NEAR(far, further, 0);
    CHECK(inside < far);
    CHECK(!transform_number(&far, column, -100));
    CHECK_NEAR(far, -further, 0.05);
}

/* 40 rows of columns a and b, of which the first `nones` have "None" in column a. */
static const char *with_nones(int nones)
{
    static char text[2000];
    size_t used = (size_t)snprintf(text, sizeof text, "a,b\n");
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s,%d\n",
                                 i < nones ? "None"
                                 : i % 2   ? "worm"
                                           : "virus",
                                 i);
    return write_text("none.csv", text);
}

TEST(the_word_none_is_a_category_if_it_is_frequent)
{
    AUTO_DATASET dataset often = {0};
    AUTO_DATASET dataset rarely = {0};
    CHECK_OK(data_open(&often, with_nones(10), &(data_options){0}));
    CHECK_INT(often.columns, 4);
    CHECK(strcmp(often.column_names[2], "a=None") == 0 || strcmp(often.column_names[0], "a=None") == 0 ||
          strcmp(often.column_names[1], "a=None") == 0);
    CHECK_OK(data_open(&rarely, with_nones(1), &(data_options){0}));
    CHECK_INT(rarely.columns, 4);
    CHECK(strcmp(rarely.column_names[2], "a is missing") == 0);
    CHECK(rarely.values[2] == 1 && rarely.values[4 + 2] == 0);
}

TEST(the_word_none_is_zero_in_a_column_of_ranges)
{
    static const char *const cells[] = {"none", "1", "2 to 4", "more than 4"};
    char text[1000];
    size_t used = (size_t)snprintf(text, sizeof text, "claims\n");
    for (int i = 0; i < 80; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", cells[i % 4]);
    AUTO_DATASET dataset rows = {0};
    CHECK_OK(data_open(&rows, write_text("ranges.csv", text), &(data_options){0}));
    CHECK_INT(rows.columns, 1);
    double first = transform_decoded(&rows.transform->columns[0], rows.values[0]);
    CHECK(fabs(first) < 1e-3);
    for (int i = 0; i < 3; i++) CHECK(rows.values[i] < rows.values[i + 1]);
}

TEST(digits_with_leading_zeros_are_codes)
{
    static const char *const columns[] = {"007,010,123,555", "0123,88,00456,12345"};
    for (int k = 0; k < 2; k++) {
        char text[1000], list[40], *place = NULL;
        size_t used = (size_t)snprintf(text, sizeof text, "area\n");
        for (int round = 0; round < 10; round++) {
            memcpy(list, columns[k], strlen(columns[k]) + 1);
            for (char *cell = strtok_r(list, ",", &place); cell; cell = strtok_r(NULL, ",", &place))
                used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", cell);
        }
        AUTO_DATASET dataset rows = {0};
        CHECK_OK(data_open(&rows, write_text("codes.csv", text), &(data_options){0}));
        CHECK_INT(rows.columns, 4);
    }
}

TEST(whole_numbers_that_were_encoded_twice_are_decoded_exactly)
{
    enum { ROWS = 900, KEPT = 500, COLUMNS = 4 };
    static const int ranges[COLUMNS] = {217, 9, 4211, 63};
    static char text[ROWS * 40];
    static uint32_t kept[KEPT];
    size_t used = (size_t)snprintf(text, sizeof text, "a,b,c,d\n");
    for (int i = 0; i < ROWS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,%d,%d,%d\n", i * 7 % ranges[0],
                                 i * 5 % ranges[1], i * 31 % ranges[2], i % 3 ? 0 : i * 11 % ranges[3]);
    AUTO_DATASET dataset rows = {0};
    CHECK_OK(data_open(&rows, write_text("whole.csv", text), &(data_options){0}));
    CHECK_INT(rows.columns, COLUMNS);
    for (uint32_t i = 0; i < KEPT; i++) kept[i] = i;
    transform_refit(rows.transform, rows.values, ROWS, kept, KEPT);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++) {
            char cell[32];
            double value = transform_decoded(&rows.transform->columns[k], rows.values[i * COLUMNS + k]);
            snprintf(cell, sizeof cell, "%.9g", value);
            if (strspn(cell, "0123456789") != strlen(cell)) TEST_FAIL("row %d, column %d: %s", i, k, cell);
        }
}
