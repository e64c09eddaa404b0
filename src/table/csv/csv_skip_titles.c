/* Skips titles above a table, as in reports and spreadsheets. */
#include "base/number.h"
#include "io/csv_cell.h"
#include "io/csv_dialect.h"

enum { RECORDS = 60, SKIPPED_MAX = 20, CELLS_MAX = 1024 };

typedef struct shape {           /* of a record */
    size_t cells, filled, known; /* known: cells that are column names */
    bool numbers;                /* some cell is a number */
    const char *begin;
} shape;

enum { TITLE_CELLS = 64 }; /* maximum number of cells compared with the names; a title has few */

static bool is_known(text_view text, const csv_settings *settings)
{
    for (size_t i = 0; i < settings->known_count; i++)
        if (view_is(text, settings->known[i])) return true;
    return false;
}

static size_t survey(shape *out, const char *p, const char *end, char delimiter, const csv_settings *settings)
{
    size_t count = 0;
    double value;
    while (p < end && count < RECORDS) {
        shape *record = &out[count];
        *record = (shape){.begin = p};
        for (;; p++) {
            raw_cell cell = cell_scan(&p, end, delimiter);
            text_view text = view_trimmed(cell.view);
            record->cells++;
            record->filled += text.length > 0;
            record->numbers |= number_parse(&value, text.text, text.length, '.') ||
                               number_parse(&value, text.text, text.length, ',');
            if (text.length && record->cells <= TITLE_CELLS) record->known += is_known(text, settings);
            if (p >= end || *p == '\n') break;
        }
        p += p < end;
        count += record->filled > 0;
    }
    return count;
}

/* The most frequent number of cells per record, and its frequency. */
static size_t usual_cells(const shape *records, size_t count, size_t *out_agree)
{
    size_t usual = 0;
    *out_agree = 0;
    for (size_t i = 0; i < count; i++) {
        size_t agree = 0;
        for (size_t k = 0; k < count; k++) agree += records[k].cells == records[i].cells;
        if (agree <= *out_agree || records[i].cells < 2) continue;
        usual = records[i].cells;
        *out_agree = agree;
    }
    return usual;
}

/* Whether a line has too few cells to name the columns. A header may lack two names, for example those of
 * an index and a value. A title may equal a column name; the line below it then has more of them. */
static bool is_title(const shape *record, size_t usual)
{
    /* if the line below has column names, numbers such as years may be in the title */
    const shape *next = record + 1;
    bool named = next->filled == usual && !next->numbers;
    bool names_more = record->known && record->known >= next->known;
    if ((record->numbers && !named) || names_more || 2 * record->filled > usual) return false;
    return record->cells < usual || usual >= 3;
}

size_t csv_preamble(const char *bytes, size_t size, const csv_settings *settings)
{
    static const char delimiters[] = {',', ';', '\t', '|'};
    shape records[RECORDS];
    size_t best = 0, skipped = 0;
    if (settings->header == HEADER_NO) return 0;
    for (size_t i = 0; i < sizeof delimiters; i++) {
        size_t agree, at = 0;
        if (settings->delimiter && settings->delimiter != delimiters[i]) continue;
        size_t count = survey(records, bytes, bytes + size, delimiters[i], settings);
        size_t usual = usual_cells(records, count, &agree);
        while (at + 1 < count && at < SKIPPED_MAX && is_title(&records[at], usual)) at++;
        if (usual < 2 || at + 2 >= count || 10 * agree < 7 * (count - at) || agree <= best) continue;
        best = agree;
        skipped = (size_t)(records[at].begin - bytes);
        if (records[at].filled * 2 <= usual || at == 0) skipped = 0;
    }
    return skipped;
}
