/* Decimal numbers in text, read exactly: the nearest double, as strtod would give, but several times faster
 * and without a look at the locale. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { NUMBER_PADDING = 16 }; /* bytes that number_scan may look at beyond the end of a number */

/* Reads the number that begins at `text` (sign, digits with at most one `decimal`, exponent). Returns the
 * byte behind it, or NULL when none begins there. What follows must not be a digit, and NUMBER_PADDING more
 * bytes must be there. A number too large for a double comes out as an infinity. */
const char *number_scan(double *out, const char *text, char decimal);

/* An infinity as the extreme value that it is: columns have bounds, and it counts as the nearest of them. */
static inline double number_bounded(double value)
{
    return isinf(value) ? copysign(1e300, value) : value;
}

/* The shortest text that reads back as the same number; integers up to 1e15 without an exponent. */
enum { NUMBER_TEXT = 40 };
void number_text(char out[NUMBER_TEXT], double value);
double number_of_float(float value); /* what the shortest text that reads back as this float says */

/* A cell that is one number and nothing else but blanks around it; "inf" and "-infinity" are numbers. */
bool number_parse(double *out, const char *text, size_t length, char decimal);

/* A cell that stands for no value: empty, or one of the usual words ("NA", "null", "?" ...). */
bool cell_is_missing(const char *text, size_t length);
const char *cell_missing_word(size_t index); /* these words, in small letters; NULL behind the last */

#endif
