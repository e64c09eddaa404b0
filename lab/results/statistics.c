/* Student's t by the incomplete beta function, the paired test, and the marks of a result table. */
#include "lab/results/statistics.h"

#include <float.h>
#include <math.h>

double statistics_mean(const double *values, size_t count)
{
    double sum = 0;
    size_t there = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) sum += values[i], there++;
    return there ? sum / (double)there : NAN;
}

double statistics_deviation(const double *values, size_t count)
{
    double mean = statistics_mean(values, count), sum = 0;
    size_t there = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) sum += (values[i] - mean) * (values[i] - mean), there++;
    return there > 1 ? sqrt(sum / (double)(there - 1)) : NAN;
}

/* 1 / (1 + d1 / (1 + d2 / (1 + ...))), the continued fraction of I_x(a, b) (Abramowitz and Stegun 26.5.8),
 * by Lentz's method. It converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = DBL_MIN / DBL_EPSILON; /* replaces a divisor of 0 */
    double value = 1, numerator = 1, denominator = 0;
    for (int j = 1; j < 20000; j++) {
        int m = j / 2;
        double d = j % 2 ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                         : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        denominator = 1 + d * denominator;
        if (fabs(denominator) < tiny) denominator = tiny;
        denominator = 1 / denominator;
        numerator = 1 + d / numerator;
        if (fabs(numerator) < tiny) numerator = tiny;
        value *= numerator * denominator;
        if (fabs(numerator * denominator - 1) < 2 * DBL_EPSILON) break;
    }
    return 1 / value;
}

static double incomplete_beta(double x, double a, double b)
{
    if (!(x >= 0 && x <= 1) || !(a > 0) || !(b > 0)) return NAN;
    if (x == 0 || x == 1) return x;
    int sign; /* of gamma; positive here. lgamma_r is thread-safe */
    double front =
        exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/* P(|T| < |t|), precise for a t near 0, where the other tail is nearly 1. */
static double student_t_inside(double t, double degrees)
{
    return incomplete_beta(t * t / (degrees + t * t), 0.5, degrees / 2);
}

double student_t_two_sided(double t, double degrees)
{
    if (isnan(t) || !(degrees > 0)) return NAN;
    if (isinf(t)) return 0;
    if (fabs(t) < 1) return 1 - student_t_inside(t, degrees);
    return incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

paired_test statistics_paired(const double *first, const double *second, size_t count)
{
    paired_test test = {0, NAN, NAN, NAN};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(first[i]) && !isnan(second[i])) sum += first[i] - second[i], test.pairs++;
    if (test.pairs == 0) return test;
    test.difference = sum / (double)test.pairs;
    if (test.pairs < 2) return test;
    bool equal = true; /* all differences equal: avoids a variance from rounding */
    double before = NAN;
    for (size_t i = 0; i < count; i++) {
        if (isnan(first[i]) || isnan(second[i])) continue;
        double difference = first[i] - second[i];
        equal = equal && (isnan(before) || difference == before);
        before = difference;
        squares += (difference - test.difference) * (difference - test.difference);
    }
    if (equal) {
        test.t = before == 0 ? 0 : copysign(INFINITY, before);
        test.p = before == 0 ? 1 : 0;
        return test;
    }
    double n = (double)test.pairs;
    test.t = test.difference / sqrt(squares / (n - 1) / n);
    test.p = student_t_two_sided(test.t, n - 1);
    return test;
}

size_t statistics_mark_best(bool *marks, const double *values, size_t methods, size_t pairs, double level)
{
    size_t best = methods;
    double best_mean = NAN;
    for (size_t m = 0; m < methods; m++) {
        double mean = statistics_mean(values + m * pairs, pairs);
        marks[m] = false;
        if (isnan(mean) || mean <= best_mean) continue;
        best = m;
        best_mean = mean;
    }
    if (best == methods) return best;
    for (size_t m = 0; m < methods; m++) {
        if (isnan(statistics_mean(values + m * pairs, pairs))) continue;
        paired_test test = statistics_paired(values + best * pairs, values + m * pairs, pairs);
        marks[m] = m == best || !(test.p < level); /* with too few pairs nothing is significant */
    }
    return best;
}
