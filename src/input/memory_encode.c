/* Tables in memory as datasets: with a learned encoding, or with a model's encoding. */
#include "input/input.h"
#include "input/memory_table.h"
#include "table/cells/column_names.h"
#include "table/encoding/encode_columns.h"
#include "table/encoding/table_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 4096, CENTER_ROWS = 1000, STAMP_ROWS = 2000 };
#define STAMP_MIN 1e7 /* smaller numbers are not dates */

typedef struct learning {
    const puad_table *source;
    table *into;
    const memory_column **columns; /* one per column of `into`; equal for all parts of a date */
} learning;

/* The number in a cell; NaN if it is missing or, counted in *odd, not a number. */
static double cell_number(const memory_column *column, size_t row, const cell_form *form, size_t *odd)
{
    char buffer[NUMBER_TEXT];
    double value = NAN;
    cell_form plain = {.kind = FORM_PLAIN, .decimal = '.'};
    if (column->kind != MEMORY_TEXT && form->kind != FORM_DATE) return memory_number(column, row);
    text_view text = memory_text(buffer, column, row);
    if (form_is_missing(form, text)) return NAN;
    if (form_read(&value, form->kind == FORM_PLAIN ? &plain : form, text)) return number_bounded(value);
    ++*odd;
    return NAN;
}

static bool is_listed(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* Whether a caller's column is a feature. */
static bool is_feature(const data_options *options, const char *name)
{
    return !is_listed(options->ignore, options->ignore_count, name) &&
           !(options->id_column && strcmp(options->id_column, name) == 0) &&
           !(options->time && strcmp(options->time, name) == 0) &&
           !(options->group && strcmp(options->group, name) == 0);
}

static puad_status check_names(const puad_table *source, const char *option_name, const char *const *names,
                               size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (dictionary_find(&source->names, (text_view){names[i], strlen(names[i])}) == DICTIONARY_NONE)
            FAIL(PUAD_INVALID, "option '%s': there is no column '%s' in the table", option_name, names[i]);
    return PUAD_OK;
}

/* Numbers that are times since 1970 or dates as yyyymmdd, by the same rules as in files. */
static form_choice choose_stamp_form(const memory_column *column, size_t rows, const form_hints *hints)
{
    form_choice choice = {0};
    char buffer[NUMBER_TEXT];
    size_t first = rows < STAMP_ROWS ? rows : STAMP_ROWS;
    for (size_t r = 0; r < first; r++)
        if (memory_number(column, r) < STAMP_MIN) return choice;
    for (size_t last = first;; last = rows) {
        form_count count = {0};
        for (size_t r = 0; r < last; r++) form_count_cell(&count, memory_text(buffer, column, r), '.');
        form_choice found = form_choose(&count, hints);
        if (found.form.kind != FORM_DATE) return choice;
        if (last == rows) return found;
    }
}

/* Integers used as names, judged by the first rows as for files. */
static bool name_is_code(const memory_column *column, size_t rows, const data_options *options)
{
    form_hints hints = {.name = column->name, .decimal = '.'};
    form_count count = {0};
    char buffer[NUMBER_TEXT];
    if (!name_is_id(column->name) || is_listed(options->numeric, options->numeric_count, column->name))
        return false;
    for (size_t r = 0; r < rows && r < STAMP_ROWS; r++)
        form_count_cell(&count, memory_text(buffer, column, r), '.');
    return form_choose(&count, &hints).code;
}

/* Strings that are dates or formatted numbers are converted. Other strings, plain numbers among them, are
 * categories: a caller who passes strings expects that. */
static form_choice choose_form(const memory_column *column, size_t rows, bool named,
                               const data_options *options)
{
    form_choice choice = {0};
    form_count count = {0};
    char buffer[NUMBER_TEXT];
    form_hints hints = {.name = column->name,
                        .decimal = '.',
                        .day_first = options->day_first,
                        .month_first = options->month_first};
    if (is_listed(options->categorical, options->categorical_count, column->name)) return choice;
    if (column->kind != MEMORY_TEXT &&
        (!named || is_listed(options->numeric, options->numeric_count, column->name)))
        return choice;
    if (column->kind != MEMORY_TEXT && name_is_code(column, rows, options))
        return (form_choice){.code = true};
    if (column->kind != MEMORY_TEXT) return choose_stamp_form(column, rows, &hints);
    for (size_t r = 0; r < rows; r++) form_count_cell(&count, memory_text(buffer, column, r), '.');
    if (column_is_number(count.plain, count.present - count.plain)) return choice;
    return form_choose(&count, &hints);
}

static size_t part_count(const form_choice *choice, const data_options *options)
{
    return choice->form.kind != FORM_DATE ? 1 : choice->form.order == DATE_TIME ? 1 : 4 + options->elapsed;
}

/* The parts of a date, chosen from some of the dates. */
static void set_parts(table_column *column, size_t parts, const memory_column *source, double *values,
                      size_t rows)
{
    size_t odd = 0;
    for (size_t r = 0; r < rows; r++) values[r] = cell_number(source, r, &column->choice.form, &odd);
    table_column_set_parts(column, parts, values, rows);
}

static void center(table_column *column, const memory_column *source, double *values, size_t rows)
{
    double before = NAN;
    size_t odd = 0;
    for (size_t r = 0; r < rows; r++) {
        double value = cell_number(source, r, &column->choice.form, &odd);
        values[r] = date_part_of(column->part, value, before);
        before = value;
    }
    table_column_center(column, values, rows);
}

static puad_status make_columns(learning *job, arena *memory, const data_options *options)
{
    const puad_table *source = job->source;
    size_t count = 0, sample = source->rows < CENTER_ROWS ? source->rows : CENTER_ROWS;
    TRY(check_names(source, "ignore", options->ignore, options->ignore_count));
    TRY(check_names(source, "id_column", &options->id_column, options->id_column != NULL));
    TRY(check_names(source, "categorical", options->categorical, options->categorical_count));
    form_choice *choices;
    TRY(arena_new(memory, &choices, source->column_count, sizeof *choices));
    for (size_t i = 0; i < source->column_count; i++) {
        choices[i] = choose_form(&source->columns[i], source->rows, source->named, options);
        if (is_feature(options, source->columns[i].name)) count += part_count(&choices[i], options);
    }
    if (count == 0) FAIL(PUAD_INVALID, "the table has no column to learn from");
    TRY(arena_new(memory, &job->columns, count, sizeof *job->columns));
    TRY(table_new(&job->into, count));
    AUTO_FREE double *values = NULL;
    TRY(memory_new(&values, sample, sizeof *values, "columns"));
    table_column *column = job->into->columns;
    for (size_t i = 0; i < source->column_count; i++) {
        const memory_column *given = &source->columns[i];
        if (!is_feature(options, given->name)) continue;
        table_column *first = column;
        for (size_t p = 0, parts = part_count(&choices[i], options); p < parts; p++, column++) {
            bool formed = choices[i].form.kind != FORM_PLAIN;
            job->columns[column - job->into->columns] = given;
            column->name = arena_text(&job->into->memory, given->name);
            if (!column->name) FAIL(PUAD_MEMORY, "no memory for column names");
            column->place = i;
            column->choice = choices[i];
            column->parts = p ? 0 : parts;
            /* columns of an array are features even if they look like identifiers */
            column->numeric =
                !source->named || is_listed(options->numeric, options->numeric_count, given->name);
            column->listed = is_listed(options->categorical, options->categorical_count, column->name);
            column->category = column->forced =
                (given->kind == MEMORY_TEXT && !formed) || choices[i].code || column->listed;
        }
        if (choices[i].form.kind == FORM_DATE)
            set_parts(first, (size_t)(column - first), given, values, sample);
        for (; first < column; first++)
            if (!first->category) center(first, given, values, sample);
    }
    table_place(job->into);
    return PUAD_OK;
}

static puad_status code_text(uint32_t *out, table_column *column, text_view text)
{
    *out = CODE_MISSING;
    if (table_text_is_missing(text)) {
        column->missing++;
        return PUAD_OK;
    }
    TRY(dictionary_add(out, &column->words, text));
    column->present++;
    if (*out != DICTIONARY_NONE) return PUAD_OK;
    *out = CODE_REST;
    column->beyond++;
    return PUAD_OK;
}

static puad_status fill_block(table_block *block, learning *job, column_sums *sums, size_t first)
{
    table *into = job->into;
    char buffer[NUMBER_TEXT];
    for (size_t r = 0; r < block->rows; r++)
        for (size_t i = 0; i < into->column_count; i++) {
            table_column *column = &into->columns[i];
            if (column->category) {
                TRY(code_text(&block->codes[r * into->category_count + column->slot], column,
                              memory_text(buffer, job->columns[i], first + r)));
                continue;
            }
            const cell_form *form = &column->choice.form;
            double value = cell_number(job->columns[i], first + r, form, &column->odd), before = NAN;
            size_t again = 0;
            if (column->part == PART_SINCE && first + r > 0)
                before = cell_number(job->columns[i], first + r - 1, form, &again);
            value = date_part_of(column->part, value, before);
            float held = isnan(value) ? NAN : transform_hold(value, column->pivot, column->factor);
            block->held[r * into->number_count + column->slot] = held;
            column_sums_add(&sums[i], held);
            sums[i].broken += number_is_broken(value);
        }
    if (job->source->labels) memcpy(block->labels, job->source->labels + first, block->rows);
    return PUAD_OK;
}

static puad_status add_rows(learning *job)
{
    table *into = job->into;
    AUTO_FREE column_sums *sums = NULL;
    TRY(memory_new(&sums, into->column_count, sizeof *sums, "columns"));
    for (size_t first = 0; first < job->source->rows; first += BLOCK_ROWS) {
        size_t rows = job->source->rows - first < BLOCK_ROWS ? job->source->rows - first : BLOCK_ROWS;
        table_block block = {0};
        TRY(table_block_new(&block, into, rows, false));
        puad_status status = fill_block(&block, job, sums, first);
        if (status == PUAD_OK) status = table_append(into, block);
        if (status != PUAD_OK) {
            table_block_free(&block);
            return status;
        }
    }
    for (size_t i = 0; i < into->column_count; i++)
        if (!into->columns[i].category) table_column_add(&into->columns[i], &sums[i]);
    return PUAD_OK;
}

static puad_status learn(dataset *out, learning *job, arena *memory, const data_options *options)
{
    if (job->source->rows == 0) FAIL(PUAD_INVALID, "the table has no rows");
    TRY(make_columns(job, memory, options));
    job->into->labeled = job->source->labels != NULL;
    TRY(add_rows(job));
    job->into->derive = derive_wish_of(options, job->source->named);
    table_settle_none(job->into);
    TRY(table_learn(&out->transform, job->into, &out->notes));
    out->transform->named = job->source->named;
    TRY(table_encode(out, job->into, out->transform, options->workers));
    TRY(memory_axis_learn(out, job->source, options));
    return memory_take_rest(out, job->source);
}

static puad_status fill_from_table(dataset *into, const char *path, const data_options *options,
                                   void *context)
{
    AUTO_ARENA arena memory = {0};
    const puad_table *const *source = context;
    learning job = {.source = *source};
    (void)path;
    puad_status status = learn(into, &job, &memory, options);
    table_free(job.into);
    /* no file is involved, so a bad format is an invalid argument */
    return status == PUAD_FORMAT ? PUAD_INVALID : status;
}

puad_status dataset_learn_table(puad_dataset **out, const puad_table *source, const puad_options *options)
{
    if (OPTION_GIVEN(options, intervals))
        FAIL(PUAD_INVALID, "option 'intervals' is for files; the rows of a table in memory have labels");
    return dataset_make(out, NULL, options, fill_from_table, &source);
}

/* The caller's column for each of the model's; NULL if there is none. */
static puad_status find_columns(const memory_column **found, notes *messages, const puad_table *source,
                                const transform *encoding)
{
    size_t used = 0;
    const char *noted = NULL;
    for (size_t i = 0; i < encoding->input_count; i++) {
        const transform_column *column = &encoding->columns[i];
        size_t place = transform_source_of(encoding, i);
        if (encoding->named || source->named)
            place = dictionary_find(&source->names, (text_view){column->source, strlen(column->source)});
        found[i] = place < source->column_count ? &source->columns[place] : NULL;
        used += found[i] != NULL && !transform_goes_on(encoding, i);
        if (found[i] || !transform_reads(column)) continue;
        if (messages && (!noted || strcmp(noted, column->source) != 0)) /* once for all parts of a date */
            TRY(notes_add(messages, "there is no column '%s'; its values count as missing", column->source));
        noted = column->source;
    }
    if (used == 0 && encoding->column_count)
        FAIL(PUAD_INVALID, "the table has none of the model's columns; the first of them is '%s'",
             encoding->columns[0].name);
    const char *axis[] = {encoding->axis.time, encoding->axis.group};
    for (int i = 0; i < 2; i++)
        used += axis[i] &&
                dictionary_find(&source->names, (text_view){axis[i], strlen(axis[i])}) != DICTIONARY_NONE;
    if (messages && used < source->column_count)
        TRY(notes_add(messages, "%zu columns that are not in the model are ignored",
                      source->column_count - used));
    return PUAD_OK;
}

static void encode_cell(float *row, size_t index, size_t r, table_reader *reader)
{
    const transform_column *column = &reader->encoding->columns[index];
    const memory_column *source = reader->found[index];
    char buffer[NUMBER_TEXT];
    double value = NAN, before = NAN;
    size_t again = 0;
    if (column->type == COLUMN_CATEGORY && source && source->kind != MEMORY_TEXT) {
        value = memory_number(source, r);
        if (source->kind == MEMORY_FLOAT && !isnan(value)) value = number_of_float((float)value);
        if (isnan(value))
            transform_code(row, column, CODE_MISSING);
        else
            reader->unseen[index] += !transform_number_category(row, column, value);
    } else if (column->type == COLUMN_CATEGORY) {
        reader->unseen[index] +=
            !transform_text(row, column, source ? memory_text(buffer, source, r) : (text_view){"", 0});
    } else if (column->type == COLUMN_NUMBER) {
        if (source) value = cell_number(source, r, &column->form, &reader->odd_numbers[index]);
        if (source && column->part == PART_SINCE && r > 0)
            before = cell_number(source, r - 1, &column->form, &again);
        transform_dated(row, column, value, before);
    }
}

puad_status table_reader_absent(bool **out, arena *memory, const table_reader *reader)
{
    const transform *encoding = reader->encoding;
    TRY(arena_new(memory, out, encoding->column_count, sizeof **out));
    for (size_t i = 0; i < encoding->column_count; i++)
        (*out)[i] = i < encoding->input_count && !reader->found[i] && transform_reads(&encoding->columns[i]);
    return PUAD_OK;
}

puad_status table_reader_tell(notes *messages, const table_reader *reader)
{
    const transform *encoding = reader->encoding;
    for (size_t i = 0; i < encoding->input_count; i++) {
        if (reader->odd_numbers[i] && !transform_goes_on(encoding, i))
            TRY(notes_add(messages, "column '%s': %zu cells are not %s and count as missing",
                          encoding->columns[i].name, reader->odd_numbers[i],
                          form_noun(&encoding->columns[i].form)));
        if (reader->unseen[i])
            TRY(notes_add(messages, "column '%s': %zu cells have a category that was not seen in training",
                          encoding->columns[i].name, reader->unseen[i]));
    }
    return PUAD_OK;
}

puad_status table_reader_open(table_reader *out, arena *memory, notes *messages, const puad_table *source,
                              const transform *encoding)
{
    if (encoding->image) FAIL(PUAD_INVALID, "the model was trained on images, and these rows are a table");
    *out = (table_reader){.encoding = encoding};
    TRY(arena_new(memory, &out->found, encoding->column_count, sizeof *out->found));
    TRY(arena_new(memory, &out->odd_numbers, encoding->column_count, sizeof *out->odd_numbers));
    TRY(arena_new(memory, &out->unseen, encoding->column_count, sizeof *out->unseen));
    return find_columns(out->found, messages, source, encoding);
}

/* Whether a column uses numbers unchanged. */
static bool is_plain(const transform_column *column, const memory_column *source)
{
    return column->type == COLUMN_NUMBER && source && source->kind != MEMORY_TEXT &&
           column->part == PART_VALUE;
}

static void encode_derived(float *row, size_t r, const table_reader *reader)
{
    const derivation *derived = &reader->encoding->derived;
    derived_cells cells;
    char buffer[NUMBER_TEXT];
    size_t odd = 0;
    for (size_t i = 0; i < derived->input_count; i++) {
        const memory_column *column = reader->found[derived->inputs[i]];
        const cell_form *form = &reader->encoding->columns[derived->inputs[i]].form;
        derived_take_number(&cells, reader->encoding, i, column ? cell_number(column, r, form, &odd) : NAN);
    }
    for (size_t g = 0; g < derived->group_count; g++) {
        const memory_column *column = reader->found[derived->groups[g].column];
        derived_take_text(&cells, reader->encoding, g,
                          column ? memory_text(buffer, column, r) : (text_view){"", 0});
    }
    derived_encode(row, &cells, reader->encoding);
}

/* Processes a few rows at a time, column by column, so that they stay in the cache. */
void table_reader_rows(table_reader *reader, float *out, size_t first, size_t rows)
{
    const transform *encoding = reader->encoding;
    double buffer[ROWS_TOGETHER];
    side_by_side plain;
    for (size_t begin = 0; begin < rows; begin += ROWS_TOGETHER) {
        size_t count = rows - begin < ROWS_TOGETHER ? rows - begin : ROWS_TOGETHER;
        float *block = out + begin * encoding->encoded;
        side_by_side_begin(&plain, block, encoding->encoded, count);
        for (size_t i = 0; i < encoding->input_count; i++) {
            const memory_column *given = reader->found[i];
            if (is_plain(&encoding->columns[i], given)) {
                side_by_side_add(&plain, &encoding->columns[i],
                                 memory_numbers(buffer, given, first + begin, count));
                continue;
            }
            for (size_t r = 0; r < count; r++)
                encode_cell(block + r * encoding->encoded, i, first + begin + r, reader);
        }
        side_by_side_end(&plain);
        for (size_t r = 0; encoding->derived.count && r < count; r++)
            encode_derived(block + r * encoding->encoded, first + begin + r, reader);
    }
}

puad_status table_encode_for(dataset *out, const puad_table *source, const transform *encoding)
{
    AUTO_ARENA arena memory = {0};
    table_reader reader;
    size_t count;
    TRY(table_reader_open(&reader, &memory, &out->notes, source, encoding));
    if (!size_multiply(&count, source->rows, encoding->encoded))
        FAIL(PUAD_MEMORY, "%zu rows are too many", source->rows);
    TRY(memory_new(&out->value_block, count, sizeof(float), "rows"));
    out->values = out->value_block;
    out->rows = source->rows;
    out->columns = encoding->encoded;
    out->height = out->width = 1;
    out->channels = (int)encoding->encoded;
    table_reader_rows(&reader, out->values, 0, source->rows);
    TRY(transform_names(&out->column_names, &out->memory, encoding));
    TRY(table_reader_tell(&out->notes, &reader));
    TRY(table_reader_absent(&out->absent, &out->memory, &reader));
    if (encoding->axis.time || encoding->axis.group) {
        TRY(arena_new(&out->memory, &out->breaks, source->rows, 1));
        TRY(arena_new(&out->memory, &out->times, source->rows, sizeof *out->times));
        axis_clock clock;
        TRY(memory_axis_breaks(out->breaks, out->times, &clock, source, &encoding->axis));
        TRY(axis_clock_tell(&out->notes, &clock, "the series"));
    }
    if (!encoding->axis.time) out->times = NULL;
    return memory_take_rest(out, source);
}
