/* NumPy's legacy generator (numpy.random.RandomState): MT19937 and the draws that define ADBench's
 * protocol. All other draws use base/rng.h. */
#ifndef LAB_SETS_NUMPY_RANDOM_H
#define LAB_SETS_NUMPY_RANDOM_H

#include <stddef.h>
#include <stdint.h>

enum { MT_WORDS = 624 };

typedef struct numpy_random {
    uint32_t words[MT_WORDS];
    size_t at;
} numpy_random;

numpy_random numpy_random_make(uint32_t seed);

/* 0 to `max`, uniformly. */
uint32_t numpy_random_interval(numpy_random *state, uint32_t max);

/* numpy.random.permutation of the numbers below count, or of a list in place. */
void numpy_random_permutation(numpy_random *state, uint32_t *out, size_t count);
void numpy_random_shuffle(numpy_random *state, uint32_t *list, size_t count);

#endif
