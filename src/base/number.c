/* The exact decimal parser. Up to 19 digits go through one 64 x 128 bit product (Eisel and Lemire's
 * method; for powers of ten between 1e-27 and 1e55 it is proven to be exact); other numbers go to strtod. */
#include "base/number.h"

#include "base/c_locale.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { POWER_MIN = -27, POWER_MAX = 55, DIGITS_MAX = 19, NUMBER_LONGEST = 1024 };

static const struct {
    uint64_t high, low;
} powers_of_five[] = {
#define POWER_OF_FIVE(exponent, high, low) {high, low},
#include "base/powers_of_five.def"
#undef POWER_OF_FIVE
};

/* mantissa * 10^exponent, correctly rounded; mantissa > 0, exponent within the table. */
static double scale_exactly(uint64_t mantissa, int exponent)
{
    int leading = __builtin_clzll(mantissa);
    uint64_t word = mantissa << leading;
    uint64_t high_power = powers_of_five[exponent - POWER_MIN].high;
    unsigned __int128 product = (unsigned __int128)word * high_power;
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if ((high & 0x1ff) == 0x1ff) { /* a carry from the bits below could change the rounding */
        uint64_t low_power = powers_of_five[exponent - POWER_MIN].low;
        uint64_t more = (uint64_t)(((unsigned __int128)word * low_power) >> 64);
        low += more;
        high += low < more;
    }
    int top = (int)(high >> 63), shift = top + 64 - 52 - 3;
    uint64_t digits = high >> shift;
    /* floor(log2(10^e)) + 1 = floor(e * 217706 / 65536) + 1 within the table */
    int power = ((217706 * exponent) >> 16) + 63 + top - leading + 1023;
    bool halfway =
        low <= 1 && exponent >= -4 && exponent <= 23 && (digits & 3) == 1 && digits << shift == high;
    if (halfway) digits &= ~(uint64_t)1; /* exactly between two doubles: round to even */
    digits += digits & 1;
    digits >>= 1;
    if (digits >> 53) {
        digits = (uint64_t)1 << 52;
        power++;
    }
    uint64_t bits = (digits & ~((uint64_t)1 << 52)) | (uint64_t)power << 52;
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* The rare case: more digits than a word holds, or an exponent outside the table. */
static double read_slowly(const char *text, size_t length, char decimal)
{
    char copy[NUMBER_LONGEST + 1];
    memcpy(copy, text, length);
    copy[length] = 0;
    char *point = memchr(copy, decimal, length);
    if (point) *point = '.';
    return c_strtod(copy, NULL);
}

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static inline bool are_eight_digits(uint64_t eight)
{
    return !(((eight + 0x4646464646464646u) | (eight - 0x3030303030303030u)) & 0x8080808080808080u);
}

/* The value of eight digits, the first one in the lowest byte, in three steps that combine pairs. */
static inline uint64_t eight_digits(uint64_t eight)
{
    eight -= 0x3030303030303030u;
    eight = eight * 10 + (eight >> 8);
    return (((eight & 0x000000ff000000ffu) * 0x000f424000000064u) +
            (((eight >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >>
           32;
}

static inline const char *scan_digits(const char *text, uint64_t *mantissa)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t eight;
    while (memcpy(&eight, text, 8), are_eight_digits(eight)) {
        *mantissa = *mantissa * 100000000u + eight_digits(eight); /* may wrap; the digit count detects it */
        text += 8;
    }
#endif
    while (is_digit(*text)) *mantissa = *mantissa * 10 + (uint64_t)(*text++ - '0');
    return text;
}

/* Reads the exponent after 'e'; NULL if there are no digits. */
static const char *scan_exponent(const char *text, long *exponent)
{
    bool negative = *text == '-';
    text += *text == '-' || *text == '+';
    if (!is_digit(*text)) return NULL;
    long value = 0;
    for (; is_digit(*text); text++)
        if (value < 100000) value = value * 10 + (*text - '0');
    *exponent += negative ? -value : value;
    return text;
}

const char *number_scan(double *out, const char *text, char decimal)
{
    bool negative = *text == '-';
    const char *p = text + (*text == '-' || *text == '+'), *first = p;
    uint64_t mantissa = 0;
    long exponent = 0;
    p = scan_digits(p, &mantissa);
    long digits = p - first;
    if (*p == decimal) {
        const char *fraction = ++p;
        p = scan_digits(p, &mantissa);
        exponent = fraction - p;
        digits -= exponent;
    }
    if (digits == 0) return NULL;
    if ((*p | 0x20) == 'e') {
        p = scan_exponent(p + 1, &exponent);
        if (!p) return NULL;
    }
    if (digits > DIGITS_MAX) { /* leading zeros do not count */
        for (const char *zero = first; *zero == '0' || *zero == decimal; zero++) digits -= *zero == '0';
    }
    double value;
    if (digits > DIGITS_MAX || exponent < POWER_MIN || exponent > POWER_MAX) {
        if (p - first > NUMBER_LONGEST) return NULL;
        value = read_slowly(first, (size_t)(p - first), decimal);
    } else if (mantissa == 0 || exponent == 0) {
        value = (double)mantissa;
    } else {
        value = scale_exactly(mantissa, (int)exponent);
    }
    *out = negative ? -value : value;
    return p;
}

static void trim(const char **text, size_t *length)
{
    while (*length && (**text == ' ' || **text == '\t')) ++*text, --*length;
    while (*length && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) --*length;
}

bool number_parse(double *out, const char *text, size_t length, char decimal)
{
    trim(&text, &length);
    if (length == 0 || length > NUMBER_LONGEST) return false;
    char copy[NUMBER_LONGEST + NUMBER_PADDING];
    memcpy(copy, text, length);
    memset(copy + length, 0, NUMBER_PADDING);
    if (number_scan(out, copy, decimal) == copy + length) return true;
    const char *digits = copy + (*copy == '-' || *copy == '+');
    if (strcasecmp(digits, "inf") != 0 && strcasecmp(digits, "infinity") != 0) return false;
    *out = *copy == '-' ? -INFINITY : INFINITY;
    return true;
}

void number_text(char out[NUMBER_TEXT], double value)
{
    if (fabs(value) < 1e15 && value == trunc(value)) {
        c_print(out, NUMBER_TEXT, "%.0f", value + 0.0); /* no -0 */
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        c_print(out, NUMBER_TEXT, "%.*g", digits, value);
        if (!isfinite(value) || c_strtod(out, NULL) == value) return;
    }
}

double number_of_float(float value)
{
    char text[NUMBER_TEXT];
    double number = (double)value;
    for (int digits = 1; digits <= 9; digits++) {
        c_print(text, sizeof text, "%.*g", digits, (double)value);
        number = c_strtod(text, NULL);
        if ((float)number == value) break;
    }
    return number;
}

static const char *const missing_words[] = {"na",  "n/a", "#n/a", "#na", "nan", "-nan", "null", "none",
                                            "nil", "\\n", "?",    "-",   ".",   "nat",  "<na>", "missing"};
enum { MISSING_WORDS = sizeof missing_words / sizeof *missing_words };

const char *cell_missing_word(size_t index)
{
    return index < MISSING_WORDS ? missing_words[index] : NULL;
}

bool cell_is_none(const char *text, size_t length)
{
    trim(&text, &length);
    return length == 4 && strncasecmp(text, "none", 4) == 0;
}

bool cell_is_missing(const char *text, size_t length)
{
    trim(&text, &length);
    if (length == 0) return true;
    if (length > 9) return false;
    for (size_t i = 0; i < MISSING_WORDS; i++)
        if (strlen(missing_words[i]) == length && strncasecmp(missing_words[i], text, length) == 0)
            return true;
    return false;
}
