/* The CSV reader: fills buffers, cuts them at record ends, and distributes the slices to threads. The next
 * buffer is read while one is parsed. */
#include "table/csv/csv.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/csv_cell.h"
#include "table/csv/csv_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#ifndef CSV_SLICE /* the fuzzer needs many slices of short inputs */
#define CSV_SLICE (256 * 1024)
#endif

enum {
    SLICE = CSV_SLICE,
    SAMPLE = 64 * 1024,            /* bytes used to guess the dialect */
    RECORD_MAX = 16 * 1024 * 1024, /* longer ones come from an unclosed quote */
    COLUMNS_MAX = 1 << 20,
};

static puad_status buffer_grow(csv_buffer *buffer, size_t capacity)
{
    buffer->limit = capacity;
    if (capacity <= buffer->capacity) return PUAD_OK;
    TRY(memory_grow(&buffer->bytes, capacity + NUMBER_PADDING, 1, "reading CSV"));
    buffer->capacity = capacity;
    return PUAD_OK;
}

static void buffer_end(csv_buffer *buffer)
{
    if (buffer->last && buffer->used && buffer->bytes[buffer->used - 1] != '\n')
        buffer->bytes[buffer->used++] = '\n';
    memset(buffer->bytes + buffer->used, 0, NUMBER_PADDING);
}

/* Reads the bytes that have arrived; waits if they do not complete a line. */
static puad_status buffer_fill_live(csv_buffer *buffer, stream *source)
{
    size_t count, first = buffer->used;
    do {
        TRY(stream_read_live(source, buffer->bytes + buffer->used, buffer->limit - buffer->used - 1, &count));
        buffer->used += count;
        buffer->last = count == 0 && buffer->used + 1 < buffer->limit;
    } while (count && !memchr(buffer->bytes + first, '\n', buffer->used - first));
    buffer_end(buffer);
    return PUAD_OK;
}

/* Appends to the buffer; at the end of the file a missing final line feed is added. */
static puad_status buffer_fill(csv_buffer *buffer, stream *source)
{
    size_t count, capacity = buffer->limit - buffer->used - 1;
    if (source->live) return buffer_fill_live(buffer, source);
    TRY(stream_read_some(source, buffer->bytes + buffer->used, capacity, &count));
    buffer->used += count;
    buffer->last = count < capacity;
    buffer_end(buffer);
    return PUAD_OK;
}

/* The end of the first record that ends at or after `target`, for a record that begins at `begin`. NULL if
 * it is not in the buffer; *out_open is then the position of an open quote, or NULL. */
static const char *record_end(const char **out_open, const char *begin, const char *target, const char *end,
                              char delimiter)
{
    *out_open = NULL;
    for (const char *p = begin;;) {
        const char *quote = memchr(p, '"', (size_t)(end - p)), *stop = quote ? quote : end;
        if (stop > target) {
            const char *source = p > target ? p : target;
            const char *line_feed = memchr(source, '\n', (size_t)(stop - source));
            if (line_feed) return line_feed + 1;
        }
        if (!quote) return NULL;
        if (quote == begin || quote[-1] == delimiter || quote[-1] == '\n') { /* it opens a cell */
            const char *close = memchr(quote + 1, '"', (size_t)(end - quote - 1));
            while (close && close + 1 < end && close[1] == '"')
                close = memchr(close + 2, '"', (size_t)(end - close - 2));
            if (!close) {
                *out_open = quote;
                return NULL;
            }
            p = close + 1;
        } else {
            p = quote + 1;
        }
    }
}

static uint64_t count_lines(const char *begin, const char *end)
{
    uint64_t lines = 0;
    for (const char *p = begin; p < end; p++) lines += *p == '\n';
    return lines;
}

/* Cuts the current buffer from reader->start on. If there are no slices, the caller reads more. */
static puad_status cut_slices(size_t *out_count, csv_reader *reader)
{
    csv_buffer *buffer = reader->current;
    const char *begin = buffer->bytes + reader->start, *end = buffer->bytes + buffer->used, *open = NULL;
    size_t count = 0;
    uint64_t lines = reader->lines;
    bool waits = !buffer->last;         /* a partial slice waits for more bytes */
    if (reader->source.live && waits) { /* complete lines are cut at once */
        const char *feed = memrchr(begin, '\n', (size_t)(end - begin));
        if (feed) end = feed + 1;
        waits = !feed;
    }
    while (begin < end && count < reader->slices_most) {
        const char *target = end - begin > SLICE ? begin + SLICE - 1 : end - 1;
        const char *stop = record_end(&open, begin, target, end, reader->dialect.delimiter);
        if (!stop && buffer->last && !open) stop = end;
        if (!stop) break;
        if (stop == end && waits && end - begin < SLICE) break;
        reader->blocks[count].begin = begin;
        reader->blocks[count].end = stop;
        begin = stop;
        count++;
    }
    if (count == 0 && begin < end && open && (buffer->last || end - begin > RECORD_MAX)) {
        lines += count_lines(begin, open);
        stream_place at = csv_place(reader, lines + 1);
        FAIL(PUAD_FORMAT, "%s: line %llu: a quote opens here and is not closed %s", at.name, at.line,
             buffer->last ? "before the file ends" : "within 16 MB");
    }
    if (count == 0 && end - begin > RECORD_MAX)
        FAIL(PUAD_FORMAT, "%s: line %llu: longer than 16 MB", reader->name, (unsigned long long)lines + 1);
    *out_count = count;
    return PUAD_OK;
}

/* Moves the remaining bytes to the beginning of the other buffer. */
static puad_status carry_over(csv_reader *reader, size_t start)
{
    csv_buffer *old = reader->current, *next = reader->other;
    size_t left = old->used - start;
    size_t usual = (reader->slices_most + 1) * SLICE;
    TRY(buffer_grow(next, 2 * left > usual ? 2 * left : usual)); /* doubled if a record does not fit */
    memcpy(next->bytes, old->bytes + start, left);
    next->used = left;
    next->last = old->last;
    return PUAD_OK;
}

static void swap_buffers(csv_reader *reader)
{
    csv_buffer *old = reader->current;
    reader->current = reader->other;
    reader->other = old;
    reader->start = 0;
}

static void parse_item(void *context, size_t item, int thread)
{
    csv_reader *reader = context;
    if (item == 0) { /* item 0 reads ahead, in parallel with parsing */
        if (reader->current->last || reader->source.live) return; /* reading ahead would wait for new rows */
        reader->filling = buffer_fill(reader->other, &reader->source);
        if (reader->filling != PUAD_OK)
            snprintf(reader->filling_message, sizeof reader->filling_message, "%s", puad_last_error());
        return;
    }
    csv_block *block = &reader->blocks[item - 1];
    csv_parse(reader, block);
    if (block->status == PUAD_OK && reader->work)
        block->status = reader->work(reader->context, block, item - 1, thread);
}

/* Numbers rows and lines across blocks, and finds the first failed block. */
static puad_status join_blocks(csv_reader *reader, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        csv_block *block = &reader->blocks[i];
        block->first_row = reader->rows;
        block->first_line = reader->lines;
        if (block->status != PUAD_OK) { /* the parser counts lines within its block */
            stream_place at = csv_place(reader, reader->lines + block->lines + 1);
            FAIL(block->status, "%s: line %llu: %s", at.name, at.line,
                 block->message[0] ? block->message : "no memory");
        }
        reader->rows += block->rows;
        reader->lines += block->lines;
    }
    return PUAD_OK;
}

puad_status csv_next(csv_block **out_blocks, size_t *out_count, csv_reader *reader, csv_work *work,
                     void *context)
{
    size_t count = 0;
    for (;;) {
        if (reader->filled) {
            if (reader->filling != PUAD_OK) FAIL(reader->filling, "%s", reader->filling_message);
            swap_buffers(reader);
            reader->filled = false;
        }
        TRY(cut_slices(&count, reader));
        if (count > 0 || reader->current->last) break;
        TRY(carry_over(reader, reader->start));
        TRY(buffer_fill(reader->other, &reader->source));
        swap_buffers(reader);
    }
    *out_blocks = reader->blocks;
    *out_count = count;
    if (count == 0) return PUAD_OK;
    TRY(carry_over(reader, (size_t)(reader->blocks[count - 1].end - reader->current->bytes)));
    reader->work = work;
    reader->context = context;
    reader->filling = PUAD_OK;
    team_run(reader->workers, count + 1, parse_item, reader);
    reader->filled = true;
    return join_blocks(reader, count);
}

puad_status csv_peek(csv_reader *reader, const csv_block **out)
{
    size_t count;
    csv_block *block = &reader->blocks[0];
    TRY(cut_slices(&count, reader));
    if (count == 0) {
        block->rows = block->odd_count = 0;
        *out = block;
        return PUAD_OK;
    }
    csv_parse(reader, block);
    if (block->status != PUAD_OK) {
        stream_place at = csv_place(reader, reader->lines + block->lines + 1);
        FAIL(block->status, "%s: line %llu: %s", at.name, at.line, block->message);
    }
    *out = block;
    return PUAD_OK;
}

uint64_t csv_line(const csv_reader *reader, const csv_block *block, size_t row)
{
    const char *p = block->begin, *open;
    uint64_t line = block->first_line + 1;
    for (;;) {
        while (p < block->end && (*p == '\n' || (*p == '\r' && p[1] == '\n'))) line += *p++ == '\n';
        if (row-- == 0 || p >= block->end) return line;
        const char *stop = record_end(&open, p, p, block->end, reader->dialect.delimiter);
        if (!stop) return line;
        line += count_lines(p, stop);
        p = stop;
    }
}

puad_status csv_plan(csv_reader *reader, const cell_kind *kinds)
{
    memcpy(reader->kinds, kinds, reader->columns * sizeof *kinds);
    reader->number_columns = reader->text_columns = 0;
    for (size_t i = 0; i < reader->columns; i++) {
        reader->number_columns += kinds[i] == CELL_NUMBER;
        reader->text_columns += kinds[i] == CELL_TEXT;
    }
    return PUAD_OK;
}

puad_status csv_set_forms(csv_reader *reader, const cell_form *forms)
{
    bool any = false;
    for (size_t i = 0; forms && i < reader->columns; i++) any |= forms[i].kind != FORM_PLAIN;
    reader->forms = NULL;
    if (!any) return PUAD_OK;
    TRY(arena_new(&reader->memory, &reader->forms, reader->columns, sizeof *reader->forms));
    memcpy(reader->forms, forms, reader->columns * sizeof *forms);
    return PUAD_OK;
}

static puad_status reject_other_encodings(const csv_reader *reader, const csv_buffer *buffer)
{
    const unsigned char *bytes = (const unsigned char *)buffer->bytes;
    size_t size = buffer->used;
    if (size >= 2 && ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff)))
        FAIL(PUAD_FORMAT, "%s: offset 0: UTF-16 text; convert it to UTF-8 first", reader->name);
    if (size > 1 && !memchr(bytes, '\n', size - 1) && memchr(bytes, '\r', size - 2))
        FAIL(PUAD_FORMAT, "%s: lines end in carriage returns only; convert them to line feeds first",
             reader->name);
    return PUAD_OK;
}

/* The name of column `index` from the header, or a generated one; duplicates get a number appended. */
static puad_status name_column(csv_reader *reader, size_t index, raw_cell cell)
{
    char made_up[32];
    AUTO_FREE char *clean = NULL;
    AUTO_FREE char *utf8 = NULL;
    TRY(memory_new(&clean, cell.view.length + 1, 1, "a column name"));
    TRY(memory_new(&utf8, 2 * cell.view.length + 32, 1, "a column name"));
    text_view view = cell.view;
    if (cell.dirty) view = (text_view){clean, cell_clean(clean, cell)};
    if (!text_is_utf8(view)) view = (text_view){utf8, text_from_latin1(utf8, view)};
    if (!reader->dialect.header || view.length == 0) {
        snprintf(made_up, sizeof made_up, "column_%zu", index + 1);
        view = (text_view){made_up, strlen(made_up)};
    }
    return arena_view(&reader->memory, &reader->column_names[index], view);
}

static int compare_names(const void *a, const void *b)
{
    const char *const *const *x = a, *const *const *y = b;
    int order = strcmp(**x, **y);
    return order ? order : (*x > *y) - (*x < *y);
}

/* Renames later columns with the same name to "name.1", "name.2" ...; *out_changed is true if there are
 * any. */
static puad_status number_same_names(csv_reader *reader, const char ***order, bool *out_changed)
{
    for (size_t i = 0; i < reader->columns; i++) order[i] = &reader->column_names[i];
    qsort(order, reader->columns, sizeof *order, compare_names);
    size_t same = 0;
    const char *first = *order[0];
    *out_changed = false;
    for (size_t i = 1; i < reader->columns; i++) {
        if (strcmp(*order[i], first) != 0) {
            first = *order[i];
            same = 0;
            continue;
        }
        size_t capacity = strlen(first) + 24;
        char *name;
        TRY(arena_new(&reader->memory, &name, capacity, 1));
        snprintf(name, capacity, "%s.%zu", first, ++same);
        *order[i] = name;
        *out_changed = true;
    }
    return PUAD_OK;
}

static puad_status make_names_unique(csv_reader *reader)
{
    AUTO_FREE const char ***order = NULL;
    TRY(memory_new(&order, reader->columns, sizeof *order, "column names"));
    bool changed = true;
    for (int pass = 0; changed && pass < 8; pass++) TRY(number_same_names(reader, order, &changed));
    if (changed)
        FAIL(PUAD_FORMAT, "%s: line %llu: the column names cannot be made unique", reader->name,
             (unsigned long long)reader->lines + 1);
    return PUAD_OK;
}

/* Doubles the sample at the beginning of the file, unless the file or the limit for a record ends. */
static puad_status read_more(bool *out_more, csv_reader *reader)
{
    csv_buffer *buffer = reader->current;
    *out_more = !buffer->last && buffer->used - reader->start <= RECORD_MAX;
    if (!*out_more) return PUAD_OK;
    TRY(buffer_grow(buffer, 2 * buffer->limit));
    return buffer_fill(buffer, &reader->source);
}

/* Reads until the buffer holds the complete first record. */
static puad_status need_first_record(csv_reader *reader)
{
    const csv_buffer *buffer = reader->current;
    for (bool more = true; more;) {
        const char *end = buffer->bytes + buffer->used, *p = buffer->bytes + reader->start;
        while (p < end && (*p == '\n' || (*p == '\r' && p[1] == '\n'))) p++;
        for (; p < end; p++) {
            cell_scan(&p, end, reader->dialect.delimiter);
            if (p < end && *p == '\n') return PUAD_OK;
        }
        TRY(read_more(&more, reader));
    }
    return PUAD_OK; /* read_header reports it */
}

static puad_status read_header(csv_reader *reader)
{
    csv_buffer *buffer = reader->current;
    TRY(need_first_record(reader));
    const char *end = buffer->bytes + buffer->used, *p = buffer->bytes + reader->start, *first = p;
    for (p = first; p < end && (*p == '\n' || (*p == '\r' && p[1] == '\n')); p++) reader->lines += *p == '\n';
    if (p == end) FAIL(PUAD_FORMAT, "%s: empty: expected a header line or rows", reader->name);
    first = p;
    for (;; p++) {
        cell_scan(&p, end, reader->dialect.delimiter);
        if (++reader->columns > COLUMNS_MAX)
            FAIL(PUAD_FORMAT, "%s: line %llu: more than %d columns", reader->name,
                 (unsigned long long)reader->lines + 1, COLUMNS_MAX);
        if (p == end)
            FAIL(PUAD_FORMAT,
                 "%s: "
                 "line %llu: the first record has no end: a quote is not closed, or it is longer than 16 MB",
                 reader->name, (unsigned long long)reader->lines + 1);
        if (*p == '\n') break;
    }
    TRY(arena_new(&reader->memory, &reader->column_names, reader->columns, sizeof *reader->column_names));
    TRY(arena_new(&reader->memory, &reader->kinds, reader->columns, sizeof *reader->kinds));
    p = first;
    for (size_t i = 0; i < reader->columns; i++, p++)
        TRY(name_column(reader, i, cell_scan(&p, end, reader->dialect.delimiter)));
    TRY(make_names_unique(reader));
    if (reader->dialect.header) reader->lines += count_lines(first, p);
    reader->start = (size_t)((reader->dialect.header ? p : first) - buffer->bytes);
    for (size_t i = 0; i < reader->columns; i++) reader->kinds[i] = CELL_NUMBER;
    reader->number_columns = reader->columns;
    return PUAD_OK;
}

/* The bytes up to the last line feed within the sample; at least one line if the buffer has one. */
static size_t sample_size(const csv_buffer *buffer, size_t start)
{
    size_t size = buffer->used - start < SAMPLE ? buffer->used - start : SAMPLE;
    const char *bytes = buffer->bytes + start, *feed = memrchr(bytes, '\n', size);
    if (!feed) feed = memchr(bytes, '\n', buffer->used - start);
    return feed ? (size_t)(feed - bytes) + 1 : buffer->used - start;
}

/* A first line "sep=;", which spreadsheets write, names the delimiter and is not a record. Returns 0 if
 * there is none. */
static char skip_separator_line(csv_reader *reader)
{
    static const char head[] = "sep=";
    const char *line = reader->current->bytes + reader->start;
    size_t left = reader->current->used - reader->start, length = sizeof head - 1;
    if (left < length + 2 || strncasecmp(line, head, length) != 0) return 0;
    char delimiter = line[length];
    size_t end = length + 1;
    if (end + 1 < left && line[end] == '\r') end++;
    if (line[end] != '\n' || !delimiter || !strchr(",;\t|:^~", delimiter)) return 0;
    reader->start += end + 1;
    reader->lines++;
    return delimiter;
}

static puad_status prepare(csv_reader *reader, const char *path, const csv_settings *settings)
{
    TRY((settings->live ? stream_open_live : stream_open_kept)(&reader->source, path, settings->kept));
    reader->name = settings->name ? settings->name : reader->source.name;
    size_t slices = 2 * (size_t)team_size(reader->workers);
    reader->slices_most = slices < 4 ? 4 : slices > CSV_BLOCKS_MAX ? CSV_BLOCKS_MAX : slices;
    reader->current = &reader->buffers[0];
    reader->other = &reader->buffers[1];
    csv_buffer *buffer = reader->current;
    TRY(buffer_grow(buffer, (reader->slices_most + 1) * SLICE));
    TRY(buffer_fill(buffer, &reader->source));
    while (reader->source.live && !buffer->last &&
           count_lines(buffer->bytes, buffer->bytes + buffer->used) < 2)
        TRY(buffer_fill(buffer, &reader->source)); /* a header and a row */
    TRY(reject_other_encodings(reader, buffer));
    if (buffer->used >= 3 && memcmp(buffer->bytes, "\xef\xbb\xbf", 3) == 0) reader->start = 3;
    bool more = true; /* the dialect guess needs at least one line */
    while (more && !memchr(buffer->bytes + reader->start, '\n', buffer->used - reader->start))
        TRY(read_more(&more, reader));
    csv_settings settled = *settings;
    char separator = skip_separator_line(reader);
    if (!settled.delimiter) settled.delimiter = separator;
    size_t size = sample_size(buffer, reader->start);
    if (memchr(buffer->bytes + reader->start, 0, size))
        FAIL(PUAD_FORMAT, "%s: offset %zu: a NUL byte: this is not text", reader->name,
             (size_t)((char *)memchr(buffer->bytes + reader->start, 0, size) - buffer->bytes));
    size_t titles = csv_preamble(buffer->bytes + reader->start, size, &settled);
    reader->skipped = count_lines(buffer->bytes + reader->start, buffer->bytes + reader->start + titles);
    reader->lines += reader->skipped;
    reader->start += titles;
    size -= titles;
    TRY(csv_dialect_guess(&reader->dialect, buffer->bytes + reader->start, size, &settled));
    return read_header(reader);
}

puad_status csv_open(csv_reader **out, const char *path, const csv_settings *settings, team *workers)
{
    csv_reader *reader = NULL;
    TRY(memory_new(&reader, 1, sizeof *reader, path));
    reader->workers = workers;
    puad_status status = prepare(reader, path, settings);
    if (status != PUAD_OK) {
        csv_close(reader);
        return status;
    }
    *out = reader;
    return PUAD_OK;
}

void csv_close(csv_reader *reader)
{
    if (!reader) return;
    for (size_t i = 0; i < CSV_BLOCKS_MAX; i++) {
        free(reader->blocks[i].numbers);
        free(reader->blocks[i].texts);
        free(reader->blocks[i].odd);
        free(reader->blocks[i].scratch);
    }
    free(reader->buffers[0].bytes);
    free(reader->buffers[1].bytes);
    stream_close(&reader->source);
    arena_free(&reader->memory);
    free(reader);
}

stream_place csv_place(const csv_reader *reader, uint64_t line)
{
    return stream_line(&reader->source, line);
}

const char *csv_name(const csv_reader *reader)
{
    return reader->name;
}
csv_dialect csv_dialect_of(const csv_reader *reader)
{
    return reader->dialect;
}

uint64_t csv_skipped(const csv_reader *reader)
{
    return reader->skipped;
}

const char *const *csv_columns(const csv_reader *reader, size_t *out_count)
{
    *out_count = reader->columns;
    return reader->column_names;
}
