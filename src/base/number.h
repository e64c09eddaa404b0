/* Decimal numbers in text, read exactly: the nearest double, like strtod, but several times faster and
 * independent of the locale. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { NUMBER_PADDING = 16 }; /* bytes that number_scan may read past the end of a number */

/* Reads the number that begins at `text` (sign, digits with at most one `decimal`, exponent). Returns the
 * byte after it, or NULL if none begins there. The next byte must not be a digit, and NUMBER_PADDING more
 * bytes must be readable. A number too large for a double becomes an infinity. */
const char *number_scan(double *out, const char *text, char decimal);

/* log(n!). lgamma writes a global variable, so threads must not call it. */
static inline double log_factorial(double n)
{
    int sign;
    return lgamma_r(n + 1, &sign);
}

/* Replaces an infinity by the largest finite double of that sign; the column's bounds then clip it. */
static inline double number_bounded(double value)
{
    return isinf(value) ? copysign(1e300, value) : value;
}

/* The shortest text that reads back as the same number; integers up to 1e15 without an exponent. */
enum { NUMBER_TEXT = 40 };
void number_text(char out[NUMBER_TEXT], double value);
double number_of_float(float value); /* the double with the shortest decimal form that rounds to this float */

/* A cell that holds one number and nothing else but blanks; "inf" and "-infinity" are numbers. */
bool number_parse(double *out, const char *text, size_t length, char decimal);

/* A cell without a value: empty, or one of the usual words ("NA", "null", "?" ...). */
bool cell_is_missing(const char *text, size_t length);
bool cell_is_none(const char *text, size_t length); /* one of these: "none", which may be a value */
const char *cell_missing_word(size_t index);        /* these words in lower case; NULL past the last */

#endif
