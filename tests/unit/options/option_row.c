/* The option table: values are checked against their rows. */
#include "options/option_row.h"
#include "test.h"

static const option table[] = {
    {.name = "epochs", .type = OPTION_INTEGER, .standard = "200", .min = 1, .max = 1000, .help = ""},
    {.name = "alpha", .type = OPTION_NUMBER, .standard = "0.1", .min = 0, .max = 1, .help = ""},
    {.name = "weight", .type = OPTION_CHOICE, .standard = "prior", .choices = "prior|equal", .help = ""},
    {.name = "set", .type = OPTION_LIST, .help = ""},
};
enum { COUNT = sizeof table / sizeof *table };

TEST(defaults_come_from_the_table)
{
    option_value values[COUNT];
    CHECK_OK(options_reset(values, table, COUNT));
    CHECK_INT(values[0].integer, 200);
    CHECK_NEAR(values[1].number, 0.1, 0);
    CHECK_TEXT(values[2].text, "prior");
    CHECK(!values[0].given);
    CHECK_INT(options_find(table, COUNT, "weight"), 2);
    CHECK_INT(options_find(table, COUNT, "wait"), COUNT);
}

TEST(fractions_take_a_percent_sign_and_other_numbers_do_not)
{
    static const option fraction = {
        .name = "rate", .type = OPTION_NUMBER, .min = 0, .max = 1, .value = "FRACTION", .help = ""};
    option_value value = {0};
    CHECK_OK(option_set(&value, &fraction, "5%"));
    CHECK_NEAR(value.number, 0.05, 1e-15);
    CHECK_OK(option_set(&value, &fraction, "0.25"));
    CHECK_NEAR(value.number, 0.25, 0);
    CHECK_FAILS(option_set(&value, &fraction, "5%%"), PUAD_INVALID, "'5%%'");
    CHECK_FAILS(option_set(&value, &fraction, "%"), PUAD_INVALID, "'%'");
    CHECK_FAILS(option_set(&value, &fraction, "101%"), PUAD_INVALID, "'rate'");
    CHECK_FAILS(option_set(&value, &table[1], "5%"), PUAD_INVALID, "'5%'");
}

TEST(wrong_values_are_refused_by_name)
{
    option_value value = {0};
    CHECK_FAILS(option_set(&value, &table[0], "0"), PUAD_INVALID, "'epochs'", "1000");
    CHECK_FAILS(option_set(&value, &table[0], "ten"), PUAD_INVALID, "'epochs'", "'ten'");
    CHECK_FAILS(option_set(&value, &table[0], "1.5"), PUAD_INVALID, "'epochs'", "'1.5'");
    CHECK_FAILS(option_set(&value, &table[1], "nan"), PUAD_INVALID, "'alpha'", "'nan'");
    CHECK_FAILS(option_set(&value, &table[1], "1.01"), PUAD_INVALID, "'alpha'", "1.01");
    CHECK_FAILS(option_set(&value, &table[2], "equa"), PUAD_INVALID, "'weight'", "'equa'", "prior", "equal");
}
