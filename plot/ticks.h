/* The marks of an axis and their labels. */
#ifndef PLOT_TICKS_H
#define PLOT_TICKS_H

#include <stdbool.h>
#include <stddef.h>

enum { TICKS_MAX = 32 };

typedef struct tick {
    double value;
    char label[24]; /* empty for a mark without label */
} tick;

typedef struct tick_list {
    size_t count;
    tick ticks[TICKS_MAX];
} tick_list;

/* About `about` marks at 1, 2 or 5 times a power of ten within [min, max]. */
tick_list ticks_linear(double min, double max, int about);

/* Marks at powers of ten, and at 2 and 5 times them if there are few. min and max are positive. */
tick_list ticks_log(double min, double max, int about);

/* Maps values of an axis to pixels. */
typedef struct scale {
    bool log, whole;
    double min, max;  /* on the axis */
    double start, to; /* pixels of min and max */
} scale;

double scale_pixel(const scale *axis, double value);
tick_list scale_ticks(const scale *axis, int about);

#endif
