/* Sorts arrays of numbers: radix sort of long ones. */
#include "base/sort.h"

#include <stdint.h>
#include <string.h>

enum { RADIX_COUNT_MIN = 512, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 3 };

/* Integers in the order of the numbers; -0 equals 0. */
static uint32_t order_key(float value)
{
    const uint32_t sign = 0x80000000u;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits == sign) bits = 0;
    return bits & sign ? ~bits : bits | sign;
}

static uint32_t digit(float value, int pass)
{
    return order_key(value) >> (pass * DIGIT_BITS) & (DIGITS - 1);
}

void sort_floats(float *values, size_t count)
{
    float *other = count < RADIX_COUNT_MIN ? NULL : malloc(count * sizeof *other), *from = values,
          *to = other;
    if (!other) {
        if (count) qsort(values, count, sizeof *values, sort_compare_floats);
        return;
    }
    for (int pass = 0; pass < PASSES;
         pass++) { /* the least significant digit first: equal numbers keep their order */
        size_t place[DIGITS] = {0}, before = 0;
        for (size_t i = 0; i < count; i++) place[digit(from[i], pass)]++;
        for (size_t d = 0; d < DIGITS; d++) {
            size_t here = place[d];
            place[d] = before;
            before += here;
        }
        for (size_t i = 0; i < count; i++) to[place[digit(from[i], pass)]++] = from[i];
        float *filled = to;
        to = from;
        from = filled;
    }
    memcpy(values, from, count * sizeof *values); /* an odd number of passes ends in `other` */
    free(other);
}

void sort_floats_falling(float *values, size_t count)
{
    sort_floats(values, count);
    for (size_t i = 0; i < count / 2; i++) {
        float held = values[i];
        values[i] = values[count - 1 - i];
        values[count - 1 - i] = held;
    }
}
