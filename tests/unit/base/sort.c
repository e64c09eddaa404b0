/* Sorted arrays of numbers. */
#include "base/sort.h"

#include "test.h"

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
