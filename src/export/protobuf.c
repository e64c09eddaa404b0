/* Encodes varints, lengths and numbers in little-endian order on any machine. */
#include "export/protobuf.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_VARINT = 0, KIND_LENGTH = 2, KIND_FIXED32 = 5, VARINT_MAX = 10 };

void wire_free(wire *owner)
{
    free(owner->bytes);
    *owner = (wire){0};
}

/* Ensures capacity for `more` bytes; false, with the failure kept, if that is impossible. */
static bool reserve(wire *to, size_t more)
{
    if (to->status != PUAD_OK) return false;
    if (more > WIRE_MAX - to->size) {
        to->status = status_fail(PUAD_INVALID, "the model exceeds the 2 GiB limit of ONNX files");
        return false;
    }
    if (to->size + more <= to->capacity) return true;
    size_t capacity = to->capacity ? to->capacity : 256;
    while (capacity < to->size + more) capacity *= 2;
    to->status = memory_grow(&to->bytes, capacity, 1, "an ONNX file");
    if (to->status == PUAD_OK) to->capacity = capacity;
    return to->status == PUAD_OK;
}

static size_t varint(unsigned char out[VARINT_MAX], uint64_t value)
{
    size_t used = 0;
    for (; value >= 0x80; value >>= 7) out[used++] = (unsigned char)(value | 0x80);
    out[used++] = (unsigned char)value;
    return used;
}

static void put(wire *to, const void *bytes, size_t size)
{
    if (!reserve(to, size)) return;
    if (size) memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void put_varint(wire *to, uint64_t value)
{
    unsigned char bytes[VARINT_MAX];
    put(to, bytes, varint(bytes, value));
}

static void put_key(wire *to, unsigned field, unsigned kind)
{
    put_varint(to, (uint64_t)field << 3 | kind);
}

void wire_integer(wire *to, unsigned field, int64_t value)
{
    put_key(to, field, KIND_VARINT);
    put_varint(to, (uint64_t)value);
}

void wire_raw(wire *to, const void *values, size_t count, size_t size)
{
    const unsigned char *source = values;
    const uint16_t probe = 1;
    size_t total;
    if (!size_multiply(&total, count, size)) total = SIZE_MAX;
    if (!reserve(to, total)) return;
    if (*(const unsigned char *)&probe) {
        if (total) memcpy(to->bytes + to->size, source, total);
    } else {
        for (size_t i = 0; i < total; i++)
            to->bytes[to->size + i] = source[i / size * size + size - 1 - i % size];
    }
    to->size += total;
}

void wire_float(wire *to, unsigned field, float value)
{
    put_key(to, field, KIND_FIXED32);
    wire_raw(to, &value, 1, sizeof value);
}

static void wire_bytes(wire *to, unsigned field, const void *bytes, size_t size)
{
    put_key(to, field, KIND_LENGTH);
    put_varint(to, size);
    put(to, bytes, size);
}

void wire_text(wire *to, unsigned field, const char *text)
{
    wire_bytes(to, field, text, strlen(text));
}

void wire_integers(wire *to, unsigned field, const int64_t *values, size_t count)
{
    unsigned char bytes[VARINT_MAX];
    size_t size = 0;
    for (size_t i = 0; i < count; i++) size += varint(bytes, (uint64_t)values[i]);
    put_key(to, field, KIND_LENGTH);
    put_varint(to, size);
    for (size_t i = 0; i < count; i++) put_varint(to, (uint64_t)values[i]);
}

void wire_floats(wire *to, unsigned field, const float *values, size_t count)
{
    put_key(to, field, KIND_LENGTH);
    put_varint(to, (uint64_t)count * sizeof *values);
    wire_raw(to, values, count, sizeof *values);
}

void wire_append(wire *to, wire *more)
{
    if (to->status == PUAD_OK) to->status = more->status;
    put(to, more->bytes, more->size);
    wire_free(more);
}

void wire_message(wire *to, unsigned field, wire *inner)
{
    put_key(to, field, KIND_LENGTH);
    put_varint(to, inner->size);
    wire_append(to, inner);
}
