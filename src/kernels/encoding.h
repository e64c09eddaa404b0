/* The arithmetic that converts numbers of a table to network inputs (see table/encoding/transform.h),
 * which every kernel must reproduce to the bit. */
#ifndef KERNELS_ENCODING_H
#define KERNELS_ENCODING_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define HELD_MAX 1e30
#define ENCODED_MAX 1e6 /* largest magnitude of an encoded number, so that every score is finite */

/* The constants of a column; see transform_column. */
typedef struct number_encoding {
    double pivot, factor, mean, sd, scale;
    double low, high;     /* bounds of the held number; infinite without bounds */
    double shift, spread; /* second step; spread 0 for none */
} number_encoding;

/* Flushes denormals to 0: workers do so in hardware and other threads do not, but both must encode a row
 * identically. */
static inline double flushed(double value, double min)
{
    return fabs(value) < min ? 0 : value;
}

/* Two comparisons, each one instruction. NaN stays NaN. */
static inline double limited(double value, double max)
{
    value = value < -max ? -max : value;
    return value > max ? max : value;
}

/* The first half of encoding a number x: (x - pivot) * factor as a float. NaN stays NaN. */
static inline float transform_hold(double value, double pivot, double factor)
{
    double away = flushed(flushed(value, DBL_MIN) - flushed(pivot, DBL_MIN), DBL_MIN);
    double held = flushed(away * factor, FLT_MIN);
    return (float)limited(held, HELD_MAX); /* keeps later results finite */
}
/* The second half, applied once or twice. */
static inline float transform_scaled(double value, double mean, double sd, double scale)
{
    double scaled = flushed((value - mean) / sd * scale, FLT_MIN);
    return (float)limited(scaled, ENCODED_MAX);
}

#endif
