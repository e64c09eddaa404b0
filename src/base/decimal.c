/* Prints doubles with few digits by one multiplication instead of printf. */
#include "base/decimal.h"
#include "base/c_locale.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SMALLEST 1e-4     /* smaller values need an exponent */
#define TOO_CLOSE_TO 1e-6 /* how close to a half the rounded product may be; its error is at most 1e-7 */

static const double power_of_ten[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

/* The digits of `value`; the first one has weight 10^*exponent. Returns 0 if the fast path does not apply. */
static uint64_t leading_digits(int *exponent, double value, int digits)
{
    if (!(value >= SMALLEST && value < power_of_ten[digits])) return 0;
    int first = -4;
    while (first < 0 && value * power_of_ten[-first - 1] >= 1) first++;
    if (first == 0)
        while (first + 1 < digits && value >= power_of_ten[first + 1]) first++;
    double scaled = value * power_of_ten[digits - 1 - first];
    uint64_t found = (uint64_t)scaled;
    double rest = scaled - (double)found;
    if (fabs(rest - 0.5) < TOO_CLOSE_TO) return 0;
    found += rest > 0.5;
    *exponent = first;
    bool expected = (double)found >= power_of_ten[digits - 1] && (double)found < power_of_ten[digits];
    return expected ? found : 0;
}

size_t decimal_text(char out[DECIMAL_TEXT], double value, int digits)
{
    int exponent;
    uint64_t left = leading_digits(&exponent, fabs(value), digits);
    if (!left) return (size_t)c_print(out, DECIMAL_TEXT, "%.*g", digits, value);
    char found[DECIMAL_DIGITS_MAX];
    for (int i = digits; i-- > 0; left /= 10) found[i] = (char)('0' + left % 10);
    int whole = exponent < 0 ? 0 : exponent + 1, count = digits;
    while (count > whole && count > 1 && found[count - 1] == '0') count--;
    char *to = out;
    if (value < 0) *to++ = '-';
    if (exponent < 0) {
        *to++ = '0';
        *to++ = '.';
        for (int i = exponent; i < -1; i++) *to++ = '0';
    }
    for (int i = 0; i < count; i++) {
        if (i == whole && whole) *to++ = '.';
        *to++ = found[i];
    }
    *to = 0;
    return (size_t)(to - out);
}

size_t decimal_whole(char out[DECIMAL_TEXT], size_t value)
{
    char *begin = &out[DECIMAL_TEXT - 1];
    *begin = 0;
    do *--begin = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    size_t length = (size_t)(out + DECIMAL_TEXT - 1 - begin);
    memmove(out, begin, length + 1);
    return length;
}
