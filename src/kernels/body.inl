/* All kernels of one instruction set. The including file defines ISA (its name), LANES (floats per vector)
 * and TILE (rows of the product held in registers), and gets a table `kernels_ISA`. Everything else is
 * static, so that no function built for a newer machine is linked into code that runs on an older one. */
#include "kernels/kernels.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define PRAGMA(text) _Pragma(#text)
#define UNROLL(n) PRAGMA(GCC unroll n)
#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define NAME(kernel) PASTE(kernel, ISA)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

typedef float vector __attribute__((vector_size(LANES * 4)));
typedef float loose_vector __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef int32_t integers __attribute__((vector_size(LANES * 4)));

INLINE vector load(const float *source)
{
    return *(const loose_vector *)source;
}
INLINE void store(float *to, vector value)
{
    *(loose_vector *)to = value;
}

/* lanes from `offset` of an array of `count` floats; lanes past the end read as 0 and are not written */
INLINE vector load_some(const float *source, size_t count, size_t offset)
{
    vector value = {0};
    if (offset + LANES <= count) return load(source + offset);
    if (offset < count) memcpy(&value, source + offset, (count - offset) * sizeof(float));
    return value;
}

INLINE void store_some(float *to, vector value, size_t count, size_t offset)
{
    if (offset + LANES <= count)
        store(to + offset, value);
    else if (offset < count)
        memcpy(to + offset, &value, (count - offset) * sizeof(float));
}

/* Stores the first `count` lanes, fewer than all, in pieces of 4, 2 and 1. */
INLINE void store_first(float *to, vector value, size_t count)
{
    float buffer[LANES];
    store(buffer, value);
    size_t at = 0;
    UNROLL(4)
    for (size_t piece = LANES / 2; piece; piece /= 2)
        if (count & piece) {
            memcpy(to + at, buffer + at, piece * sizeof *to);
            at += piece;
        }
}

INLINE vector load_up_to(const float *source, size_t left)
{
    return load_some(source, left, 0);
}
INLINE void store_up_to(float *to, vector value, size_t left)
{
    store_some(to, value, left, 0);
}

INLINE vector pick(integers mask, vector yes, vector no)
{
    return (vector)((mask & (integers)yes) | (~mask & (integers)no));
}

#include "kernels/batchnorm.inl"
#include "kernels/depthwise.inl"
#include "kernels/encode.inl"
#include "kernels/multiply.inl"
#include "kernels/pointwise.inl"
#include "kernels/trees.inl"
#include "kernels/winograd.inl"

extern const kernels PASTE(kernels, ISA);
const kernels PASTE(kernels, ISA) = {
    .name = TEXT(ISA),
    .panel = 2 * LANES,
    .tile = TILE,
#define KERNEL(name, arguments) .name = NAME(name),
#include "kernels/kernels.def"
#undef KERNEL
    .fused_rate = NAME(fused_rate),
};
