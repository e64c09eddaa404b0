/* Converts the first sheet of an Excel workbook to CSV, row by row: numbers as stored, dates as 2024-01-31
 * 10:00:00, strings quoted if necessary. Unsupported spreadsheet formats are rejected with advice. */
#include "base/file.h"
#include "base/number.h"
#include "io/stream_makers.h"
#include "table/cells/cell_date.h"
#include "table/xlsx/workbook.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { COLUMNS_MAX = 16384, ROWS_MAX = 1 << 20, ROW_BYTES_MAX = 16 << 20 };

typedef struct sheet {
    workbook book;
    xml xml;
    char *line; /* the current row as CSV */
    size_t line_at, line_used, line_room;
    char *value; /* the value of the current cell */
    size_t value_used, value_room;
    size_t first, width; /* columns: the first, and how many */
    size_t rows;
    bool dimension, ended;
} sheet;

typedef struct cell {
    size_t column;
    char type; /* s shared string, t inline string, b boolean, e error, n number */
    size_t style;
} cell;

static puad_status put(char **to, size_t *used, size_t *buffer, const char *text, size_t length,
                       const sheet *source)
{
    if (*used + length > *buffer) {
        size_t wanted = 2 * (*used + length) + 256;
        if (*used + length > ROW_BYTES_MAX)
            FAIL(PUAD_FORMAT, "%s: row %zu: longer than 16 MB", source->xml.source.name, source->rows + 1);
        TRY(memory_grow(to, wanted, 1, "a sheet"));
        *buffer = wanted;
    }
    if (length) memcpy(*to + *used, text, length);
    *used += length;
    return PUAD_OK;
}

static puad_status put_line(sheet *to, const char *text, size_t length)
{
    return put(&to->line, &to->line_used, &to->line_room, text, length, to);
}

static puad_status put_quoted(sheet *to, text_view text)
{
    bool plain = text.length == 0 || (!isspace((unsigned char)text.text[0]) &&
                                      !isspace((unsigned char)text.text[text.length - 1]));
    for (size_t i = 0; plain && i < text.length; i++) plain = !strchr(",\"\n\r;\t|", text.text[i]);
    if (plain) return put_line(to, text.text, text.length);
    TRY(put_line(to, "\"", 1));
    for (size_t i = 0; i < text.length; i++) {
        if (text.text[i] == '"') TRY(put_line(to, "\"", 1));
        TRY(put_line(to, &text.text[i], 1));
    }
    return put_line(to, "\"", 1);
}

/* The column of "BC12", counted from 0. */
static bool column_of(size_t *out, const char *place)
{
    size_t column = 0, i = 0;
    for (; place[i] >= 'A' && place[i] <= 'Z' && i < 4; i++)
        column = column * 26 + (size_t)(place[i] - 'A') + 1;
    *out = column - 1;
    return i > 0 && column <= COLUMNS_MAX;
}

/* Converts an Excel day number with its fraction to a date; day 60 is February 29, 1900, which did not
 * exist. */
static void put_date(char out[DATE_TEXT], double days, bool from_1904)
{
    double first = from_1904 ? 24107 : days < 60 ? 25568 : 25569; /* days from the epoch to 1970 */
    if (!from_1904 && days >= 0 && days < 1)
        date_text(out, round(days * 86400), DATE_TIME);
    else
        date_text(out, round((days - first) * 86400), DATE_YMD);
}

static puad_status put_cell(sheet *to, const cell *source)
{
    char made[DATE_TEXT];
    double number;
    text_view text = {to->value ? to->value : "", to->value_used};
    if (source->type == 's') {
        bool good = number_parse(&number, text.text, text.length, '.') && number >= 0 &&
                    number < (double)to->book.text_count && number == floor(number);
        if (!good)
            FAIL(PUAD_FORMAT, "%s: row %zu: a reference to a missing shared string", to->xml.source.name,
                 to->rows + 1);
        text = to->book.texts[(size_t)number];
    } else if (source->type == 'b') {
        text = text.length && text.text[0] == '1' ? (text_view){"TRUE", 4} : (text_view){"FALSE", 5};
    } else if (source->type == 'e') {
        text = (text_view){"", 0}; /* errors such as #N/A and #DIV/0! are missing values */
    } else if (source->type == 'n' && source->style < to->book.style_count && to->book.dates[source->style] &&
               number_parse(&number, text.text, text.length, '.') && fabs(number) < 3e6) {
        put_date(made, number, to->book.from_1904);
        text = (text_view){made, strlen(made)};
    }
    return put_quoted(to, text);
}

static cell read_cell(const xml_event *event, size_t expected, bool *out_good)
{
    char text[32];
    cell found = {.column = expected, .type = 'n', .style = SIZE_MAX};
    *out_good = true;
    if (xml_attribute(text, sizeof text, event, "r")) *out_good = column_of(&found.column, text);
    if (xml_attribute(text, sizeof text, event, "s")) found.style = (size_t)strtoul(text, NULL, 10);
    if (xml_attribute(text, sizeof text, event, "t"))
        found.type = strcmp(text, "s") == 0   ? 's'
                     : strcmp(text, "b") == 0 ? 'b'
                     : strcmp(text, "e") == 0 ? 'e'
                     : strcmp(text, "n") == 0 ? 'n'
                                              : 't';
    return found;
}

/* The value of a cell: <v> or, for inline strings, <t>. Formulas are skipped. */
static puad_status read_value(sheet *source, bool empty)
{
    bool inside = false, spoken = false;
    source->value_used = 0;
    for (xml_event event; !empty;) {
        TRY(xml_next(&event, &source->xml));
        if (event.kind == XML_END_OF_FILE || xml_is(&event, XML_CLOSE, "c")) break;
        bool value = view_is(event.name, "v") || view_is(event.name, "t");
        if (event.kind == XML_OPEN && value) inside = !event.empty;
        if (event.kind == XML_CLOSE && value) inside = false;
        if (event.kind == XML_OPEN && view_is(event.name, "rPh")) spoken = !event.empty;
        if (xml_is(&event, XML_CLOSE, "rPh")) spoken = false;
        if (event.kind == XML_TEXT && inside && !spoken)
            TRY(put(&source->value, &source->value_used, &source->value_room, event.text.text,
                    event.text.length, source));
    }
    return PUAD_OK;
}

/* Reads one row into `line`; an empty row gives an empty line. Cells must be in column order. */
static puad_status read_row(sheet *source)
{
    size_t next = source->first, filled = 0;
    for (xml_event event;;) {
        TRY(xml_next(&event, &source->xml));
        if (event.kind == XML_END_OF_FILE || xml_is(&event, XML_CLOSE, "row")) break;
        if (!xml_is(&event, XML_OPEN, "c")) continue;
        bool good;
        cell found = read_cell(&event, next, &good);
        if (!good || found.column < next)
            FAIL(PUAD_FORMAT, "%s: row %zu: a cell in the wrong place", source->xml.source.name,
                 source->rows + 1);
        TRY(read_value(source, event.empty));
        for (; next < found.column; next++) TRY(put_line(source, ",", 1));
        size_t before = source->line_used;
        TRY(put_cell(source, &found));
        filled += source->line_used > before;
        TRY(put_line(source, ",", 1));
        next++;
    }
    source->rows++;
    if (filled == 0) {
        source->line_used = 0;
        return PUAD_OK;
    }
    if (source->width == 0) source->width = next - source->first;
    for (; next - source->first < source->width; next++) TRY(put_line(source, ",", 1));
    source->line_used--; /* drop the comma after the last cell */
    return put_line(source, "\n", 1);
}

static void read_dimension(sheet *out, const xml_event *event)
{
    char text[64];
    size_t first, last;
    if (!xml_attribute(text, sizeof text, event, "ref")) return;
    const char *colon = strchr(text, ':');
    if (!colon || !column_of(&first, text) || !column_of(&last, colon + 1) || last < first) return;
    out->first = first;
    out->width = last - first + 1;
}

static puad_status next_row(sheet *source)
{
    source->line_at = source->line_used = 0;
    for (xml_event event; source->line_used == 0;) {
        TRY(xml_next(&event, &source->xml));
        if (event.kind == XML_END_OF_FILE || xml_is(&event, XML_CLOSE, "sheetData")) {
            source->ended = true;
            return PUAD_OK;
        }
        if (xml_is(&event, XML_OPEN, "dimension")) read_dimension(source, &event);
        if (!xml_is(&event, XML_OPEN, "row") || event.empty) continue;
        if (source->rows >= ROWS_MAX)
            FAIL(PUAD_FORMAT, "%s: more than %d rows", source->xml.source.name, ROWS_MAX);
        TRY(read_row(source));
    }
    return PUAD_OK;
}

static puad_status read_sheet(stream *source, unsigned char *out, size_t size, size_t *out_count)
{
    sheet *self = source->made.state;
    size_t done = 0;
    while (done < size && !source->ended) {
        if (self->line_at == self->line_used) TRY(next_row(self));
        size_t left = self->line_used - self->line_at, count = left < size - done ? left : size - done;
        if (count) memcpy(out + done, self->line + self->line_at, count);
        self->line_at += count;
        done += count;
        source->ended = self->ended && self->line_at == self->line_used;
    }
    *out_count = done;
    return PUAD_OK;
}

static void end_sheet(stream *source)
{
    sheet *self = source->made.state;
    workbook_free(&self->book);
    xml_close(&self->xml);
    free(self->line);
    free(self->value);
    free(self);
}

static bool begins(const stream *source, const char *bytes, size_t size)
{
    return source->buffered >= size && memcmp(source->next, bytes, size) == 0;
}

static puad_status refuse_others(const stream *source)
{
    if (begins(source, "PAR1", 4) || begins(source, "ARROW1", 6))
        FAIL(PUAD_FORMAT, "%s: a %s file; convert it to CSV, or pass it to Python (pandas.read_%s)",
             source->name, begins(source, "PAR1", 4) ? "Parquet" : "Feather",
             begins(source, "PAR1", 4) ? "parquet" : "feather");
    if (begins(source, "\xd0\xcf\x11\xe0", 4))
        FAIL(PUAD_FORMAT, "%s: an old Excel file (.xls); save it as .xlsx or CSV", source->name);
    if (begins(source, "SQLite format 3", 15))
        FAIL(PUAD_FORMAT, "%s: an SQLite database; write the table as CSV first (sqlite3 -header -csv)",
             source->name);
    if (begins(source, "<?xml", 5) || begins(source, "<html", 5) || begins(source, "<!DOCTYPE", 9) ||
        begins(source, "<HTML", 5))
        FAIL(PUAD_FORMAT, "%s: XML or HTML; open it in a spreadsheet and save it as .xlsx or CSV",
             source->name);
    if (begins(source, "{\"", 2) || begins(source, "[{", 2) || begins(source, "{\n", 2) ||
        begins(source, "[\n", 2))
        FAIL(PUAD_FORMAT, "%s: JSON; write it as CSV first (pandas.read_json(...).to_csv(...))",
             source->name);
    return PUAD_OK;
}

/* Whether the first member of a zip archive belongs to a workbook. */
static bool is_workbook(const stream *source)
{
    static const char *const names[] = {"[Content_Types].xml", "_rels/", "docProps/", "xl/"};
    if (!begins(source, "PK\3\4", 4) || source->buffered < 30) return false;
    size_t length = source->next[26] + 256u * source->next[27];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length >= strlen(names[i]) && source->buffered >= 30 + length &&
            memcmp(source->next + 30, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

puad_status stream_sheet(stream *out, const char *path)
{
    sheet *source = NULL;
    TRY(refuse_others(out));
    if (begins(out, "PK\3\4", 4) && out->buffered > 38 && memcmp(out->next + 30, "mimetype", 8) == 0)
        FAIL(PUAD_FORMAT, "%s: an OpenDocument file; save it as .xlsx or CSV", out->name);
    if (!is_workbook(out)) return PUAD_OK;
    if (file_is_pipe(path)) FAIL(PUAD_IO, "%s: a workbook cannot be read from a pipe", out->name);
    TRY(memory_new(&source, 1, sizeof *source, path));
    out->kind = STREAM_MADE;
    out->made = (stream_maker){read_sheet, end_sheet, source, 0};
    out->ended = false;
    bool found;
    TRY(workbook_open(&source->book, path));
    TRY(stream_open_zip(&source->xml.source, &found, path, source->book.sheet));
    if (!found) FAIL(PUAD_FORMAT, "%s: it contains no %s", path, source->book.sheet);
    return PUAD_OK;
}
