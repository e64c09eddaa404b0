/* Numbers encoded by column have the bits of those encoded one by one. */
#include "test.h"

#include "base/rng.h"
#include "table/encoding/encode_columns.h"

enum { COUNT = 300, STRIDE = 3 };

static void check_values(const transform_column *column, const double *values, size_t count)
{
    static float one[COUNT * STRIDE], many[COUNT * STRIDE];
    bool within_one = true, within_many = true;
    memset(one, 1, sizeof one);
    memcpy(many, one, sizeof one);
    for (size_t i = 0; i < count; i++) within_one &= transform_number(one + i * STRIDE, column, values[i]);
    for (size_t first = 0; first < count; first += ROWS_TOGETHER) {
        size_t some = count - first < ROWS_TOGETHER ? count - first : ROWS_TOGETHER;
        side_by_side block;
        side_by_side_begin(&block, many + first * STRIDE, STRIDE, some);
        within_many &= side_by_side_add(&block, column, values + first);
        side_by_side_end(&block);
    }
    for (size_t i = 0; i < count * STRIDE; i++)
        if (memcmp(one + i, many + i, sizeof *one) != 0)
            TEST_FAIL("value %.17g: %a one by one, %a side by side", values[i / STRIDE], (double)one[i],
                      (double)many[i]);
    CHECK(within_one == within_many);
}

static void check_column(const transform_column *column)
{
    static const double odd[] = {NAN, 0,     -0.0, 1e300, -1e300, 5e-324, 1e-310, 1e-40, -1e-45, 1e30,
                                 2e6, -1e12, 1e12, 3,     -3,     7.25,   0.1,    1e-7,  1e17,   -4e25};
    static double values[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        values[i] = i % 3 ? sin((double)i) * 50 + 10 : odd[i / 3 % (sizeof odd / sizeof *odd)];
    check_values(column, values, COUNT);
}

TEST(numbers_side_by_side_have_the_same_bits)
{
    transform_column column = {
        .type = COLUMN_NUMBER, .factor = 1, .sd = 1, .scale = 1, .low = -INFINITY, .high = INFINITY};
    check_column(&column);
    column = (transform_column){.type = COLUMN_NUMBER,
                                .pivot = 9.5,
                                .factor = 0.37,
                                .mean = 0.2,
                                .sd = 3.1,
                                .scale = 0.25,
                                .low = -INFINITY,
                                .high = INFINITY};
    check_column(&column);
    column.first = 1;
    column.indicator = true;
    check_column(&column);
    column.low = -8.125;
    column.high = 11.3;
    check_column(&column);
    column.shift = 0.01;
    column.spread = 1.7;
    check_column(&column);
    column.sd = 1e-12; /* everything is far away */
    column.low = -INFINITY;
    column.high = INFINITY;
    check_column(&column);
}

/* Constants of every size with arbitrary digits, since the quotient must be rounded like a division. */
TEST(random_columns_side_by_side_have_the_same_bits)
{
    rng draws = rng_make(5, 0);
    for (int round = 0; round < 3000; round++) {
        double values[40], size = pow(10, 8 * rng_uniform(&draws) - 4), extreme = round % 10 ? 8 : 600;
#define ANY(power) (pow(10, (power) * (rng_uniform(&draws) - 0.5)))
        transform_column column = {.type = COLUMN_NUMBER,
                                   .pivot = round % 3 ? (rng_uniform(&draws) - 0.5) * size : 0,
                                   .factor = ANY(extreme),
                                   .mean = rng_uniform(&draws) - 0.5,
                                   .sd = ANY(extreme),
                                   .scale = round % 2 ? 1 : ANY(8),
                                   .shift = rng_uniform(&draws) - 0.5,
                                   .spread = round % 4 ? 0 : ANY(4),
                                   .low = round % 5 ? -INFINITY : -ANY(6),
                                   .high = round % 5 ? INFINITY : ANY(6),
                                   .indicator = round % 7 == 0};
        if (round % 50 == 0) column.low = (double)(float)-HELD_MAX, column.high = (double)(float)HELD_MAX;
#undef ANY
        for (size_t i = 0; i < 40; i++) values[i] = column.pivot + (rng_uniform(&draws) - 0.5) * size;
        check_values(&column, values, 40);
    }
}

TEST(columns_side_by_side_become_rows)
{
    enum { COLUMNS = 45, ROWS = ROWS_TOGETHER };
    static float one[ROWS * COLUMNS], many[ROWS * COLUMNS];
    double values[ROWS];
    for (size_t count = 1; count <= ROWS; count += count < 9 ? 1 : 17) {
        side_by_side block;
        memset(one, 0, sizeof one);
        memset(many, 0, sizeof many);
        side_by_side_begin(&block, many, COLUMNS, count);
        for (size_t c = 0; c < COLUMNS; c++) {
            bool indicator = c % 6 == 4;
            transform_column column = {.type = COLUMN_NUMBER,
                                       .first = c,
                                       .indicator = indicator,
                                       .factor = 1,
                                       .sd = 1 + (double)c,
                                       .low = -INFINITY,
                                       .high = INFINITY,
                                       .scale = 1};
            if (c == 20) continue; /* a column of another kind */
            for (size_t r = 0; r < count; r++) {
                values[r] = indicator && r % 3 == 0 ? NAN : (double)(r * 100 + c);
                transform_number(one + r * COLUMNS, &column, values[r]);
            }
            side_by_side_add(&block, &column, values);
            c += indicator;
        }
        side_by_side_end(&block);
        for (size_t i = 0; i < count * COLUMNS; i++)
            if (one[i] != many[i])
                TEST_FAIL("%zu rows, row %zu, column %zu: %g, not %g", count, i / COLUMNS, i % COLUMNS,
                          (double)many[i], (double)one[i]);
    }
}
