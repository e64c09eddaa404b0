/* How numbers of a table become what a network takes (table/encoding/transform.h has the whole way): the
 * arithmetic that every kernel must repeat to the bit. */
#ifndef KERNELS_ENCODING_H
#define KERNELS_ENCODING_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define HELD_MOST 1e30
#define ENCODED_MOST 1e6 /* no encoded number is further from 0, so that every score is finite */

/* The constants of a column; see transform_column. */
typedef struct number_encoding {
    double pivot, factor, mean, sd, scale;
    double low, high;     /* of the held number; infinite without bounds */
    double shift, spread; /* of the second step; spread 0 for none */
} number_encoding;

/* Denormal numbers count as 0: workers read them so, other threads do not, and a row must be encoded alike in
 * both. */
static inline double flushed(double value, double least)
{
    return fabs(value) < least ? 0 : value;
}

/* Two steps, each of which is one instruction. NaN stays. */
static inline double limited(double value, double most)
{
    value = value < -most ? -most : value;
    return value > most ? most : value;
}

/* Half of the way of a number x to its encoding: (x - pivot) * factor as a float. NaN stays. */
static inline float transform_hold(double value, double pivot, double factor)
{
    double away = flushed(flushed(value, DBL_MIN) - flushed(pivot, DBL_MIN), DBL_MIN);
    double held = flushed(away * factor, FLT_MIN);
    return (float)limited(held, HELD_MOST); /* so that nothing becomes infinite further on */
}
/* The other half, once or twice. */
static inline float transform_scaled(double value, double mean, double sd, double scale)
{
    double scaled = flushed((value - mean) / sd * scale, FLT_MIN);
    return (float)limited(scaled, ENCODED_MOST);
}

#endif
