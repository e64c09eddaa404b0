/* Keys of rows, and a sorted index of them. */
#include "dataset/row_keys.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

uint64_t row_key(const float *values, size_t columns)
{
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < columns; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

typedef struct keyed_row {
    uint64_t key;
    uint32_t row;
} keyed_row;

static int by_key(const void *left, const void *right)
{
    const keyed_row *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

puad_status row_finder_new(row_finder *out, const uint64_t *keys, size_t rows)
{
    *out = (row_finder){.keys = keys, .rows = rows};
    if (rows > UINT32_MAX) FAIL(PUAD_MEMORY, "%zu rows are too many to be searched", rows);
    TRY(arena_new(&out->memory, &out->order, rows, sizeof *out->order));
    TRY(arena_new(&out->memory, &out->passed, rows, sizeof *out->passed));
    TRY(arena_new(&out->memory, &out->taken, rows, sizeof *out->taken));
    AUTO_FREE keyed_row *sorted = NULL;
    TRY(memory_new(&sorted, rows, sizeof *sorted, "rows"));
    for (size_t i = 0; i < rows; i++) sorted[i] = (keyed_row){keys[i], (uint32_t)i};
    qsort(sorted, rows, sizeof *sorted, by_key);
    for (size_t i = 0; i < rows; i++) out->order[i] = sorted[i].row;
    return PUAD_OK;
}

/* The first index in the order whose key is not smaller. */
static size_t lower_bound(const row_finder *in, uint64_t key)
{
    size_t low = 0, high = in->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (in->keys[in->order[middle]] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t find_elsewhere(const row_finder *in, uint64_t key)
{
    size_t first = lower_bound(in, key);
    for (size_t i = first; i < in->rows && in->keys[in->order[i]] == key; i++) {
        if (i == first) i += in->passed[first]; /* many rows may be identical */
        if (i == in->rows || in->keys[in->order[i]] != key) break;
        if (!in->taken[in->order[i]]) return in->order[i];
        in->passed[first] = (uint32_t)(i + 1 - first);
    }
    return SIZE_MAX;
}

size_t row_finder_find(size_t *places, row_finder *in, const uint64_t *keys, const uint32_t *was,
                       size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        bool stayed = was[i] < in->rows && in->keys[was[i]] == keys[i] && !in->taken[was[i]];
        places[i] = stayed ? was[i] : SIZE_MAX;
        if (stayed) in->taken[was[i]] = 1;
        found += stayed;
    }
    for (size_t i = 0; i < count; i++) {
        if (places[i] != SIZE_MAX) continue;
        places[i] = find_elsewhere(in, keys[i]);
        if (places[i] == SIZE_MAX) continue;
        in->taken[places[i]] = 1;
        found++;
    }
    return found;
}

void row_finder_free(row_finder *owner)
{
    arena_free(&owner->memory);
    *owner = (row_finder){0};
}
