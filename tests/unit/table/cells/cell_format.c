/* Cells in common notations: the number for each format, and the format chosen for a column. */
#include "table/cells/column_format.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static text_view view(const char *text)
{
    return (text_view){text, strlen(text)};
}

static double read_as(cell_form form, const char *text)
{
    double value;
    return form_read(&value, &form, view(text)) ? value : NAN;
}

static form_choice choose(const char *name, char decimal, const char *const *cells)
{
    form_count count = {0};
    for (; *cells; cells++) form_count_cell(&count, view(*cells), decimal);
    form_hints hints = {.name = name, .decimal = decimal};
    return form_choose(&count, &hints);
}
#define CHOOSE(decimal, ...) choose("x", decimal, (const char *const[]){__VA_ARGS__, NULL})

TEST(numbers_are_read_without_units_and_brackets)
{
    cell_form us = {.kind = FORM_NUMBER, .decimal = '.', .group = ',', .unit = "$"};
    CHECK_NEAR(read_as(us, "$1,234.50"), 1234.5, 0);
    CHECK_NEAR(read_as(us, "($1,234.50)"), -1234.5, 0);
    CHECK_NEAR(read_as(us, "-$12"), -12, 0);
    CHECK_NEAR(read_as(us, "$ -12"), -12, 0);
    CHECK_NEAR(read_as(us, "12-"), -12, 0);
    CHECK_NEAR(read_as(us, "\xe2\x88\x92"
                           "12"),
               -12, 0);
    CHECK_NEAR(read_as(us, "12,34,567"), 1234567, 0); /* as in India */
    CHECK_NEAR(read_as(us, "1.5e-3"), 0.0015, 0);
    CHECK(isnan(read_as(us, "12 kg")));
    CHECK(isnan(read_as(us, "1,23")));
    CHECK(isnan(read_as(us, "1234,567")));
    CHECK(isnan(read_as(us, "12:30")));
    CHECK(isnan(read_as(us, "$")));
    CHECK(isnan(read_as(us, "")));
    cell_form eu = {.kind = FORM_NUMBER, .decimal = ',', .group = '.', .unit = "\xe2\x82\xac"};
    CHECK_NEAR(read_as(eu, "1.234.567,89 \xe2\x82\xac"), 1234567.89, 0);
    CHECK(isnan(read_as(eu, "1234.5")));
    cell_form french = {.kind = FORM_NUMBER, .decimal = ',', .group = ' '};
    CHECK_NEAR(read_as(french, "1\xc2\xa0"
                               "234,5"),
               1234.5, 0);
    CHECK_NEAR(read_as(french, "1\xe2\x80\xaf"
                               "234"),
               1234, 0);
    cell_form percent = {.kind = FORM_NUMBER, .decimal = '.', .unit = "%"};
    CHECK_NEAR(read_as(percent, "12.5 %"), 0.125, 0);
    CHECK_NEAR(read_as(percent, "0.125"), 0.125, 0);
    cell_form days = {.kind = FORM_NUMBER, .decimal = '.', .unit = "day"};
    CHECK_NEAR(read_as(days, "3 days"), 3, 0);
    cell_form yes = {.kind = FORM_BOOLEAN};
    CHECK_NEAR(read_as(yes, "Yes"), 1, 0);
    CHECK_NEAR(read_as(yes, "FALSE"), 0, 0);
    CHECK_NEAR(read_as(yes, "1"), 1, 0);
    CHECK(isnan(read_as(yes, "perhaps")));
}

static double date(const char *text, date_order order)
{
    return read_as((cell_form){.kind = FORM_DATE, .order = order}, text);
}

TEST(dates_of_many_formats_are_seconds_since_1970)
{
    const double day = 1706659200; /* 2024-01-31 */
    CHECK_NEAR(date("2024-01-31", DATE_YMD), day, 0);
    CHECK_NEAR(date("2024/1/31 10:00", DATE_YMD), day + 36000, 0);
    CHECK_NEAR(date("2024-01-31T10:00:00.5+01:00", DATE_YMD), day + 36000.5, 0); /* the hour on the clock */
    CHECK_NEAR(date("2024-01-31T10:00:00Z", DATE_YMD), day + 36000, 0);
    CHECK_NEAR(date("31.01.2024", DATE_DMY), day, 0);
    CHECK_NEAR(date("31/01/24 10:00 PM", DATE_DMY), day + 79200, 0);
    CHECK_NEAR(date("31. Januar 2024", DATE_DMY), day, 0);
    CHECK_NEAR(date("31-Jan-2024", DATE_DMY), day, 0);
    CHECK_NEAR(date("Wed, 31 Jan 2024 10:00:00 +0100", DATE_DMY), day + 36000, 0);
    CHECK_NEAR(date("1/31/2024", DATE_MDY), day, 0);
    CHECK_NEAR(date("January 31, 2024", DATE_MDY), day, 0);
    CHECK_NEAR(date("20240131", DATE_COMPACT), day, 0);
    CHECK_NEAR(date("20240131100000", DATE_COMPACT), day + 36000, 0);
    CHECK_NEAR(date("12:15 AM", DATE_TIME), 900, 0);
    CHECK_NEAR(date("1706659200000", DATE_MILLISECONDS), day, 0);
    CHECK_NEAR(date("2024-02-29", DATE_YMD), day + 29 * 86400.0, 0);
    CHECK(isnan(date("2023-02-29", DATE_YMD)));
    CHECK(isnan(date("2024-13-01", DATE_YMD)));
    CHECK(isnan(date("31.04.2024", DATE_DMY)));
    CHECK(isnan(date("1.2.03", DATE_DMY))); /* a version */
    CHECK(isnan(date("2024-01-31 25:00", DATE_YMD)));
    CHECK(isnan(date("2024-01-31 noon", DATE_YMD)));
}

TEST(a_date_has_an_hour_a_weekday_and_a_day_of_the_year)
{
    double value = date("2024-12-31 18:30", DATE_YMD);
    CHECK_NEAR(date_part_of(PART_HOUR, value, NAN), 18.5, 0);
    CHECK_NEAR(date_part_of(PART_WEEKDAY, value, NAN), 1, 0); /* a Tuesday */
    CHECK_NEAR(date_part_of(PART_YEARDAY, value, NAN), 366, 0);
    CHECK_NEAR(date_part_of(PART_SINCE, value, value - 60), 60, 0);
    CHECK(isnan(date_part_of(PART_SINCE, value, NAN)));
    CHECK(isnan(date_part_of(PART_HOUR, NAN, NAN)));
    CHECK_NEAR(date_part_of(PART_WEEKDAY, -86400, NAN), 2, 0); /* 1969-12-31, a Wednesday */
    char text[DATE_TEXT];
    date_text(text, value, DATE_YMD);
    CHECK_TEXT(text, "2024-12-31 18:30:00");
    date_text(text, -1, DATE_YMD);
    CHECK_TEXT(text, "1969-12-31 23:59:59");
}

TEST(the_form_is_chosen_by_all_cells_of_a_column)
{
    form_choice found = CHOOSE('.', "1,250", "980", "12,000.5");
    CHECK(found.form.kind == FORM_NUMBER && found.form.group == ',' && found.form.decimal == '.');
    found = CHOOSE('.', "1.250,5", "980", "12.000");
    CHECK(found.form.kind == FORM_NUMBER && found.form.group == '.' && found.form.decimal == ',');
    found = CHOOSE('.', "1.250", "0.5", "3.75");
    CHECK(found.form.kind == FORM_PLAIN && !found.doubtful);
    found = CHOOSE('.', "1.250", "2.500", "3.750");
    CHECK(found.form.kind == FORM_PLAIN && found.doubtful);
    found = CHOOSE('.', "1.250", "2.500", "3.750", "980", "15.000");
    CHECK(found.form.kind == FORM_NUMBER && found.form.group == '.' && found.thousands);
    found = CHOOSE('.', "1.250", "2.500", "3.750", "980", "1500");
    CHECK(found.form.kind == FORM_PLAIN);
    found = CHOOSE('.', "yes", "No", "yes", "NA");
    CHECK(found.form.kind == FORM_BOOLEAN);
    found = CHOOSE('.', "yes", "no", "perhaps");
    CHECK(found.form.kind == FORM_PLAIN);
    found = CHOOSE('.', "3 kg", "5 g", "7 kg", "2 g");
    CHECK(found.form.kind == FORM_PLAIN && found.mixed);
    found = CHOOSE('.', "01234", "90210", "10115");
    CHECK(found.code);
    found = CHOOSE('.', "red", "green", "blue");
    CHECK(found.form.kind == FORM_PLAIN && !found.code);
    found = CHOOSE('.', "10.0.0.1", "192.168.1.20", "10.0.0.2");
    CHECK(found.form.kind == FORM_PLAIN);
}

TEST(ranges_are_their_middle_and_open_ones_their_bound)
{
    cell_form form = {.kind = FORM_RANGE, .decimal = '.', .group = ',', .unit = "years"};
    CHECK_NEAR(read_as(form, "3 to 4"), 3.5, 0);
    CHECK_NEAR(read_as(form, "5-7 years"), 6, 0);
    CHECK_NEAR(read_as(form, "5 \xe2\x80\x93 7"), 6, 0);
    CHECK_NEAR(read_as(form, "20,000 to 29,000"), 24500, 0);
    CHECK_NEAR(read_as(form, "More than 30"), 30, 0);
    CHECK_NEAR(read_as(form, "less than 5 years"), 5, 0);
    CHECK_NEAR(read_as(form, "<5"), 5, 0);
    CHECK_NEAR(read_as(form, "65+"), 65, 0);
    CHECK_NEAR(read_as(form, "65 or more"), 65, 0);
    CHECK_NEAR(read_as(form, "1 year"), 1, 0);
    CHECK_NEAR(read_as(form, "12"), 12, 0);
    CHECK_NEAR(read_as(form, "1e-5"), 1e-5, 0);
    const char *const wrong[] = {"4 to 3",   "3 to",      "to 4",        "3 to 4 months", "2020-01-31",
                                 "555-0123", "more than", "10:00-11:00", "a-b",           "<",
                                 "+",        "-",         "1-2-3",       "1,5e-7"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(isnan(read_as(form, wrong[i])));
    cell_form percent = {.kind = FORM_RANGE, .decimal = '.', .unit = "%"};
    CHECK_NEAR(read_as(percent, "10-20%"), 0.15, 1e-15);
}

TEST(a_column_of_ranges_is_ordered)
{
    form_choice found = CHOOSE('.', "1 vehicle", "2 vehicles", "3 to 4", "5 to 8", "more than 8");
    CHECK(found.form.kind == FORM_RANGE && form_same_unit(view(found.form.unit), view("vehicle")));
    found = CHOOSE('.', "less than 20000", "20000 to 29000", "30000 to 39000", "more than 69000");
    CHECK(found.form.kind == FORM_RANGE && found.form.decimal == '.' && !found.form.unit[0]);
    found = CHOOSE('.', "0-1,5", "1,5-3", "3-4,5", "4,5+");
    CHECK(found.form.kind == FORM_RANGE && found.form.decimal == ',');
    CHECK(CHOOSE('.', "3 to 4", "5 to 8").form.kind == FORM_PLAIN); /* two different ones */
    CHECK(CHOOSE('.', "3 to 4", "5 to 8", "red", "blue", "more than 8").form.kind == FORM_PLAIN);
    CHECK(CHOOSE('.', "3-4 years", "5-8 months", "1-2 years", "2-3 months").form.kind == FORM_PLAIN);
    CHECK(CHOOSE('.', "2020-01-31", "2020-02-01", "2020-02-02").form.kind == FORM_DATE);
    form_count codes = {0};
    for (int i = 0; i < 200; i++) {
        char text[20];
        snprintf(text, sizeof text, "%d-%d", 100 + i, 2000 + i);
        form_count_cell(&codes, view(text), '.');
    }
    form_hints hints = {.name = "part", .decimal = '.'};
    CHECK(form_choose(&codes, &hints).form.kind == FORM_PLAIN); /* more than RANGES_MAX: codes */
}

TEST(day_and_month_are_distinguished_by_the_whole_column)
{
    CHECK_INT(CHOOSE('.', "01/02/2024", "13/02/2024").form.order, DATE_DMY);
    CHECK_INT(CHOOSE('.', "01/02/2024", "02/13/2024").form.order, DATE_MDY);
    form_choice found = CHOOSE('.', "01/02/2024", "02/03/2024");
    CHECK(found.form.kind == FORM_DATE && found.form.order == DATE_MDY && found.doubtful);
    found = CHOOSE(',', "01/02/2024", "02/03/2024");
    CHECK(found.form.order == DATE_DMY && found.doubtful);
    found = CHOOSE('.', "01.02.2024", "02.03.2024");
    CHECK(found.form.order == DATE_DMY && !found.doubtful);
}

TEST(numbers_are_time_stamps_only_in_a_column_of_such_a_name)
{
    const char *const stamps[] = {"1700000000", "1700003600", "1700007200", NULL};
    CHECK(choose("created_at", '.', stamps).form.kind == FORM_DATE);
    CHECK(choose("amount", '.', stamps).form.kind == FORM_PLAIN);
    const char *const small[] = {"17", "18", "19", NULL};
    CHECK(choose("time", '.', small).form.kind == FORM_PLAIN);
    const char *const days[] = {"20240131", "20240201", "20240202", NULL};
    CHECK_INT(choose("date", '.', days).form.order, DATE_COMPACT);
}
