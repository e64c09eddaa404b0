/* Converts a slice to numbers and string views. Number cells are parsed in place; only those that are not
 * plain numbers take the slow path through cell_scan. */
#include "base/c_locale.h"
#include "base/number.h"
#include "io/csv_cell.h"
#include "table/csv/csv_reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct cursor {
    const csv_reader *reader;
    csv_block *block;
    const char *position;
    char delimiter, decimal;
} cursor;

static void __attribute__((format(printf, 4, 5)))
block_fail(csv_block *block, puad_status code, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    c_print_list(block->message, sizeof block->message, format, arguments);
    va_end(arguments);
    block->status = code;
    block->lines = 0;
    for (const char *p = block->begin; p < where; p++) block->lines += *p == '\n';
}

static inline bool ends_cell(const char *p, char delimiter)
{
    return *p == delimiter || *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/* The value of a cell, cleaned in the block's scratch memory if it cannot be viewed in place. */
static text_view tidy(csv_block *block, raw_cell cell)
{
    bool ascii = true;
    for (size_t i = 0; i < cell.view.length; i++) ascii &= (unsigned char)cell.view.text[i] < 0x80;
    if (ascii && !cell.dirty) return cell.view;
    if (!cell.dirty && text_is_utf8(cell.view)) return cell.view;
    /* three bytes per byte of the slice: a cleaned copy, and twice that length as UTF-8 */
    if (!block->scratch) {
        size_t capacity = 3 * (size_t)(block->end - block->begin);
        if (memory_grow(&block->scratch, capacity, 1, "CSV text") != PUAD_OK) {
            block_fail(block, PUAD_MEMORY, cell.view.text, "no memory");
            return (text_view){"", 0};
        }
        block->scratch_room = capacity;
    }
    char *out = block->scratch + block->scratch_used;
    text_view view = cell.view;
    if (cell.dirty) view = (text_view){out, cell_clean(out, cell)};
    if (!text_is_utf8(view)) {
        char *utf8 = out + (cell.dirty ? view.length : 0);
        view = (text_view){utf8, text_from_latin1(utf8, view)};
    }
    block->scratch_used = (size_t)(view.text + view.length - block->scratch);
    return view;
}

static void add_odd_cell(csv_block *block, size_t number, text_view view)
{
    if (block->odd_count == block->odd_room) {
        size_t capacity = 2 * block->odd_room;
        if (memory_grow(&block->odd, capacity, sizeof *block->odd, "CSV cells") != PUAD_OK) {
            block_fail(block, PUAD_MEMORY, block->begin, "no memory");
            return;
        }
        block->odd_room = capacity;
    }
    block->odd[block->odd_count++] = (odd_cell){(uint32_t)block->rows, (uint32_t)number, view};
}

/* A number cell off the fast path: quoted, missing, with blanks, or not a number. */
static double slow_number(cursor *at, size_t number)
{
    raw_cell cell = cell_scan(&at->position, at->block->end, at->delimiter);
    double value;
    if (cell_is_missing(cell.view.text, cell.view.length)) return NAN;
    if (number_parse(&value, cell.view.text, cell.view.length, at->decimal)) return number_bounded(value);
    add_odd_cell(at->block, number, tidy(at->block, cell));
    return NAN;
}

/* A cell of a column with another number format. */
static double formed_number(cursor *at, size_t number, const cell_form *form)
{
    raw_cell cell = cell_scan(&at->position, at->block->end, at->delimiter);
    double value;
    if (form_is_missing(form, cell.view)) return NAN;
    text_view text = tidy(at->block, cell);
    if (form_read(&value, form, text)) return number_bounded(value);
    add_odd_cell(at->block, number, text);
    return NAN;
}

static inline double read_number(cursor *at, size_t number)
{
    double value;
    /* with a comma delimiter such numbers are quoted */
    if (at->decimal == at->delimiter) return slow_number(at, number);
    const char *end = number_scan(&value, at->position, at->decimal);
    if (!end || !ends_cell(end, at->delimiter)) return slow_number(at, number);
    at->position = end + (*end == '\r' && at->delimiter != '\r');
    return number_bounded(value);
}

/* Skips cells after the last column if all of them are empty. */
static void skip_surplus(cursor *at, const char *record)
{
    while (*at->position != '\n') {
        at->position++;
        raw_cell cell = cell_scan(&at->position, at->block->end, at->delimiter);
        if (cell.view.length == 0) continue;
        size_t cells = 0;
        for (const char *p = record;; p++) {
            cell_scan(&p, at->block->end, at->delimiter);
            cells++;
            if (p >= at->block->end || *p == '\n') break;
        }
        block_fail(at->block, PUAD_FORMAT, record, "%zu cells, expected %zu", cells, at->reader->columns);
        return;
    }
}

static void fill_short_row(const csv_reader *reader, csv_block *block, size_t column, double *numbers,
                           text_view *texts)
{
    for (; column < reader->columns; column++) {
        if (reader->kinds[column] == CELL_NUMBER) *numbers++ = NAN;
        if (reader->kinds[column] == CELL_TEXT) *texts++ = (text_view){"", 0};
    }
    block->short_rows++;
}

static void parse_record(cursor *at)
{
    const csv_reader *reader = at->reader;
    csv_block *block = at->block;
    const char *record = at->position;
    const cell_kind *kinds = reader->kinds;
    const cell_form *forms = reader->forms;
    double *first_number = block->numbers + block->rows * reader->number_columns, *numbers = first_number;
    text_view *texts = block->texts + block->rows * reader->text_columns;
    size_t columns = reader->columns;
    for (size_t column = 0;;) {
        if (kinds[column] == CELL_NUMBER) {
            size_t number = (size_t)(numbers - first_number);
            *numbers = forms && forms[column].kind ? formed_number(at, number, &forms[column])
                                                   : read_number(at, number);
            numbers++;
        } else {
            raw_cell cell = cell_scan(&at->position, block->end, at->delimiter);
            if (kinds[column] == CELL_TEXT) *texts++ = tidy(block, cell);
        }
        column++;
        if (*at->position == '\n' || at->position >= block->end) {
            if (2 * column < columns)
                block_fail(block, PUAD_FORMAT, record, "%zu of %zu cells: this is not a row of the table",
                           column, columns);
            else if (column < columns)
                fill_short_row(reader, block, column, numbers, texts);
            break;
        }
        if (column == columns) {
            skip_surplus(at, record);
            break;
        }
        at->position++;
    }
    at->position++;
    block->rows++;
}

static puad_status make_room(const csv_reader *reader, csv_block *block)
{
    /* a row has at least half of the columns, so memory is bounded by the size of the file even with many
     * short lines */
    size_t rows = (size_t)(block->end - block->begin) / ((reader->columns + 1) / 2) + 1;
    if (rows > block->lines + 1) rows = block->lines + 1;
    size_t numbers = rows * reader->number_columns + 1,
           texts = rows * reader->text_columns + 1; /* never NULL */
    if (numbers > block->number_room) {
        TRY(memory_grow(&block->numbers, numbers, sizeof(double), "CSV numbers"));
        block->number_room = numbers;
    }
    if (!block->odd) {
        TRY(memory_new(&block->odd, 256, sizeof *block->odd, "CSV cells"));
        block->odd_room = 256;
    }
    if (texts > block->text_room) {
        TRY(memory_grow(&block->texts, texts, sizeof(text_view), "CSV text"));
        block->text_room = texts;
    }
    if (block->scratch && block->scratch_room < 3 * (size_t)(block->end - block->begin)) {
        memory_cleanup(&block->scratch);
        block->scratch = NULL;
    }
    return PUAD_OK;
}

void csv_parse(const csv_reader *reader, csv_block *block)
{
    size_t lines = 0;
    for (const char *p = block->begin; p < block->end; p++) lines += *p == '\n';
    block->rows = block->short_rows = block->odd_count = block->scratch_used = 0;
    block->lines = lines;
    block->status = make_room(reader, block);
    if (block->status != PUAD_OK) {
        snprintf(block->message, sizeof block->message, "%s", puad_last_error());
        return;
    }
    const char *nul = memchr(block->begin, 0, (size_t)(block->end - block->begin));
    if (nul) {
        block_fail(block, PUAD_FORMAT, nul, "a NUL byte: this is not text");
        return;
    }
    cursor at = {reader, block, block->begin, reader->dialect.delimiter, reader->dialect.decimal};
    while (at.position < block->end && block->status == PUAD_OK) {
        if (*at.position == '\n' || (*at.position == '\r' && at.position[1] == '\n'))
            at.position++;
        else
            parse_record(&at);
    }
}
