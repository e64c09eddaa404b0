/* Choosing the rows of a sample, and moving them together. */
#include "table/encoding/table_sample.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_ROWS = 16384, /* of a block of kept rows */
    KEPT_FACTOR = 2,    /* the rows of a label are reduced to rows_max when there are this many times more */
    LABEL_MIN = PUAD_LABEL_NORMAL
};

static uint64_t key_of(uint64_t seed, uint64_t row)
{
    static const uint64_t stream = 0x726f7773; /* not used by rng_stream(), whose hashes are large */
    uint32_t words[4];
    rng_block(words, seed, stream, row / 2);
    return (uint64_t)words[row % 2 * 2] << 32 | words[row % 2 * 2 + 1];
}

static uint64_t number_of(const table_block *block, size_t row)
{
    return block->numbers ? block->numbers[row] : block->first_row + row;
}

bool table_choose(uint32_t *chosen, size_t *out_count, const table *owner, const table_block *block)
{
    const table_sample *sample = &owner->sample;
    size_t count = 0;
    *out_count = block->rows;
    if (!sample->thinned) return false;
    for (size_t r = 0; r < block->rows; r++)
        if (key_of(sample->seed, owner->seen + r) <= sample->key_max[block->labels[r] - LABEL_MIN])
            chosen[count++] = (uint32_t)r;
    *out_count = count;
    return true;
}

/* Copies a row to the end of the table. */
static puad_status keep_row(table *owner, const table_block *block, size_t row, uint64_t number)
{
    table_block *to = owner->block_count ? &owner->blocks[owner->block_count - 1] : NULL;
    size_t numbers = owner->number_count, categories = owner->category_count;
    if (!to || !to->numbers || to->rows == BLOCK_ROWS) {
        table_block fresh = {0};
        TRY(table_block_new(&fresh, owner, BLOCK_ROWS, true));
        fresh.rows = 0;
        puad_status status = table_append(owner, fresh);
        if (status != PUAD_OK) {
            table_block_free(&fresh);
            return status;
        }
        to = &owner->blocks[owner->block_count - 1];
    }
    size_t at = to->rows++;
    if (numbers) memcpy(to->held + at * numbers, block->held + row * numbers, numbers * sizeof *to->held);
    if (categories)
        memcpy(to->codes + at * categories, block->codes + row * categories, categories * sizeof *to->codes);
    to->labels[at] = block->labels[row];
    to->numbers[at] = number;
    owner->rows++;
    return PUAD_OK;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Lowers the largest key of a label so that rows_max rows of it remain. */
static puad_status lower_key(table *owner, int kind)
{
    table_sample *sample = &owner->sample;
    AUTO_FREE uint64_t *keys = NULL;
    size_t count = 0;
    TRY(memory_new(&keys, sample->kept[kind], sizeof *keys, "a sample of the rows"));
    for (size_t b = 0; b < owner->block_count; b++)
        for (size_t r = 0; r < owner->blocks[b].rows; r++)
            if (owner->blocks[b].labels[r] - LABEL_MIN == kind)
                keys[count++] = key_of(sample->seed, number_of(&owner->blocks[b], r));
    qsort(keys, count, sizeof *keys, compare_keys);
    sample->key_max[kind] = keys[sample->rows_max - 1];
    return PUAD_OK;
}

/* Moves the rows whose keys are small enough into new blocks. */
static puad_status move_kept(table *owner)
{
    table_sample *sample = &owner->sample;
    table_block *blocks = owner->blocks;
    size_t count = owner->block_count, row = 0, kept = 0;
    puad_status status = PUAD_OK;
    owner->blocks = NULL;
    owner->block_count = owner->block_room = owner->rows = 0;
    memset(sample->kept, 0, sizeof sample->kept);
    for (size_t b = 0; b < count; table_block_free(&blocks[b++]))
        for (size_t r = 0; r < blocks[b].rows && status == PUAD_OK; r++, row++) {
            int kind = blocks[b].labels[r] - LABEL_MIN;
            uint64_t number = number_of(&blocks[b], r);
            if (key_of(sample->seed, number) > sample->key_max[kind]) continue;
            status = keep_row(owner, &blocks[b], r, number);
            sample->kept[kind]++;
            if (owner->ids) owner->ids[kept++] = owner->ids[row];
        }
    free(blocks);
    return status;
}

static puad_status reduce(table *owner, size_t factor)
{
    table_sample *sample = &owner->sample;
    bool reduced = false;
    for (int kind = 0; kind < TABLE_LABELS; kind++) {
        if (!sample->rows_max || sample->kept[kind] <= factor * sample->rows_max) continue;
        if (!sample->thinned) memset(sample->key_max, 0xff, sizeof sample->key_max);
        sample->thinned = reduced = true;
        TRY(lower_key(owner, kind));
    }
    return reduced ? move_kept(owner) : PUAD_OK;
}

puad_status table_take(table *owner, table_block *block, const uint32_t *chosen, size_t count)
{
    table_sample *sample = &owner->sample;
    for (size_t i = 0; sample->rows_max && i < count; i++)
        sample->kept[block->labels[chosen ? chosen[i] : i] - LABEL_MIN]++;
    size_t rows = block->rows;
    if (chosen) {
        for (size_t i = 0; i < count; i++) TRY(keep_row(owner, block, chosen[i], owner->seen + chosen[i]));
    } else {
        TRY(table_append(owner, *block));
        *block = (table_block){0};
    }
    if (chosen) owner->seen += rows;
    return reduce(owner, KEPT_FACTOR);
}

puad_status table_sample_end(table *owner)
{
    return reduce(owner, 1);
}

puad_status table_kept_counts(uint64_t **out, arena *memory, const table *owner, const table_column *column)
{
    TRY(arena_new(memory, out, column->words.count, sizeof **out));
    for (size_t b = 0; b < owner->block_count; b++)
        for (size_t r = 0; r < owner->blocks[b].rows; r++) {
            uint32_t code = owner->blocks[b].codes[r * owner->category_count + column->slot];
            if (code < column->words.count) ++(*out)[code];
        }
    return PUAD_OK;
}
