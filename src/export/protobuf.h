/* The subset of the protobuf encoding that ONNX needs: a growing buffer and functions that append fields.
 * The first failure is kept in wire.status; later calls do nothing. */
#ifndef EXPORT_PROTOBUF_H
#define EXPORT_PROTOBUF_H

#include "base/memory.h"

typedef struct wire {
    unsigned char *bytes; /* owned */
    size_t size, capacity;
    puad_status status;
} wire;

void wire_free(wire *owner); /* {0} is fine */
#define AUTO_WIRE __attribute__((cleanup(wire_free)))

enum { WIRE_MAX = INT32_MAX }; /* the largest message that protobuf readers accept */

void wire_integer(wire *to, unsigned field, int64_t value);
void wire_float(wire *to, unsigned field, float value);
void wire_text(wire *to, unsigned field, const char *text);
void wire_integers(wire *to, unsigned field, const int64_t *values, size_t count); /* packed */
void wire_floats(wire *to, unsigned field, const float *values, size_t count);     /* packed */

/* A field that is a message; `inner` is freed. */
void wire_message(wire *to, unsigned field, wire *inner);

/* Appends fields that were encoded elsewhere; `more` is freed. */
void wire_append(wire *to, wire *more);

/* Raw little-endian numbers, for the raw data of a tensor. */
void wire_raw(wire *to, const void *values, size_t count, size_t size);

#endif
