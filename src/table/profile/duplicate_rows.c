/* Counts duplicate rows: sorts fingerprints in place by their bytes and counts equal neighbors. */
#include "base/memory.h"
#include "table/profile/profile.h"

#include <stdlib.h>

puad_status fingerprints_add(fingerprints *all, const uint64_t *hashes, size_t count)
{
    if (count == 0) return PUAD_OK;
    if (all->overflow || all->count + count > PROFILE_ROWS_MAX) {
        all->overflow = true;
        return PUAD_OK;
    }
    if (all->count + count > all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 4096;
        while (capacity < all->count + count) capacity *= 2;
        TRY(memory_grow(&all->hashes, capacity, sizeof *all->hashes, "fingerprints of rows"));
        all->capacity = capacity;
    }
    memcpy(all->hashes + all->count, hashes, count * sizeof *hashes);
    all->count += count;
    return PUAD_OK;
}

static void insertion_sort(uint64_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t value = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > value; k--) values[k] = values[k - 1];
        values[k] = value;
    }
}

/* In-place radix sort from the highest byte; each level has at most 256 parts. */
static void sort_by_byte(uint64_t *values, size_t count, int shift)
{
    if (count < 64) {
        insertion_sort(values, count);
        return;
    }
    size_t next[256] = {0}, end[256], sum = 0;
    for (size_t i = 0; i < count; i++) next[values[i] >> shift & 255]++;
    for (int b = 0; b < 256; b++) {
        size_t size = next[b];
        next[b] = sum;
        sum += size;
        end[b] = sum;
    }
    for (int b = 0; b < 256; b++) {
        while (next[b] < end[b]) {
            uint64_t value = values[next[b]];
            int home = value >> shift & 255;
            values[next[b]] = values[next[home]];
            values[next[home]++] = value;
        }
    }
    for (int b = 0; b < 256 && shift > 0; b++) {
        size_t begin = b ? end[b - 1] : 0;
        sort_by_byte(values + begin, end[b] - begin, shift - 8);
    }
}

size_t fingerprints_repeated(fingerprints *all)
{
    size_t repeated = 0;
    sort_by_byte(all->hashes, all->count, 56);
    for (size_t i = 1; i < all->count; i++) repeated += all->hashes[i] == all->hashes[i - 1];
    return repeated;
}

void fingerprints_free(fingerprints *all)
{
    free(all->hashes);
    *all = (fingerprints){0};
}
