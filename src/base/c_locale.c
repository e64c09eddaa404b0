/* One locale object, created on first use and kept. */
#include "base/c_locale.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t c_locale;
static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Sets the calling thread's locale to C; returns the previous one, for uselocale. */
static locale_t c_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    return uselocale(c_locale);
}

double c_strtod(const char *text, char **end)
{
    locale_t before = c_begin();
    double value = strtod(text, end);
    uselocale(before);
    return value;
}

int c_print_list(char *out, size_t capacity, const char *format, va_list arguments)
{
    locale_t before = c_begin();
    int length = vsnprintf(out, capacity, format, arguments);
    uselocale(before);
    return length;
}

int c_print(char *out, size_t capacity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = c_print_list(out, capacity, format, arguments);
    va_end(arguments);
    return length;
}

int c_allocate_list(char **out, const char *format, va_list arguments)
{
    locale_t before = c_begin();
    int length = vasprintf(out, format, arguments);
    uselocale(before);
    return length;
}
