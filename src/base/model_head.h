/* Recognizes a model file by its first bytes. */
#ifndef BASE_MODEL_HEAD_H
#define BASE_MODEL_HEAD_H

#include <stdbool.h>
#include <stddef.h>

enum { MODEL_HEAD = 10 }; /* bytes to read */

/* A safetensors file: the length of its header (64 bits, the upper half 0), then a JSON object. */
static inline bool head_is_model(const unsigned char *head, size_t size)
{
    return size >= MODEL_HEAD && !head[4] && !head[5] && !head[6] && !head[7] && head[8] == '{' &&
           head[9] == '"';
}

#endif
