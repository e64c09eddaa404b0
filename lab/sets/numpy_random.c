/* MT19937 (Matsumoto and Nishimura, 1998) and bounded draws by masks. */
#include "lab/sets/numpy_random.h"

enum { SHIFT = 397 };

numpy_random numpy_random_make(uint32_t seed)
{
    numpy_random made = {.at = MT_WORDS};
    made.words[0] = seed;
    for (uint32_t i = 1; i < MT_WORDS; i++)
        made.words[i] = 1812433253u * (made.words[i - 1] ^ made.words[i - 1] >> 30) + i;
    return made;
}

static void twist(numpy_random *state)
{
    uint32_t *words = state->words;
    for (size_t i = 0; i < MT_WORDS; i++) {
        uint32_t joined = (words[i] & 0x80000000u) | (words[(i + 1) % MT_WORDS] & 0x7fffffffu);
        words[i] = words[(i + SHIFT) % MT_WORDS] ^ joined >> 1 ^ (joined & 1 ? 0x9908b0dfu : 0);
    }
    state->at = 0;
}

static uint32_t next(numpy_random *state)
{
    if (state->at == MT_WORDS) twist(state);
    uint32_t word = state->words[state->at++];
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c5680u;
    word ^= word << 15 & 0xefc60000u;
    return word ^ word >> 18;
}

uint32_t numpy_random_interval(numpy_random *state, uint32_t max)
{
    uint32_t mask = max, value;
    if (max == 0) return 0;
    for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    do value = next(state) & mask;
    while (value > max);
    return value;
}

void numpy_random_shuffle(numpy_random *state, uint32_t *list, size_t count)
{
    for (size_t i = count; i-- > 1;) {
        size_t j = numpy_random_interval(state, (uint32_t)i);
        uint32_t kept = list[i];
        list[i] = list[j];
        list[j] = kept;
    }
}

void numpy_random_permutation(numpy_random *state, uint32_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = (uint32_t)i;
    numpy_random_shuffle(state, out, count);
}
