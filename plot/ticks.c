/* Chooses ticks, and formats their numbers. */
#include "plot/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char minus[] = "\xE2\x88\x92";

/* Replaces the hyphen by a minus sign. */
static void sign_properly(char *out, size_t capacity, const char *number)
{
    size_t used = 0;
    out[0] = 0;
    for (; *number && used + sizeof minus < capacity; number++) {
        const char *piece = *number == '-' ? minus : (char[]){*number, 0};
        used = (size_t)(stpcpy(out + used, piece) - out);
    }
}

static void label_linear(char *out, size_t capacity, double value, double step, double largest)
{
    char number[64];
    if (fabs(value) < step * 1e-6) value = 0;
    if (largest >= 1e6 || largest < 1e-3) {
        snprintf(number, sizeof number, "%.3g", value);
        char *exponent = strchr(number, 'e');
        if (exponent) { /* 1e+06 is 1e6 */
            char *digits = exponent + 2 + strspn(exponent + 2, "0"),
                 *to = exponent + (exponent[1] == '-' ? 2 : 1);
            memmove(to, digits, strlen(digits) + 1);
        }
    } else {
        bool thousands = largest >= 1e4 && fmod(step, 1000) == 0; /* 20000 is 20k */
        int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
        snprintf(number, sizeof number, thousands && value != 0 ? "%.*fk" : "%.*f", decimals,
                 thousands ? value / 1000 : value);
    }
    sign_properly(out, capacity, number);
}

/* The smallest of 1, 2, 5, 10 times a power of ten that is at least `width`. */
static double nice_step(double width)
{
    double power = pow(10, floor(log10(width))), left = width / power;
    return power * (left <= 1.0001 ? 1 : left <= 2.0001 ? 2 : left <= 5.0001 ? 5 : 10);
}

tick_list ticks_linear(double min, double max, int about)
{
    tick_list list = {0};
    if (!(max > min) || !isfinite(max - min)) return list;
    double step = nice_step((max - min) / (about < 1 ? 1 : about));
    double largest = fmax(fabs(min), fabs(max));
    double first = ceil(min / step - 1e-6);
    for (double i = first; i * step <= max + step * 1e-6 && list.count < TICKS_MAX; i++) {
        tick *next = &list.ticks[list.count++];
        next->value = i * step;
        label_linear(next->label, sizeof next->label, next->value, step, largest);
    }
    return list;
}

static void label_power(char *out, size_t capacity, int power)
{
    static const char *const raised[] = {"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",
                                         "\xE2\x81\xB4", "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7",
                                         "\xE2\x81\xB8", "\xE2\x81\xB9"};
    char digits[16];
    snprintf(digits, sizeof digits, "%d", power);
    size_t used = (size_t)snprintf(out, capacity, "10");
    for (const char *digit = digits; *digit && used < capacity; digit++)
        used += (size_t)snprintf(out + used, capacity - used, "%s",
                                 *digit == '-' ? "\xE2\x81\xBB" : raised[*digit - '0']);
}

static void label_log(char *out, size_t capacity, double value, int power, bool exact, bool short_range)
{
    if (short_range)
        snprintf(out, capacity, "%.*f", power < 0 ? -power : 0, value);
    else if (exact)
        label_power(out, capacity, power);
    else
        out[0] = 0;
}

tick_list ticks_log(double min, double max, int about)
{
    tick_list list = {0};
    if (!(min > 0) || !(max > min) || !isfinite(max)) return list;
    double decades = log10(max) - log10(min);
    if (decades < 0.7) return ticks_linear(min, max, about);
    int first = (int)floor(log10(min) - 1e-9), last = (int)ceil(log10(max) + 1e-9);
    int every = decades > about ? (int)ceil(decades / about) : 1;
    bool between = decades * 3 <= about + 1, short_range = min > 9e-4 && max < 99999;
    for (int power = first; power <= last; power++) {
        if (((power % every) + every) % every) continue;
        for (int i = 0; i < (between ? 3 : 1) && list.count < TICKS_MAX; i++) {
            double value = pow(10, power) * (double[]){1, 2, 5}[i];
            if (value < min * (1 - 1e-9) || value > max * (1 + 1e-9)) continue;
            tick *next = &list.ticks[list.count++];
            next->value = value;
            label_log(next->label, sizeof next->label, value, power, i == 0, short_range);
        }
    }
    return list;
}

double scale_pixel(const scale *axis, double value)
{
    double share = axis->log ? log(value / axis->min) / log(axis->max / axis->min)
                             : (value - axis->min) / (axis->max - axis->min);
    return axis->start + share * (axis->to - axis->start);
}

tick_list scale_ticks(const scale *axis, int about)
{
    if (axis->log) return ticks_log(axis->min, axis->max, about);
    double span = floor(axis->max - axis->min); /* the range has fewer integers than marks */
    return ticks_linear(axis->min, axis->max, axis->whole && about > span ? (int)fmax(1, span) : about);
}
