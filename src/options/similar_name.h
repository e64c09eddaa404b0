/* Which of several names a mistyped one is closest to, for messages that end in "did you mean 'x'?". */
#ifndef OPTIONS_SIMILAR_NAME_H
#define OPTIONS_SIMILAR_NAME_H

#include <stddef.h>

typedef struct similar_name {
    const char *word; /* the mistyped name; borrowed, like the candidates */
    const char *best; /* `length` bytes, or NULL */
    size_t length, distance;
} similar_name;

/* Considers one more name. Letters of either case are equal, dashes equal underscores. A name counts if it
 * differs by at most two insertions, deletions, substitutions or swaps of neighbors (one if `word` has at
 * most three letters), or if it begins with `word`. */
void similar_offer(similar_name *search, const char *name, size_t length);

/* "; did you mean 'x'?" with `prefix` before the name, or "" if no name is close. */
enum { SIMILAR_CAPACITY = 128 };
const char *similar_hint(char out[SIMILAR_CAPACITY], const similar_name *search, const char *prefix);

/* The same for the entries of "a|b|c". */
const char *similar_choice(char out[SIMILAR_CAPACITY], const char *word, const char *choices);

#endif
