/* Sorts arrays of numbers. NaN has no place in an order: leave it out before. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdlib.h>

static inline int sort_compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static inline int sort_compare_floats(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

static inline void sort_doubles(double *values, size_t count)
{
    if (count) qsort(values, count, sizeof *values, sort_compare_doubles);
}

void sort_floats(float *values, size_t count);
void sort_floats_falling(float *values, size_t count); /* the largest first */

#endif
