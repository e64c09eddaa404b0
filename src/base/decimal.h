/* Prints numbers as printf does with "%.*g", fast enough for files of millions of lines. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stddef.h>

enum { DECIMAL_DIGITS_MAX = 9, DECIMAL_TEXT = 32 };

/* Prints `value` with at most `digits` significant digits, 1 to DECIMAL_DIGITS_MAX; returns the length. */
size_t decimal_text(char out[DECIMAL_TEXT], double value, int digits);

/* Prints an integer; returns the length. */
size_t decimal_whole(char out[DECIMAL_TEXT], size_t value);

#endif
