/* Sorted arrays of numbers. */
#include "base/sort.h"
#include "base/rng.h"

#include "test.h"

#include <math.h>
#include <string.h>

TEST(numbers_rise_or_fall)
{
    double doubles[] = {3, -1e300, 2, 2, -0.5};
    const double rising[] = {-1e300, -0.5, 2, 2, 3};
    float floats[] = {3, -4, 0.5f, 3}, falling[] = {3, -4, 0.5f, 3};
    const float floats_rising[] = {-4, 0.5f, 3, 3};
    sort_doubles(doubles, 5);
    for (int i = 0; i < 5; i++) CHECK_NEAR(doubles[i], rising[i], 0);
    sort_floats(floats, 4);
    sort_floats_falling(falling, 4);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(floats[i], floats_rising[i], 0);
        CHECK_NEAR(falling[3 - i], floats_rising[i], 0);
    }
    sort_floats(NULL, 0);
}

static void fill(float *out, size_t count, uint64_t seed)
{
    static const float special[] = {0, -0.0f, INFINITY, -INFINITY, 1, -1, 1e-30f, -1e-30f, 3e38f};
    rng draws = rng_make(seed, 1);
    for (size_t i = 0; i < count; i++)
        out[i] = i % 7 == 0 ? special[i / 7 % (sizeof special / sizeof *special)] : (float)rng_normal(&draws);
}

TEST(floats_are_in_the_order_of_qsort)
{
    static float values[5000], expected[5000];
    for (size_t count = 0; count <= 5000; count = 2 * count + 1) {
        fill(values, count, count);
        memcpy(expected, values, sizeof values);
        qsort(expected, count, sizeof *expected, sort_compare_floats);
        sort_floats(values, count);
        for (size_t i = 0; i < count; i++) CHECK(values[i] == expected[i]);
    }
}

TEST(the_largest_first)
{
    static float values[3000];
    fill(values, 3000, 1);
    sort_floats_falling(values, 3000);
    for (size_t i = 1; i < 3000; i++) CHECK(values[i - 1] >= values[i]);
}
