/* Distinct strings with codes in order of first appearance, and their counts. */
#ifndef TABLE_ENCODING_DICTIONARY_H
#define TABLE_ENCODING_DICTIONARY_H

#include "base/utf8.h"

#define DICTIONARY_NONE UINT32_MAX

typedef struct dictionary {
    struct dictionary_chunk *chunks; /* own the strings */
    char *pool;                      /* where the next string goes */
    size_t pool_left, pool_size;     /* of the newest chunk */
    uint32_t *slots;                 /* code + 1, or 0 if empty; the number of slots is a power of two */
    size_t slot_count;
    text_view *texts; /* by code; NUL-terminated */
    uint64_t *hashes, *counts;
    size_t count, capacity;
    size_t max; /* maximum number of strings; 0 means no limit */
} dictionary;

/* The code of a string, which is added if it is new; DICTIONARY_NONE if the dictionary is full. Increments
 * its count. */
puad_status dictionary_add(uint32_t *out_code, dictionary *words, text_view text);

/* Removes the most recently added string. */
void dictionary_drop_last(dictionary *words);

/* The code of a string, or DICTIONARY_NONE. */
uint32_t dictionary_find(const dictionary *words, text_view text);

void dictionary_free(dictionary *words); /* {0} is fine */
#define AUTO_DICTIONARY __attribute__((cleanup(dictionary_free)))

uint64_t text_hash(text_view text);

#endif
