/* Two-sample tests. */
#include "checks/hypothesis_tests.h"

#include <math.h>

double distance_chance(double distance, double first, double second)
{
    double rows = first * second / (first + second), sum = 0;
    double x = (sqrt(rows) + 0.12 + 0.11 / sqrt(rows)) * distance;
    if (x < 0.3) return 1;
    for (int k = 1; k <= 50; k++) sum += (k % 2 ? 2 : -2) * exp(-2 * k * k * x * x);
    return fmin(1, fmax(0, sum));
}

double share_chance(double before, double rows_before, double now, double rows_now)
{
    double pooled = (before * rows_before + now * rows_now) / (rows_before + rows_now);
    double size = fabs(now - before) - 0.5 / rows_before - 0.5 / rows_now;
    double error = sqrt(pooled * (1 - pooled) * (1 / rows_before + 1 / rows_now));
    return size > 0 && error > 0 ? erfc(size / error / sqrt(2)) : 1;
}
