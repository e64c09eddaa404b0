/* Open addressing with linear probing. Strings are stored in chunks of growing size: a file may have a
 * hundred thousand columns with a few strings each. */
#include "table/encoding/dictionary.h"

#include <stdlib.h>

enum { FIRST_CHUNK = 32, CHUNK = 32 * 1024, FIRST_SLOTS = 8 };

struct dictionary_chunk {
    struct dictionary_chunk *older;
    char bytes[];
};

static inline uint64_t mix(uint64_t value)
{
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    value ^= value >> 32;
    return value * 0xd6e8feb86659fd93u;
}

uint64_t text_hash(text_view text)
{
    uint64_t hash = text.length * 0x9e3779b97f4a7c15u + 1, word;
    size_t i = 0;
    for (; i + 8 <= text.length; i += 8) {
        memcpy(&word, text.text + i, 8);
        hash = mix(hash ^ word);
    }
    word = 0;
    if (i < text.length) memcpy(&word, text.text + i, text.length - i);
    hash = mix(hash ^ word);
    return hash ^ hash >> 29;
}

/* The slot of the string, or the empty slot for it. */
static size_t probe(const dictionary *words, text_view text, uint64_t hash)
{
    size_t mask = words->slot_count - 1, slot = hash & mask;
    for (;; slot = (slot + 1) & mask) {
        uint32_t code = words->slots[slot];
        if (code == 0) return slot;
        const text_view *other = &words->texts[code - 1];
        if (words->hashes[code - 1] == hash && other->length == text.length &&
            memcmp(other->text, text.text, text.length) == 0)
            return slot;
    }
}

static puad_status grow(dictionary *words)
{
    size_t slot_count = words->slot_count ? 2 * words->slot_count : FIRST_SLOTS, capacity = slot_count / 2;
    uint32_t *slots = NULL;
    TRY(memory_grow(&words->texts, capacity, sizeof *words->texts, "categories"));
    TRY(memory_grow(&words->hashes, capacity, sizeof *words->hashes, "categories"));
    TRY(memory_grow(&words->counts, capacity, sizeof *words->counts, "categories"));
    TRY(memory_new(&slots, slot_count, sizeof *slots, "categories"));
    for (size_t code = 0; code < words->count; code++) {
        size_t slot = words->hashes[code] & (slot_count - 1);
        while (slots[slot]) slot = (slot + 1) & (slot_count - 1);
        slots[slot] = (uint32_t)code + 1;
    }
    free(words->slots);
    words->slots = slots;
    words->slot_count = slot_count;
    words->capacity = capacity;
    return PUAD_OK;
}

static puad_status keep_text(dictionary *words, text_view *out, text_view text)
{
    size_t bytes = text.length + 1;
    if (bytes > words->pool_left) {
        size_t size = words->pool_size == 0      ? FIRST_CHUNK
                      : words->pool_size < CHUNK ? 2 * words->pool_size
                                                 : CHUNK;
        if (size < bytes) size = bytes;
        struct dictionary_chunk *chunk = NULL;
        TRY(memory_new(&chunk, sizeof *chunk + size, 1, "categories"));
        chunk->older = words->chunks;
        words->chunks = chunk;
        words->pool = chunk->bytes;
        words->pool_left = words->pool_size = size;
    }
    if (text.length) memcpy(words->pool, text.text, text.length);
    words->pool[text.length] = 0;
    *out = (text_view){words->pool, text.length};
    words->pool += bytes;
    words->pool_left -= bytes;
    return PUAD_OK;
}

puad_status dictionary_add(uint32_t *out_code, dictionary *words, text_view text)
{
    uint64_t hash = text_hash(text);
    if (words->slot_count == 0) TRY(grow(words));
    size_t slot = probe(words, text, hash);
    if (words->slots[slot] == 0) {
        *out_code = DICTIONARY_NONE;
        if ((words->max && words->count >= words->max) || words->count >= UINT32_MAX - 1) return PUAD_OK;
        if (words->count == words->capacity) {
            TRY(grow(words));
            slot = probe(words, text, hash);
        }
        TRY(keep_text(words, &words->texts[words->count], text));
        words->hashes[words->count] = hash;
        words->counts[words->count] = 0;
        words->slots[slot] = (uint32_t)++words->count;
    }
    *out_code = words->slots[slot] - 1;
    words->counts[*out_code]++;
    return PUAD_OK;
}

void dictionary_drop_last(dictionary *words)
{
    size_t last = words->count - 1; /* it is the newest, so no other string was moved past its slot */
    words->slots[probe(words, words->texts[last], words->hashes[last])] = 0;
    words->count = last;
}

uint32_t dictionary_find(const dictionary *words, text_view text)
{
    if (words->slot_count == 0) return DICTIONARY_NONE;
    uint32_t code = words->slots[probe(words, text, text_hash(text))];
    return code ? code - 1 : DICTIONARY_NONE;
}

void dictionary_free(dictionary *words)
{
    while (words->chunks) {
        struct dictionary_chunk *older = words->chunks->older;
        free(words->chunks);
        words->chunks = older;
    }
    free(words->slots);
    free(words->texts);
    free(words->hashes);
    free(words->counts);
    *words = (dictionary){0};
}
