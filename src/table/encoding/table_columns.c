/* Table columns: blocks of rows, choice of pivots, and encoding. */
#include "table/encoding/table_columns.h"

#include "base/number.h"
#include "base/sort.h"
#include "table/cells/column_names.h"
#include "table/encoding/derived_rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PARTS_WITHOUT_STAMP = PART_YEARDAY - PART_HOUR + 1 };

bool column_is_number(size_t numbers, size_t others)
{
    return numbers > 0 && (numbers / 9 >= others || (others == 1 && numbers >= 3));
}

puad_status table_new(table **out, size_t columns)
{
    table *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a table"));
    if (arena_new(&made->memory, &made->columns, columns, sizeof *made->columns) != PUAD_OK) {
        table_free(made);
        return PUAD_MEMORY;
    }
    made->column_count = columns;
    for (size_t i = 0; i < columns; i++) {
        made->columns[i].factor = 1;
        made->columns[i].parts = 1;
        made->columns[i].min = INFINITY;
        made->columns[i].max = -INFINITY;
        made->columns[i].words.max = WORDS_MAX;
    }
    *out = made;
    return PUAD_OK;
}

void table_block_free(table_block *block)
{
    if (block->pages) munmap(block->pages, block->bytes);
    *block = (table_block){0};
}

void table_free(table *owner)
{
    if (!owner) return;
    for (size_t i = 0; i < owner->block_count; i++) table_block_free(&owner->blocks[i]);
    for (size_t i = 0; i < owner->column_count; i++) dictionary_free(&owner->columns[i].words);
    free(owner->blocks);
    free(owner->ids);
    arena_free(&owner->memory);
    free(owner);
}

void table_place(table *owner)
{
    owner->number_count = owner->category_count = 0;
    for (size_t i = 0; i < owner->column_count; i++) {
        table_column *column = &owner->columns[i];
        column->slot = column->category ? owner->category_count++ : owner->number_count++;
    }
}

/* The pivot is the median, so outliers do not move it; the factor is a power of two, so scaling is exact. */
void table_column_center(table_column *column, double *values, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i])) values[used++] = flushed(values[i], DBL_MIN);
    column->pivot = 0;
    column->factor = 1;
    if (used == 0) return;
    sort_doubles(values, used);
    column->pivot = values[used / 2];
    double spread =
        fmax(values[(used - 1) * 9 / 10] - column->pivot, column->pivot - values[(used - 1) / 10]);
    column->spread_known = spread > 0 && isfinite(spread);
    if (!(spread > 0)) spread = fmax(values[used - 1] - column->pivot, column->pivot - values[0]);
    int exponent = 0;
    if (spread > 0 && isfinite(spread)) frexp(spread, &exponent);
    if (exponent > 1000) exponent = 1000;
    if (exponent < -1000) exponent = -1000;
    column->factor = ldexp(1, -exponent);
}

/* Dates of beginnings such as birth: the name implies it, or they are unordered days over many years. */
static bool is_beginning(const char *name, const double *dates, size_t rows)
{
    enum { ROWS_MIN = 30 };
    const double year = 31556952;
    size_t backward = 0, count = 0, times = 0, early = 0, late = 0;
    double before = -INFINITY, low = INFINITY, high = -INFINITY;
    if (name_is_birth(name)) return true;
    for (size_t r = 0; r < rows; r++) {
        if (isnan(dates[r])) continue;
        backward += dates[r] < before;
        times += fmod(dates[r], 86400) != 0;
        low = fmin(low, dates[r]);
        high = fmax(high, dates[r]);
        before = dates[r];
        count++;
    }
    double middle = (low + high) / 2;
    for (size_t r = 0; r < rows; r++) {
        early += dates[r] < middle - 4 * year;
        late += dates[r] > middle + 4 * year;
    }
    return count >= ROWS_MIN && !times && 10 * backward >= count && 10 * early >= count && 10 * late >= count;
}

void table_column_set_parts(table_column *column, size_t count, const double *dates, size_t rows)
{
    bool begins = is_beginning(column->name, dates, rows);
    for (size_t p = 0; p < count; p++) {
        column[p].part = p + 1 == count && p >= PARTS_WITHOUT_STAMP ? PART_STAMP : (date_part)(PART_HOUR + p);
        column[p].begins = begins;
    }
}

puad_status table_block_new(table_block *out, const table *owner, size_t rows, bool numbered)
{
    size_t row_bytes = (owner->number_count + owner->category_count) * 4 + 1, bytes;
    if (numbered) row_bytes += sizeof *out->numbers;
    if (!size_multiply(&bytes, rows, row_bytes) || !size_add(&bytes, bytes, 64))
        FAIL(PUAD_MEMORY, "no memory for %zu rows", rows);
    if (bytes > out->bytes) {
        table_block_free(out);
        void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) FAIL(PUAD_MEMORY, "no memory for %zu rows", rows);
        out->pages = pages;
        out->bytes = bytes;
    }
    out->rows = rows;
    out->numbers = numbered ? out->pages : NULL;
    out->held = numbered ? (float *)(out->numbers + rows) : out->pages;
    out->codes = (uint32_t *)(out->held + rows * owner->number_count);
    out->labels = (int8_t *)(out->codes + rows * owner->category_count);
    memset(out->labels, 0, rows);
    return PUAD_OK;
}

puad_status table_append(table *owner, table_block block)
{
    if (owner->block_count == owner->block_room) {
        size_t capacity = owner->block_room ? 2 * owner->block_room : 64;
        TRY(memory_grow(&owner->blocks, capacity, sizeof *owner->blocks, "a table"));
        owner->block_room = capacity;
    }
    block.first_row = owner->seen;
    owner->blocks[owner->block_count++] = block;
    owner->rows += block.rows;
    owner->seen += block.rows;
    return PUAD_OK;
}

void table_column_add(table_column *column, const column_sums *sums)
{
    column->present += sums->present;
    column->missing += sums->missing;
    column->broken += sums->broken;
    column->sum += sums->sum;
    column->squares += sums->squares;
    if (sums->present && sums->min < column->min) column->min = sums->min;
    if (sums->present && sums->max > column->max) column->max = sums->max;
}

bool table_text_is_missing(text_view text)
{
    return cell_is_missing(text.text, text.length) && !cell_is_none(text.text, text.length);
}

size_t table_count_none(const table_column *column)
{
    size_t count = 0;
    for (size_t k = 0; k < column->words.count; k++) {
        text_view text = column->words.texts[k];
        if (cell_is_none(text.text, text.length)) count += column->words.counts[k];
    }
    return count;
}

void table_settle_none(table *owner)
{
    for (size_t i = 0; i < owner->column_count; i++) {
        table_column *column = &owner->columns[i];
        size_t nones = column->category ? table_count_none(column) : 0;
        if (!nones || NONE_FREQUENT * nones >= column->present) continue;
        for (size_t k = 0; k < column->words.count; k++) {
            text_view text = column->words.texts[k];
            if (cell_is_none(text.text, text.length)) column->words.counts[k] = 0;
        }
        column->present -= nones;
        column->missing += nones;
    }
}

void table_part_begin(table *owner)
{
    bool first = owner->main_rows == 0;
    if (first) owner->main_rows = owner->seen;
    for (size_t i = 0; i < owner->column_count; i++) {
        table_column *column = &owner->columns[i];
        if (first) column->main_present = column->present;
        column->present_before = column->present;
        column->odd_before = column->odd;
    }
}

puad_status table_part_end(const table *owner, const char *file, const bool *there)
{
    for (size_t i = 0; i < owner->column_count; i++) {
        const table_column *column = &owner->columns[i];
        bool empty = column->present == column->present_before && column->part != PART_SINCE;
        if (!empty || 2 * column->main_present <= owner->main_rows) continue;
        const char *what = there && !there[i]                 ? "there is no such column"
                           : column->odd > column->odd_before ? "none of its cells is a number"
                                                              : "none of its cells has a value";
        FAIL(PUAD_FORMAT,
             "%s: column '%s': %s, unlike %zu of %zu rows of the first file; correct it, or "
             "option 'ignore=%s'",
             file, column->name, what, column->main_present, owner->main_rows, column->name);
    }
    return PUAD_OK;
}

typedef struct encoding {
    dataset *out;
    table *source;
    const transform *encoding;
    uint32_t **codes; /* per column: from the table's codes to the encoding's; NULL for numbers */
    size_t *first_row;
    group_maps groups;
} encoding;

static void encode_block(void *context, size_t item, int thread)
{
    (void)thread;
    encoding *job = context;
    const table *source = job->source;
    table_block *block = &job->source->blocks[item];
    size_t width = job->encoding->encoded, first = job->first_row[item];
    float *row = job->out->values + first * width;
    for (size_t r = 0; r < block->rows; r++, row += width) {
        const float *held = block->held + r * source->number_count;
        const uint32_t *codes = block->codes + r * source->category_count;
        for (size_t i = 0; i < source->column_count; i++) {
            const transform_column *column = &job->encoding->columns[i];
            if (column->type == COLUMN_DROPPED) continue;
            if (column->type == COLUMN_NUMBER) {
                transform_held(row, column, held[source->columns[i].slot]);
                continue;
            }
            uint32_t code = codes[source->columns[i].slot];
            transform_code(row, column, code < source->columns[i].words.count ? job->codes[i][code] : code);
        }
        if (!job->encoding->derived.count) continue;
        derived_cells cells;
        derived_row(&cells, source, job->encoding, &job->groups, block, r);
        derived_encode(row, &cells, job->encoding);
    }
    if (job->out->labels) memcpy(job->out->labels + first, block->labels, block->rows);
    if (job->out->row_numbers)
        memcpy(job->out->row_numbers + first, block->numbers, block->rows * sizeof *block->numbers);
    table_block_free(block);
}

static puad_status map_codes(encoding *job, arena *memory)
{
    const table *source = job->source;
    TRY(arena_new(memory, &job->codes, source->column_count, sizeof *job->codes));
    for (size_t i = 0; i < source->column_count; i++) {
        const dictionary *words = &source->columns[i].words;
        if (!source->columns[i].category || job->encoding->columns[i].type != COLUMN_CATEGORY) continue;
        TRY(arena_new(memory, &job->codes[i], words->count, sizeof(uint32_t)));
        for (size_t k = 0; k < words->count; k++) {
            uint32_t code = dictionary_find(&job->encoding->columns[i].categories, words->texts[k]);
            bool missing = words->counts[k] == 0; /* see table_settle_none() */
            job->codes[i][k] = missing ? CODE_MISSING : code == DICTIONARY_NONE ? CODE_REST : code;
        }
    }
    for (size_t i = 0; i < job->encoding->derived.group_count; i++)
        TRY(group_map_new(&job->groups, memory, source, job->encoding, i));
    TRY(arena_new(memory, &job->first_row, source->block_count, sizeof *job->first_row));
    size_t rows = 0;
    for (size_t i = 0; i < source->block_count; i++) {
        job->first_row[i] = rows;
        rows += source->blocks[i].rows;
    }
    return PUAD_OK;
}

puad_status table_encode(dataset *out, table *owner, const transform *learned, team *workers)
{
    AUTO_ARENA arena memory = {0};
    encoding job = {.out = out, .source = owner, .encoding = learned};
    size_t count, bytes;
    TRY(map_codes(&job, &memory));
    if (!size_multiply(&count, owner->rows, learned->encoded) || !size_multiply(&bytes, count, sizeof(float)))
        FAIL(PUAD_MEMORY, "no memory for %zu rows of %zu columns", owner->rows, learned->encoded);
    out->values = out->value_block =
        malloc(bytes ? bytes : 1); /* not zeroed, so pages are touched block by block */
    if (!out->values)
        FAIL(PUAD_MEMORY, "no memory for %zu rows of %zu columns", owner->rows, learned->encoded);
    out->rows = owner->rows;
    out->rows_read = owner->seen;
    if (owner->sample.thinned)
        TRY(arena_new(&out->memory, &out->row_numbers, owner->rows, sizeof *out->row_numbers));
    out->columns = learned->encoded;
    out->height = out->width = 1;
    out->channels = (int)learned->encoded;
    if (owner->labeled) TRY(arena_new(&out->memory, &out->labels, owner->rows, 1));
    TRY(transform_names(&out->column_names, &out->memory, learned));
    team_run(workers, owner->block_count, encode_block, &job);
    return PUAD_OK;
}
