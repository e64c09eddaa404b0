/* Learns the encoding from the training rows: means, the frequent categories, and which columns are
 * constant. */
#include "table/cells/column_names.h"
#include "table/encoding/derived_rows.h"
#include "table/encoding/table_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* A note reports clipping if a value exceeds the bounds by this factor. */
#define EXTREME_RATIO 100

enum { IDENTIFIER_ROWS_MAX = 2 }; /* average number of rows per string */

static puad_status drop(transform_column *out, const char *reason, notes *messages)
{
    out->type = COLUMN_DROPPED;
    out->reason = reason;
    out->indicator = false;
    if (out->part != PART_VALUE) return PUAD_OK; /* see tell_dates */
    return notes_add(messages, "column '%s' is left out: %s", out->name, reason);
}

/* Bounds, mean and deviation of the non-missing values. */
static puad_status learn_scale(transform_column *out, const table *owner, const table_column *column,
                               notes *messages)
{
    column_bounds bounds = table_column_bounds(owner, column);
    column_sums sums = {.present = column->present, .sum = column->sum, .squares = column->squares};
    size_t beyond = 0;
    if ((double)column->min < bounds.low || (double)column->max > bounds.high)
        table_column_sum_within(&sums, &beyond, owner, column, bounds);
    double count = (double)sums.present, width = bounds.high - bounds.low;
    out->low = bounds.low;
    out->high = bounds.high;
    out->mean = sums.sum / count;
    out->sd = sqrt(fmax(sums.squares / count - out->mean * out->mean, 0));
    double away = fmax((double)column->max - bounds.high, bounds.low - (double)column->min);
    if (!beyond || !(away > EXTREME_RATIO * width) || column->part != PART_VALUE) return PUAD_OK;
    return notes_add(messages,
                     "column '%s': %zu of %zu values outside %.6g to %.6g are clipped; correct them, "
                     "or option 'ignore' it",
                     column->name, beyond, sums.present, column->pivot + out->low / column->factor,
                     column->pivot + out->high / column->factor);
}

/* A date as a number: the age of something. Other dates only say when a row was written. */
static puad_status learn_stamp(transform_column *out, const table *owner, const table_column *column,
                               notes *messages)
{
    if (column->present == 0) return drop(out, "it has no values", messages);
    if (!column->begins) return drop(out, "new rows are later", messages);
    if (!(column->min < column->max)) return drop(out, "all its values are the same", messages);
    return learn_scale(out, owner, column, messages);
}

static puad_status learn_number(transform_column *out, const table *owner, const table_column *column,
                                notes *messages)
{
    size_t rows = owner->seen;
    out->type = COLUMN_NUMBER;
    out->pivot = column->pivot;
    out->factor = column->factor;
    out->whole = column->broken == 0;
    out->form = column->choice.form;
    out->part = column->part;
    if (column->part == PART_STAMP) return learn_stamp(out, owner, column, messages);
    if (column->begins && column->part != PART_VALUE)
        return drop(out, "it is the date of a beginning", messages);
    if (column->part == PART_SINCE) {
        if (column->present == 0 || column->min < transform_hold(0, column->pivot, column->factor))
            return drop(out, "the rows are not in order of time", messages);
        if (column->min == column->max) return drop(out, "all rows are equally far apart", messages);
        /* the first row has no predecessor, so its missing value is not informative */
        return learn_scale(out, owner, column, messages);
    }
    if (column->odd)
        TRY(notes_add(
            messages,
            "column '%s': %zu of %zu cells are not %s and count as missing (first: '%s' in row %zu)",
            column->name, column->odd, rows, form_noun(&column->choice.form), column->odd_text,
            column->odd_row));
    if (column->present == 0) return drop(out, "it has no values", messages);
    out->indicator = column->missing > 0 && column->parts;
    if (2 * column->missing > rows && column->parts)
        TRY(notes_add(messages,
                      "column '%s': %zu of %zu values are missing; unless that is informative, option "
                      "'ignore' it",
                      column->name, column->missing, rows));
    TRY(learn_scale(out, owner, column, messages));
    if (table_column_is_id(owner, column)) return drop(out, table_column_is_id(owner, column), messages);
    if (column->min < column->max) {
        if (!(out->sd > 0)) out->sd = 1; /* differences that are tiny relative to the values */
        return PUAD_OK;
    }
    if (!out->indicator) return drop(out, "all its values are the same", messages);
    out->sd = 1; /* the value is constant, but missing values are informative */
    return PUAD_OK;
}

typedef struct ranked {
    uint32_t code;
    uint64_t count;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return (x->code > y->code) - (x->code < y->code);
}

/* Whether strings are unique names of persons or things: an identifier. */
static bool is_identifier(const table_column *column, size_t distinct)
{
    return !column->listed && distinct > CATEGORIES_MAX &&
           (name_is_id(column->name) || IDENTIFIER_ROWS_MAX * distinct > column->present);
}

static puad_status learn_category(transform_column *out, const table *owner, const table_column *column,
                                  notes *messages)
{
    const dictionary *words = &column->words;
    AUTO_FREE ranked *order = NULL;
    TRY(memory_new(&order, words->count, sizeof *order, "categories"));
    size_t count = 0; /* words without a count stand for missing cells, see table_settle_none() */
    for (size_t i = 0; i < words->count; i++)
        if (words->counts[i]) order[count++] = (ranked){(uint32_t)i, words->counts[i]};
    qsort(order, count, sizeof *order, compare_ranked);
    out->type = COLUMN_CATEGORY;
    out->indicator = column->missing > 0;
    out->distinct = count + column->beyond;
    if (count == 0) return drop(out, "it has no values", messages);
    if (order[0].count == 1 && count > 2) return drop(out, DROPPED_IDENTIFIER, messages);
    if (count == 1 && !out->indicator) return drop(out, "all its values are the same", messages);
    if (is_identifier(column, out->distinct)) {
        out->indicator = false;
        if (owner->derive.no)
            return drop(out, "it is an identifier (option 'categorical' makes it a category)", messages);
        return notes_add(messages,
                         "column '%s': an identifier (%s%zu strings): its count is used; see option "
                         "'id_column', option 'categorical'",
                         column->name, column->beyond ? "more than " : "", count);
    }
    for (size_t i = 0; i < count && i < CATEGORIES_MAX; i++) {
        uint32_t code;
        if (order[i].count < 2 && count > 2) break;
        TRY(dictionary_add(&code, &out->categories, words->texts[order[i].code]));
    }
    out->rest = out->categories.count < count || column->beyond > 0;
    if (out->rest)
        TRY(notes_add(messages,
                      "column '%s': %s%zu strings; the %zu most frequent have a column each, the "
                      "others one together",
                      column->name, column->beyond ? "more than " : "", count, out->categories.count));
    return PUAD_OK;
}

/* Adds notes about the parts of a date. */
static puad_status tell_dates(const transform_column *columns, const table_column *column, notes *messages)
{
    char words[FORM_WORDS], list[160] = "";
    size_t used = 0;
    for (size_t p = 0; p < column->parts; p++)
        if (columns[p].type == COLUMN_NUMBER)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     date_part_words(columns[p].part));
    form_describe(words, &column->choice.form);
    if (column->choice.doubtful)
        TRY(notes_add(messages,
                      "column '%s': the order of day and month is ambiguous; option 'dates=%s' uses the "
                      "other order",
                      column->name, column->choice.form.order == DATE_DMY ? "month-first" : "day-first"));
    return notes_add(messages, "column '%s': %s; %s%s", column->name, words,
                     used ? "used are: " : "left out: ",
                     used                ? list
                     : columns[0].reason ? columns[0].reason
                                         : "all its values are the same");
}

/* Warns about a last row that is the total of the others. */
static puad_status tell_total(const table *owner, notes *messages)
{
    static const char *const words[] = {"total",    "totals", "grand total", "sum",
                                        "subtotal", "gesamt", "summe",       "somme"};
    if (owner->block_count == 0 || owner->rows < 4 || owner->sample.thinned) return PUAD_OK;
    const table_block *last = &owner->blocks[owner->block_count - 1];
    for (size_t i = 0; i < owner->column_count && last->rows; i++) {
        const table_column *column = &owner->columns[i];
        if (!column->category) continue;
        uint32_t code = last->codes[(last->rows - 1) * owner->category_count + column->slot];
        if (code >= column->words.count || column->words.counts[code] > 1) continue;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (strcasecmp(column->words.texts[code].text, words[k]) == 0)
                return notes_add(messages,
                                 "the last row looks like a total: its cell in column '%s' is '%s'; remove "
                                 "it from the file",
                                 column->name, column->words.texts[code].text);
    }
    return PUAD_OK;
}

puad_status table_learn(transform **out, const table *owner, notes *messages)
{
    transform *made = NULL;
    TRY(transform_new(&made, owner->column_count));
    puad_status status = PUAD_OK;
    for (size_t i = 0; i < owner->column_count && status == PUAD_OK; i++) {
        const table_column *source = &owner->columns[i];
        transform_column *column = &made->columns[i];
        if (transform_name(made, column, source->name, source->part) != PUAD_OK)
            status = status_fail(PUAD_MEMORY, "no memory for an encoding");
        else
            status = source->category ? learn_category(column, owner, source, messages)
                                      : learn_number(column, owner, source, messages);
        if (status == PUAD_OK && source->parts) status = form_tell(messages, source->name, &source->choice);
    }
    for (size_t i = 0; i < owner->column_count && status == PUAD_OK; i++)
        if (owner->columns[i].part != PART_VALUE && owner->columns[i].parts)
            status = tell_dates(&made->columns[i], &owner->columns[i], messages);
    if (status == PUAD_OK) status = tell_total(owner, messages);
    if (status == PUAD_OK) status = derived_learn(made, owner, messages);
    transform_place(made);
    if (status == PUAD_OK && made->encoded == 0)
        status = status_fail(
            PUAD_FORMAT,
            "no column is informative, so there is nothing to learn from: identifiers, empty and constant "
            "columns are left out; check the columns, option 'delimiter' and option 'categorical'");
    if (status != PUAD_OK) {
        transform_free(made);
        return status;
    }
    *out = made;
    return PUAD_OK;
}
