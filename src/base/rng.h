/* The one random number generator: Philox 4x32 with ten rounds (Salmon et al., 2011), which is
 * counter-based.
 *
 * A stream is identified by (seed, stream). Block i of a stream can be computed without the blocks before
 * it, so a draw is the same on every machine and for every number of threads. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct rng {
    uint64_t key;      /* the seed */
    uint64_t stream;   /* which stream of the seed; see rng_stream() */
    uint64_t position; /* next block of four words */
    uint32_t words[4];
    unsigned left; /* elements of `words` not used yet */
} rng;

/* The four words of one block. */
void rng_block(uint32_t out[4], uint64_t seed, uint64_t stream, uint64_t position);

rng rng_make(uint64_t seed, uint64_t stream);

/* A stream number from a name ("shuffle") and an index (the epoch), so that no two uses share draws. */
uint64_t rng_stream(const char *name, uint64_t index);

uint32_t rng_word(rng *state);
uint64_t rng_below(rng *state, uint64_t bound); /* uniform in [0, bound), without bias; bound > 0 */
double rng_uniform(rng *state);                 /* [0, 1), 53 bits */
double rng_normal(rng *state);                  /* mean 0, sd 1 */
double rng_gamma(rng *state, double shape);     /* scale 1; shape > 0 */

/* Moves `count` of the `total` numbers, drawn without replacement, to the front. */
void rng_draw_to_front(rng *state, uint32_t *numbers, size_t count, size_t total);

/* Fills `order` with a random permutation of 0..count-1. */
void rng_permutation(rng *state, uint32_t *order, size_t count);

#endif
