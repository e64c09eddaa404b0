/* Guesses the dialect: the delimiter for which most records have as many cells (more than one) as the
 * first record. Ties go to the delimiter with more numeric cells, then to the one with more cells. */
#include "io/csv_dialect.h"

#include "base/number.h"
#include "io/csv_cell.h"

enum { RECORDS_MAX = 200, CELLS_MAX = 4096 };

typedef struct trial { /* the sample, split by one delimiter */
    size_t cells;      /* in the first record */
    size_t records, agreeing;
    /* cells after the first record; those that are numbers with '.' or with ',' */
    size_t all, with_point, with_comma;
    size_t marked; /* cells that are numbers with only one of the two decimal marks */
} trial;

static bool at_line_end(const char *p, const char *end)
{
    return p == end || *p == '\n';
}

static const char *skip_empty_lines(const char *p, const char *end)
{
    while (p < end && (*p == '\n' || (*p == '\r' && p + 1 < end && p[1] == '\n'))) p++;
    return p;
}

/* Counts the cells of one record. Returns the byte after it. */
static const char *try_record(trial *sum, const char *p, const char *end, char delimiter)
{
    size_t cells = 0;
    bool first = sum->records == 0;
    for (;; p++) {
        raw_cell cell = cell_scan(&p, end, delimiter);
        double value;
        cells++;
        if (!first) {
            bool point = number_parse(&value, cell.view.text, cell.view.length, '.');
            bool comma = delimiter != ',' && number_parse(&value, cell.view.text, cell.view.length, ',');
            sum->all++;
            sum->with_point += point;
            sum->with_comma += comma;
            sum->marked += delimiter != ',' && point != comma;
        }
        if (at_line_end(p, end)) break;
    }
    if (first) sum->cells = cells;
    sum->agreeing += cells == sum->cells;
    sum->records++;
    return p < end ? p + 1 : p;
}

static trial try_delimiter(const char *bytes, size_t size, char delimiter)
{
    trial sum = {0};
    const char *end = bytes + size;
    for (const char *p = skip_empty_lines(bytes, end); p < end && sum.records < RECORDS_MAX;
         p = skip_empty_lines(p, end))
        p = try_record(&sum, p, end, delimiter);
    return sum;
}

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static bool is_better(const trial *a, const trial *b)
{
    if (b->cells < 2) return a->cells > 1;
    if (a->cells < 2) return false;
    double agree_a = share(a->agreeing, a->records), agree_b = share(b->agreeing, b->records);
    if (agree_a != agree_b) return agree_a > agree_b;
    double numbers_a = share(a->with_point > a->with_comma ? a->with_point : a->with_comma, a->all);
    double numbers_b = share(b->with_point > b->with_comma ? b->with_point : b->with_comma, b->all);
    if (numbers_a != numbers_b) return numbers_a > numbers_b;
    return a->cells > b->cells;
}

/* The first record is a header unless all of its cells above numeric columns are numbers. */
static puad_status guess_header(bool *out, const char *bytes, size_t size, const csv_dialect *dialect,
                                const csv_settings *settings)
{
    const char *end = bytes + size, *first = skip_empty_lines(bytes, end);
    size_t columns = 0, number_columns = 0;
    AUTO_FREE uint32_t *numbers = NULL;
    AUTO_FREE uint32_t *present = NULL;
    TRY(memory_new(&numbers, CELLS_MAX, sizeof *numbers, "the header"));
    TRY(memory_new(&present, CELLS_MAX, sizeof *present, "the header"));
    const char *p = first;
    size_t records = 0;
    double value;
    for (; p < end && records < RECORDS_MAX; p = skip_empty_lines(p, end), records++) {
        for (columns = 0;; p++) {
            raw_cell cell = cell_scan(&p, end, dialect->delimiter);
            for (size_t k = 0; records == 0 && k < settings->known_count; k++)
                if (view_is(cell.view, settings->known[k])) {
                    *out = true;
                    return PUAD_OK;
                }
            if (records > 0 && columns < CELLS_MAX && !cell_is_missing(cell.view.text, cell.view.length)) {
                present[columns]++;
                numbers[columns] += number_parse(&value, cell.view.text, cell.view.length, dialect->decimal);
            }
            columns++;
            if (at_line_end(p, end)) break;
        }
        p += p < end;
    }
    *out = false;
    p = first;
    for (columns = 0;; p++) {
        raw_cell cell = cell_scan(&p, end, dialect->delimiter);
        bool number = number_parse(&value, cell.view.text, cell.view.length, dialect->decimal);
        bool missing = cell_is_missing(cell.view.text, cell.view.length);
        bool above_numbers = records < 2 || (columns < CELLS_MAX && 2 * numbers[columns] > present[columns]);
        number_columns += above_numbers;
        if (above_numbers && !number && !missing) *out = true;
        columns++;
        if (at_line_end(p, end)) break;
    }
    if (number_columns == 0) *out = true;
    return PUAD_OK;
}

puad_status csv_dialect_guess(csv_dialect *out, const char *bytes, size_t size, const csv_settings *settings)
{
    static const char candidates[] = {',', ';', '\t', '|'};
    out->delimiter = settings->delimiter ? settings->delimiter : ',';
    trial best = try_delimiter(bytes, size, out->delimiter);
    for (size_t i = 1; i < sizeof candidates && !settings->delimiter; i++) {
        trial other = try_delimiter(bytes, size, candidates[i]);
        if (!is_better(&other, &best)) continue;
        best = other;
        out->delimiter = candidates[i];
    }
    out->likely_decimal = best.with_comma > best.with_point ? ',' : '.';
    out->decimal_seen = best.marked > 0;
    bool usual = settings->usual_decimal && settings->usual_decimal != out->delimiter;
    out->decimal = settings->decimal ? settings->decimal
                   : usual           ? settings->usual_decimal
                                     : out->likely_decimal;
    out->header = settings->header == HEADER_YES;
    if (settings->header == HEADER_DETECT) TRY(guess_header(&out->header, bytes, size, out, settings));
    return PUAD_OK;
}
