/* Philox 4x32-10 and the draws made from it. */
#include "base/rng.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

void rng_block(uint32_t out[4], uint64_t seed, uint64_t stream, uint64_t position)
{
    uint32_t counter[4] = {(uint32_t)position, (uint32_t)(position >> 32), (uint32_t)stream,
                           (uint32_t)(stream >> 32)};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        uint64_t first = (uint64_t)0xD2511F53u * counter[0];
        uint64_t second = (uint64_t)0xCD9E8D57u * counter[2];
        uint32_t next[4] = {(uint32_t)(second >> 32) ^ counter[1] ^ key[0], (uint32_t)second,
                            (uint32_t)(first >> 32) ^ counter[3] ^ key[1], (uint32_t)first};
        for (int i = 0; i < 4; i++) counter[i] = next[i];
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    for (int i = 0; i < 4; i++) out[i] = counter[i];
}

rng rng_make(uint64_t seed, uint64_t stream)
{
    return (rng){.key = seed, .stream = stream};
}

uint64_t rng_stream(const char *name, uint64_t index)
{
    uint64_t hash = hash_bytes(HASH_START, name, strlen(name));
    for (int byte = 0; byte < 8; byte++) hash = hash_word(hash, index >> (8 * byte) & 255);
    return hash;
}

uint32_t rng_word(rng *state)
{
    if (state->left == 0) {
        rng_block(state->words, state->key, state->stream, state->position++);
        state->left = 4;
    }
    return state->words[4 - state->left--];
}

static uint64_t rng_long(rng *state)
{
    uint64_t high = rng_word(state);
    return high << 32 | rng_word(state);
}

uint64_t rng_below(rng *state, uint64_t bound)
{
    /* Rejects draws above the largest multiple of bound, so that all values are equally likely. */
    uint64_t rejected = (UINT64_MAX % bound + 1) % bound;
    for (;;) {
        uint64_t draw = rng_long(state);
        if (draw <= UINT64_MAX - rejected) return draw % bound;
    }
}

double rng_uniform(rng *state)
{
    return (double)(rng_long(state) >> 11) * 0x1p-53;
}

double rng_normal(rng *state)
{
    double radius = sqrt(-2.0 * log(1.0 - rng_uniform(state)));
    return radius * cos(2.0 * 3.14159265358979323846 * rng_uniform(state));
}

void rng_permutation(rng *state, uint32_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)rng_below(state, i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

void rng_draw_to_front(rng *state, uint32_t *numbers, size_t count, size_t total)
{
    for (size_t i = 0; i < count; i++) {
        size_t other = i + (size_t)rng_below(state, total - i);
        uint32_t swap = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = swap;
    }
}

/* Marsaglia and Tsang (2000). */
double rng_gamma(rng *state, double shape)
{
    if (shape < 1) return rng_gamma(state, shape + 1) * pow(1 - rng_uniform(state), 1 / shape);
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double z = rng_normal(state), v = 1 + c * z;
        if (v <= 0) continue;
        v = v * v * v;
        if (log(1 - rng_uniform(state)) < 0.5 * z * z + d - d * v + d * log(v)) return d * v;
    }
}
