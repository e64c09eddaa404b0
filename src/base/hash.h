/* Hashes of memory: FNV-1a with 64 bits. They detect differences, not tampering. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

/* One step, with a byte or a word. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * 0x100000001b3u;
}

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *each = bytes;
    for (size_t i = 0; i < count; i++) hash = hash_word(hash, each[i]);
    return hash;
}

#endif
