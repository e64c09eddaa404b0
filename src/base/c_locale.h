/* Reading and printing numbers with a decimal point, whatever the locale of the host program. */
#ifndef BASE_C_LOCALE_H
#define BASE_C_LOCALE_H

#include <stdarg.h>
#include <stddef.h>

/* strtod, snprintf, vsnprintf and vasprintf of the C locale. */
double c_strtod(const char *text, char **end);
int c_print(char *out, size_t capacity, const char *format, ...) __attribute__((format(printf, 3, 4)));
int c_print_list(char *out, size_t capacity, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
int c_allocate_list(char **out, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

#endif
