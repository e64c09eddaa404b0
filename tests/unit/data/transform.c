/* Numbers of a column encoded side by side have the bits of those encoded one by one. */
#include "test.h"

#include "data/transform.h"

enum { COUNT = 300, STRIDE = 3 };

static void check_column(const transform_column *column)
{
    static const double odd[] = {NAN, 0,     -0.0, 1e300, -1e300, 5e-324, 1e-310, 1e-40, -1e-45, 1e30,
                                 2e6, -1e12, 1e12, 3,     -3,     7.25,   0.1,    1e-7,  1e17,   -4e25};
    static double values[COUNT];
    static float one[COUNT * STRIDE], many[COUNT * STRIDE];
    for (size_t i = 0; i < COUNT; i++)
        values[i] = i % 3 ? sin((double)i) * 50 + 10 : odd[i / 3 % (sizeof odd / sizeof *odd)];
    memset(one, 1, sizeof one);
    memcpy(many, one, sizeof one);
    for (size_t i = 0; i < COUNT; i++) transform_number(one + i * STRIDE, column, values[i]);
    transform_numbers(many, STRIDE, column, values, COUNT);
    for (size_t i = 0; i < COUNT * STRIDE; i++)
        if (memcmp(one + i, many + i, sizeof *one) != 0)
            TEST_FAIL("value %g: %a one by one, %a side by side", values[i / STRIDE], (double)one[i],
                      (double)many[i]);
}

TEST(numbers_side_by_side_have_the_same_bits)
{
    transform_column column = {.type = COLUMN_NUMBER, .factor = 1, .sd = 1, .scale = 1};
    check_column(&column);
    column = (transform_column){
        .type = COLUMN_NUMBER, .pivot = 9.5, .factor = 0.37, .mean = 0.2, .sd = 3.1, .scale = 0.25};
    check_column(&column);
    column.first = 1;
    column.indicator = true;
    check_column(&column);
    column.bounded = true;
    column.low = -8.125;
    column.high = 11.3;
    check_column(&column);
    column.shift = 0.01;
    column.spread = 1.7;
    check_column(&column);
    column.sd = 1e-12; /* everything is far away */
    column.bounded = false;
    check_column(&column);
}
