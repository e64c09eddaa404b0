/* Arrays in memory: element types, element order, and reading them from a stream. */
#include "array/array.h"
#include "base/c_locale.h"

#include "array/array_fill.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [ARRAY_BOOL] = {"bool", 1},   [ARRAY_U8] = {"uint8", 1},    [ARRAY_I8] = {"int8", 1},
    [ARRAY_U16] = {"uint16", 2},  [ARRAY_I16] = {"int16", 2},   [ARRAY_U32] = {"uint32", 4},
    [ARRAY_I32] = {"int32", 4},   [ARRAY_U64] = {"uint64", 8},  [ARRAY_I64] = {"int64", 8},
    [ARRAY_F16] = {"float16", 2}, [ARRAY_F32] = {"float32", 4}, [ARRAY_F64] = {"float64", 8},
    [ARRAY_BYTES] = {"bytes", 1}, [ARRAY_UCS4] = {"str", 4},
};

static size_t array_type_size(array_type type)
{
    return types[type].size;
}

const char *array_type_name(array_type type)
{
    return types[type].name;
}

/* IEEE half precision: 1 sign bit, 5 of exponent, 10 of fraction. */
static float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023, bits;
    if (exponent == 0) { /* zero and subnormals: fraction * 2^-24 is exact in float */
        float value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    bits = sign | (exponent == 31 ? 0xffu : exponent + 112) << 23 | fraction << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Element at its index in memory; `kind` is a constant where this is inlined, so the switch disappears. */
static inline double element(const void *bytes, array_type kind, size_t place)
{
    switch (kind) {
    case ARRAY_BOOL: return ((const uint8_t *)bytes)[place] != 0;
    case ARRAY_U8: return ((const uint8_t *)bytes)[place];
    case ARRAY_I8: return ((const int8_t *)bytes)[place];
    case ARRAY_U16: return ((const uint16_t *)bytes)[place];
    case ARRAY_I16: return ((const int16_t *)bytes)[place];
    case ARRAY_U32: return ((const uint32_t *)bytes)[place];
    case ARRAY_I32: return ((const int32_t *)bytes)[place];
    case ARRAY_U64: return (double)((const uint64_t *)bytes)[place];
    case ARRAY_I64: return (double)((const int64_t *)bytes)[place];
    case ARRAY_F16: return half_to_float(((const uint16_t *)bytes)[place]);
    case ARRAY_F32: return ((const float *)bytes)[place];
    case ARRAY_F64: return ((const double *)bytes)[place];
    case ARRAY_BYTES:
    case ARRAY_UCS4: break;
    }
    return NAN;
}

/* The index in memory of the element with this index in C order. */
static size_t place_of(const array *source, size_t index)
{
    if (!source->fortran) return index;
    size_t subscript[ARRAY_DIMENSIONS_MAX], place = 0;
    for (int d = source->dimensions - 1; d >= 0; d--) {
        subscript[d] = index % source->shape[d];
        index /= source->shape[d];
    }
    for (int d = source->dimensions - 1; d >= 0; d--) place = place * source->shape[d] + subscript[d];
    return place;
}

double array_get(const array *source, size_t index)
{
    return element(source->bytes, source->type, place_of(source, index));
}

static uint32_t letter_of(const array *source, size_t place, size_t at)
{
    at += place * source->letters;
    return source->type == ARRAY_UCS4 ? ((const uint32_t *)source->bytes)[at]
                                      : ((const unsigned char *)source->bytes)[at];
}

/* Bytes that are not UTF-8 are read as Latin-1, as in tables; an embedded zero becomes U+FFFD. */
const char *array_text(char buffer[ARRAY_TEXT_CAPACITY], const array *source, size_t index)
{
    if (!source->letters) {
        c_print(buffer, ARRAY_TEXT_CAPACITY, "%.9g", array_get(source, index));
        return buffer;
    }
    size_t place = place_of(source, index), length = source->letters, used = 0;
    while (length && !letter_of(source, place, length - 1)) length--;
    bool as_it_is = source->type == ARRAY_BYTES &&
                    text_is_utf8((text_view){(const char *)source->bytes + place * source->letters, length});
    for (size_t i = 0; i < length; i++) {
        uint32_t letter = letter_of(source, place, i);
        if (as_it_is && letter)
            buffer[used++] = (char)letter;
        else
            used += utf8_put(buffer + used, letter ? letter : 0xfffd);
    }
    buffer[used] = 0;
    return buffer;
}

void array_free(array *owner)
{
    free(owner->owned);
    *owner = (array){0};
}

static void swap_bytes(unsigned char *bytes, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++, bytes += size)
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            unsigned char byte = bytes[low];
            bytes[low] = bytes[high];
            bytes[high] = byte;
        }
}

/* The size of a pipe is unknown: the buffer grows with the data. */
static puad_status read_growing(unsigned char **bytes, stream *source, size_t total)
{
    size_t done = 0, capacity = 0;
    while (done < total) {
        size_t step = done < (1u << 20) ? 1u << 20 : done;
        capacity = total - done < step ? total : done + step;
        TRY(memory_grow(bytes, capacity, 1, source->name));
        TRY(stream_read(source, *bytes + done, capacity - done));
        done = capacity;
    }
    return PUAD_OK;
}

puad_status array_fill(array *out, stream *source, size_t limit, bool swapped)
{
    size_t unit = array_type_size(out->type), size = unit * (out->letters ? out->letters : 1), total = size;
    bool empty = false, fits = true;
    assert(unit > 0 && size > 0);
    for (int d = 0; d < out->dimensions; d++) empty |= out->shape[d] == 0;
    for (int d = 0; d < out->dimensions && !empty; d++)
        fits = fits && size_multiply(&total, total, out->shape[d]);
    if (empty) total = 0;
    if (!fits || total > limit)
        FAIL(PUAD_FORMAT, "%s: the array is larger than the %zu bytes that can be read here", source->name,
             limit);
    uint64_t bound = stream_bound(source);
    if (total > bound)
        FAIL(PUAD_FORMAT,
             "%s: truncated: the header announces %zu bytes of elements, at most %llu can follow",
             source->name, total, (unsigned long long)bound);
    AUTO_FREE unsigned char *bytes = NULL;
    if (bound == UINT64_MAX && total > 0) {
        TRY(read_growing(&bytes, source, total));
    } else {
        TRY(memory_new(&bytes, total, 1, source->name));
        TRY(stream_read(source, bytes, total));
    }
    TRY(stream_expect_end(source));
    if (swapped) swap_bytes(bytes, total / unit, unit);
    out->count = total / size;
    out->bytes = out->owned = bytes;
    bytes = NULL;
    return PUAD_OK;
}
