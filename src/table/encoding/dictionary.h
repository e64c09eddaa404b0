/* Distinct texts numbered in the order of their first appearance, with how often each was seen. */
#ifndef TABLE_ENCODING_DICTIONARY_H
#define TABLE_ENCODING_DICTIONARY_H

#include "base/text_view.h"

#define DICTIONARY_NONE UINT32_MAX

typedef struct dictionary {
    struct dictionary_chunk *chunks; /* own the texts */
    char *pool;                      /* where the next text goes */
    size_t pool_left, pool_size;     /* of the newest chunk */
    uint32_t *slots;                 /* code + 1, or 0 when empty; a power of two of them */
    size_t slot_count;
    text_view *texts; /* by code; each is followed by a NUL */
    uint64_t *hashes, *counts;
    size_t count, room;
    size_t most; /* texts beyond so many are not taken in; 0 means no limit */
} dictionary;

/* The code of a text, which is added when it is new;
 * DICTIONARY_NONE when the dictionary is full. Counts it. */
puad_status dictionary_add(uint32_t *out_code, dictionary *words, text_view text);

/* Takes the text that was added last out again. */
void dictionary_drop_last(dictionary *words);

/* The code of a text, or DICTIONARY_NONE. */
uint32_t dictionary_find(const dictionary *words, text_view text);

void dictionary_free(dictionary *words); /* {0} is fine */
#define AUTO_DICTIONARY __attribute__((cleanup(dictionary_free)))

uint64_t text_hash(text_view text);

#endif
