/* Appends blocks of cells to columns: numbers are centered and summed by block, strings become codes,
 * labels and ids are stored. */
#include "table/csv/table_csv_load.h"

#include "base/number.h"
#include "table/csv/csv_column_formats.h"
#include "table/csv/csv_roles.h"
#include "table/encoding/table_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CENTER_ROWS = 1000 }; /* number of rows from which pivots are chosen */

typedef struct load { /* loads one file into the table */
    const data_options *options;
    csv_reader *reader;
    table *into;
    bool first_file;
    const int8_t *label; /* the label of every row, or NULL if a column holds the labels or there are none */
    column_role *roles;
    cell_kind *kinds;
    /* table column of each number of the reader, the first one if it has several parts */
    size_t *numbers;
    size_t *first_parts; /* first column of each name */
    bool dated;          /* some column is a part of a date */
    double *last;        /* of each number, in the last row before the current blocks */
    size_t *categories;  /* table column of each string column; SIZE_MAX for the label and the id */
    /* of each category column: table column, and index among the strings */
    size_t *category_columns, *category_texts;
    size_t number_count, text_count, label_text, id_text; /* indices among the strings; SIZE_MAX for none */
    bool *present;                                        /* per table column: whether this file has it */
    column_sums *sums;                                    /* CSV_BLOCKS_MAX x number_count */
    table_block made[CSV_BLOCKS_MAX];
    csv_block *blocks;
    size_t block_count, short_rows;
    puad_status *failed; /* per category column, for the loop over them */
    uint32_t *chosen;    /* rows of a block that a sample keeps */
    size_t chosen_capacity;
    arena memory;
} load;

/* How many table columns a file column becomes. The time since the previous row is meaningless if rows of
 * one label come from a separate file. */
static size_t part_count(const load *job, const form_choice *choice)
{
    if (choice->form.kind != FORM_DATE) return 1;
    if (choice->form.order == DATE_TIME) return 1;
    return job->options->elapsed && !job->options->anomalies && !job->options->normals ? 5 : 4;
}

/* Chooses pivots from the first rows. */
static void center(table_column *column, double *buffer, const double *values, size_t rows)
{
    if (rows > CENTER_ROWS) rows = CENTER_ROWS;
    for (size_t r = 0; r < rows; r++)
        buffer[r] = date_part_of(column->part, values[r], r ? values[r - 1] : NAN);
    table_column_center(column, buffer, rows);
}

/* Adds the table columns of one file column, starting at `column`. */
static puad_status make_parts(load *job, table_column *column, const char *name, size_t place,
                              const bool *decided, const form_choice *choice)
{
    size_t parts = part_count(job, choice);
    for (size_t p = 0; p < parts; p++) {
        column[p].place = place;
        column[p].name = arena_text(&job->into->memory, name);
        if (!column[p].name) FAIL(PUAD_MEMORY, "no memory for column names");
        column[p].choice = *choice;
        column[p].parts = p ? 0 : parts;
    }
    for (size_t k = 0; k < job->options->categorical_count; k++)
        column->listed |= csv_find_column(job->reader, job->options->categorical[k]) == place;
    for (size_t k = 0; k < job->options->numeric_count; k++)
        column->numeric |= csv_find_column(job->reader, job->options->numeric[k]) == place;
    column->forced = column->listed || choice->code;
    column->category = column->forced;
    if (choice->form.kind == FORM_PLAIN && !column->forced && decided) column->category = decided[place];
    return PUAD_OK;
}

/* Reads all columns of the file as numbers, each in its format. */
static puad_status read_formed(load *job, const form_set *forms)
{
    AUTO_FREE cell_kind *kinds = NULL;
    AUTO_FREE cell_form *list = NULL;
    TRY(memory_new(&kinds, forms->count, sizeof *kinds, "columns"));
    TRY(memory_new(&list, forms->count, sizeof *list, "columns"));
    for (size_t i = 0; i < forms->count; i++) {
        kinds[i] = CELL_NUMBER;
        list[i] = forms->list[i].form;
    }
    TRY(csv_set_forms(job->reader, list));
    return csv_plan(job->reader, kinds);
}

/* Creates the table's columns from the first file; its first block determines the types. */
static puad_status make_columns(load *job, const form_set *forms, const bool *decided, arena *id_memory)
{
    size_t count, features = 0;
    const char *const *names = csv_columns(job->reader, &count);
    for (size_t i = 0; i < count; i++)
        if (job->roles[i] == ROLE_FEATURE) features += part_count(job, &forms->list[i]);
    if (features == 0) FAIL(PUAD_INVALID, "%s: no column is left to learn from", csv_name(job->reader));
    TRY(table_new(&job->into, features));
    job->into->id_memory = id_memory;
    job->into->file_columns = count;
    job->into->decimal = csv_dialect_of(job->reader).decimal;
    const csv_block *sample;
    TRY(read_formed(job, forms));
    TRY(csv_peek(job->reader, &sample));
    AUTO_FREE size_t *odd = NULL;
    AUTO_FREE double *values = NULL;
    AUTO_FREE double *buffer = NULL;
    TRY(memory_new(&odd, count, sizeof *odd, "columns"));
    TRY(memory_new(&values, sample->rows, sizeof *values, "columns"));
    TRY(memory_new(&buffer, CENTER_ROWS, sizeof *buffer, "columns"));
    for (size_t i = 0; i < sample->odd_count; i++) odd[sample->odd[i].number]++;
    table_column *column = job->into->columns;
    for (size_t i = 0; i < count; i++) {
        if (job->roles[i] != ROLE_FEATURE) continue;
        size_t present = 0;
        for (size_t r = 0; r < sample->rows; r++) {
            values[r] = sample->numbers[r * count + i];
            if (!isnan(values[r])) present++;
        }
        TRY(make_parts(job, column, names[i], i, decided, &forms->list[i]));
        if (forms->list[i].form.kind == FORM_DATE)
            table_column_set_parts(column, column->parts, values, sample->rows);
        bool plain = forms->list[i].form.kind == FORM_PLAIN && !column->forced;
        if (plain && !decided) column->category = !column_is_number(present, odd[i]) && present + odd[i] > 0;
        for (size_t parts = column->parts; parts > 0; parts--) center(column++, buffer, values, sample->rows);
    }
    table_place(job->into);
    return PUAD_OK;
}

static puad_status tell_differences(load *job, notes *messages, size_t unknown)
{
    for (size_t i = 0; i < job->into->column_count; i++)
        if (!job->present[i] && job->into->columns[i].parts)
            TRY(notes_add(messages, "%s has no column '%s'; its values count as missing",
                          csv_name(job->reader), job->into->columns[i].name));
    if (unknown)
        TRY(notes_add(messages, "%s has %zu columns that the first file lacks; they are ignored",
                      csv_name(job->reader), unknown));
    return PUAD_OK;
}

/* The index of each category column in the file and in the table. If the file lacks it, its index is
 * text_count. */
static puad_status place_categories(load *job)
{
    const table *into = job->into;
    TRY(arena_new(&job->memory, &job->category_columns, into->category_count, sizeof *job->category_columns));
    TRY(arena_new(&job->memory, &job->category_texts, into->category_count, sizeof *job->category_texts));
    for (size_t k = 0; k < into->category_count; k++) job->category_texts[k] = job->text_count;
    for (size_t i = 0; i < into->column_count; i++)
        if (into->columns[i].category) job->category_columns[into->columns[i].slot] = i;
    for (size_t text = 0; text < job->text_count; text++)
        if (job->categories[text] != SIZE_MAX)
            job->category_texts[into->columns[job->categories[text]].slot] = text;
    return PUAD_OK;
}

/* Plans what to read, and which table column each value belongs to. */
static puad_status plan_columns(load *job, notes *messages)
{
    size_t count, unknown = 0;
    const char *const *names = csv_columns(job->reader, &count);
    table *into = job->into;
    cell_form *file_forms;
    TRY(arena_new(&job->memory, &job->kinds, count, sizeof *job->kinds));
    TRY(arena_new(&job->memory, &job->numbers, count, sizeof *job->numbers));
    TRY(arena_new(&job->memory, &job->categories, count, sizeof *job->categories));
    TRY(arena_new(&job->memory, &job->present, into->column_count, sizeof *job->present));
    TRY(arena_new(&job->memory, &job->failed, into->category_count, sizeof *job->failed));
    dictionary places = {0}; /* the table's columns by name; those of several parts by the first part */
    puad_status status =
        arena_new(&job->memory, &job->first_parts, into->column_count, sizeof *job->first_parts);
    uint32_t code;
    for (size_t i = 0; i < into->column_count && status == PUAD_OK; i++) {
        if (!into->columns[i].parts) continue;
        status =
            dictionary_add(&code, &places, (text_view){into->columns[i].name, strlen(into->columns[i].name)});
        if (status == PUAD_OK && code < into->column_count) job->first_parts[code] = i;
    }
    job->label_text = job->id_text = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t text = job->text_count;
        job->kinds[i] = CELL_SKIP;
        if (job->roles[i] == ROLE_IGNORED || (job->roles[i] == ROLE_LABEL && job->label)) continue;
        if (job->roles[i] == ROLE_LABEL) job->label_text = text;
        if (job->roles[i] == ROLE_ID) job->id_text = text;
        uint32_t place = DICTIONARY_NONE;
        if (job->roles[i] == ROLE_FEATURE) {
            place = dictionary_find(&places, (text_view){names[i], strlen(names[i])});
            if (place == DICTIONARY_NONE) {
                unknown++;
                continue;
            }
            place = (uint32_t)job->first_parts[place];
            for (size_t p = 0; p < into->columns[place].parts; p++) job->present[place + p] = true;
        }
        bool is_text = place == DICTIONARY_NONE || into->columns[place].category;
        job->kinds[i] = is_text ? CELL_TEXT : CELL_NUMBER;
        if (is_text)
            job->categories[job->text_count++] = place == DICTIONARY_NONE ? SIZE_MAX : place;
        else
            job->numbers[job->number_count++] = place;
    }
    dictionary_free(&places);
    TRY(status);
    TRY(place_categories(job));
    TRY(arena_new(&job->memory, &job->sums, CSV_BLOCKS_MAX * (into->number_count + 1), sizeof *job->sums));
    if (!job->first_file) TRY(tell_differences(job, messages, unknown));
    TRY(arena_new(&job->memory, &job->last, job->number_count, sizeof *job->last));
    for (size_t k = 0; k < job->number_count; k++) job->last[k] = NAN;
    TRY(arena_new(&job->memory, &file_forms, count, sizeof *file_forms));
    for (size_t i = 0, k = 0; i < count; i++)
        if (job->kinds[i] == CELL_NUMBER) file_forms[i] = into->columns[job->numbers[k++]].choice.form;
    for (size_t i = 0; i < into->column_count; i++) job->dated |= into->columns[i].part == PART_SINCE;
    TRY(csv_set_forms(job->reader, file_forms));
    return csv_plan(job->reader, job->kinds);
}

static float hold_part(const table_column *column, double value, double before)
{
    double part = date_part_of(column->part, value, before);
    return transform_hold(part, column->pivot, column->factor);
}

/* Runs in a worker: centers and sums the numbers of a block. */
static puad_status hold_numbers(void *context, csv_block *block, size_t index, int thread)
{
    (void)thread;
    load *job = context;
    const table *into = job->into;
    table_block *made = &job->made[index];
    column_sums *sums = job->sums + index * into->number_count;
    memset(sums, 0, into->number_count * sizeof *sums);
    if (table_block_new(made, into, block->rows, false) != PUAD_OK) {
        snprintf(block->message, sizeof block->message, "%s", puad_last_error());
        return PUAD_MEMORY;
    }
    for (size_t r = 0; r < block->rows; r++) {
        float *held = made->held + r * into->number_count;
        const double *numbers = block->numbers + r * job->number_count,
                     *earlier = r ? numbers - job->number_count : NULL;
        if (job->number_count < into->number_count)
            for (size_t k = 0; k < into->number_count; k++) held[k] = NAN;
        for (size_t k = 0; k < job->number_count; k++) {
            const table_column *column = &into->columns[job->numbers[k]];
            double before = earlier ? earlier[k] : NAN;
            held[column->slot] = hold_part(column, numbers[k], before);
            for (size_t p = 1; p < column->parts; p++)
                held[column[p].slot] = hold_part(&column[p], numbers[k], before);
            sums[column->slot].broken += number_is_broken(numbers[k]);
        }
        for (size_t k = 0; k < into->number_count; k++) column_sums_add(&sums[k], held[k]);
    }
    return PUAD_OK;
}

/* The time since the previous row, if that row is in the previous block. */
static void hold_first_row(load *job, size_t index)
{
    table *into = job->into;
    const csv_block *block = &job->blocks[index];
    if (!job->dated || block->rows == 0) return;
    for (size_t k = 0; k < job->number_count; k++) {
        const table_column *column = &into->columns[job->numbers[k]];
        for (size_t p = 0; p < column->parts; p++) {
            if (column[p].part != PART_SINCE) continue;
            float held = hold_part(&column[p], block->numbers[k], job->last[k]);
            column_sums *sums = job->sums + index * into->number_count + column[p].slot;
            job->made[index].held[column[p].slot] = held;
            if (held == held) {
                sums->missing--; /* it was counted as missing */
                column_sums_add(sums, held);
            }
        }
    }
    memcpy(job->last, block->numbers + (block->rows - 1) * job->number_count,
           job->number_count * sizeof *job->last);
}

/* Runs in a worker: one category column through all current blocks, so that codes follow the row order. */
static void code_categories(void *context, size_t item, int thread)
{
    (void)thread;
    load *job = context;
    table *into = job->into;
    size_t text = job->category_texts[item];
    table_column *column = &into->columns[job->category_columns[item]];
    char decimal = csv_dialect_of(job->reader).decimal;
    for (size_t b = 0; b < job->block_count; b++) {
        for (size_t r = 0; r < job->blocks[b].rows; r++) {
            uint32_t *code = &job->made[b].codes[r * into->category_count + item];
            text_view view = {"", 0};
            if (text < job->text_count) view = job->blocks[b].texts[r * job->text_count + text];
            if (table_text_is_missing(view)) {
                *code = CODE_MISSING;
                column->missing++;
                continue;
            }
            puad_status status = dictionary_add(code, &column->words, view);
            if (status != PUAD_OK) job->failed[item] = status;
            column->present++;
            if (*code != DICTIONARY_NONE) continue;
            double value;
            *code = CODE_REST;
            column->beyond++;
            column->beyond_numbers += number_parse(&value, view.text, view.length, decimal);
        }
    }
}

static puad_status read_labels(load *job, const csv_block *block, table_block *made)
{
    for (size_t r = 0; r < block->rows; r++) {
        if (job->label) made->labels[r] = *job->label;
        if (job->label_text == SIZE_MAX) continue;
        text_view view = block->texts[r * job->text_count + job->label_text];
        if (label_read(&made->labels[r], &job->options->labels, view)) continue;
        char expected[300];
        label_rule_describe(expected, sizeof expected, &job->options->labels);
        stream_place at = csv_place(job->reader, csv_line(job->reader, block, r));
        FAIL(PUAD_FORMAT, "%s: line %llu (row %zu): label '%.*s' in '%s'; %s", at.name, at.line,
             block->first_row + r, (int)(view.length < 60 ? view.length : 60), view.text,
             job->options->label_column, expected);
    }
    return PUAD_OK;
}

/* Of the rows `chosen`, or of all if that is NULL. */
static puad_status keep_ids(load *job, const csv_block *block, const uint32_t *chosen, size_t count)
{
    table *into = job->into;
    if (!job->options->id_column) return PUAD_OK;
    if (into->rows + count > into->id_room) {
        size_t capacity = 2 * (into->rows + count);
        TRY(memory_grow(&into->ids, capacity, sizeof *into->ids, "ids"));
        into->id_room = capacity;
    }
    for (size_t r = 0; r < count; r++) {
        size_t row = chosen ? chosen[r] : r;
        text_view view = {"", 0};
        if (job->id_text != SIZE_MAX) view = block->texts[row * job->text_count + job->id_text];
        if (view.length + 1 > into->id_pool_left) {
            size_t size = view.length + 1 > 65536 ? view.length + 1 : 65536;
            TRY(arena_new(into->id_memory, &into->id_pool, size, 1));
            into->id_pool_left = size;
        }
        if (view.length) memcpy(into->id_pool, view.text, view.length);
        into->id_pool[view.length] = 0;
        into->ids[into->rows + r] = into->id_pool;
        into->id_pool += view.length + 1;
        into->id_pool_left -= view.length + 1;
    }
    return PUAD_OK;
}

static void note_odd_cells(load *job, const csv_block *block)
{
    for (size_t i = 0; i < block->odd_count; i++) {
        table_column *column = &job->into->columns[job->numbers[block->odd[i].number]];
        text_view view = block->odd[i].view;
        bare_number bare;
        column->odd_decorated += form_strip(&bare, view);
        if (column->odd++) continue;
        snprintf(column->odd_text, sizeof column->odd_text, "%.*s",
                 (int)(view.length < 39 ? view.length : 39), view.text);
        column->odd_row = block->first_row + block->odd[i].row;
    }
}

/* The rows of a block, or those of them that the sample keeps. */
static puad_status take_rows(load *job, const csv_block *block, table_block *made)
{
    size_t count;
    if (made->rows > job->chosen_capacity) {
        TRY(memory_grow(&job->chosen, made->rows, sizeof *job->chosen, "rows"));
        job->chosen_capacity = made->rows;
    }
    const uint32_t *chosen = table_choose(job->chosen, &count, job->into, made) ? job->chosen : NULL;
    TRY(keep_ids(job, block, chosen, count));
    return table_take(job->into, made, chosen, count);
}

static puad_status take_blocks(load *job)
{
    table *into = job->into;
    team_run(job->options->workers, into->category_count, code_categories, job);
    for (size_t k = 0; k < into->category_count; k++)
        if (job->failed[k] != PUAD_OK)
            FAIL(job->failed[k], "%s: no memory for categories", csv_name(job->reader));
    for (size_t b = 0; b < job->block_count; b++) {
        const csv_block *block = &job->blocks[b];
        TRY(read_labels(job, block, &job->made[b]));
        note_odd_cells(job, block);
        hold_first_row(job, b);
        for (size_t i = 0; i < into->column_count; i++)
            if (!into->columns[i].category)
                table_column_add(&into->columns[i],
                                 &job->sums[b * into->number_count + into->columns[i].slot]);
        job->short_rows += block->short_rows;
        TRY(take_rows(job, block, &job->made[b]));
    }
    return PUAD_OK;
}

static void load_end(load *job)
{
    for (size_t i = 0; i < CSV_BLOCKS_MAX; i++) table_block_free(&job->made[i]);
    free(job->roles);
    free(job->chosen);
    csv_close(job->reader);
    arena_free(&job->memory);
}

puad_status table_load_csv(table **into, const csv_part *part, const data_options *options,
                           const bool *decided, dataset *out)
{
    notes *messages = &out->notes;
    __attribute__((cleanup(load_end)))
    load job = {.options = options, .into = *into, .first_file = !*into, .label = part->label};
    size_t known_count = csv_known_count(options) + (*into ? (*into)->column_count : 0);
    const char **known;
    TRY(arena_new(&job.memory, &known, known_count, sizeof *known));
    csv_known(known, options);
    for (size_t i = csv_known_count(options); i < known_count; i++)
        known[i] = (*into)->columns[i - csv_known_count(options)].name;
    csv_settings settings = {.kept = options->kept,
                             .delimiter = options->delimiter,
                             .decimal = part->decimal.mark,
                             .header = options->header,
                             .known = known,
                             .known_count = known_count};
    AUTO_FORMS form_set forms = {0};
    if (job.first_file) TRY(csv_forms_settle(&forms, part->path, &settings, options, decided != NULL));
    TRY(csv_open(&job.reader, part->path, &settings, options->workers));
    TRY(csv_roles(&job.roles, job.reader, options, part->label != NULL));
    if (job.first_file) {
        TRY(csv_check_categorical(job.reader, options)); /* a column that other files may lack */
        if (!forms.known) TRY(csv_forms_peek(&forms, job.reader, options));
        puad_status status = make_columns(&job, &forms, decided, &out->memory);
        *into = job.into;
        TRY(status);
        job.into->sample = (table_sample){.rows_max = options->max_rows, .seed = options->seed};
        job.into->decimal_seen = part->decimal.seen || csv_dialect_of(job.reader).decimal_seen;
    }
    if (csv_skipped(job.reader))
        TRY(notes_add(messages, "%s: lines above the table that are skipped: %llu", csv_name(job.reader),
                      (unsigned long long)csv_skipped(job.reader)));
    TRY(plan_columns(&job, messages));
    if (!job.first_file) table_part_begin(job.into);
    for (;;) {
        TRY(csv_next(&job.blocks, &job.block_count, job.reader, hold_numbers, &job));
        if (job.block_count == 0) break;
        TRY(take_blocks(&job));
    }
    if (job.short_rows)
        TRY(notes_add(messages,
                      "%s: %zu rows have fewer cells than there are columns; the rest counts as missing",
                      csv_name(job.reader), job.short_rows));
    return job.first_file ? PUAD_OK : table_part_end(job.into, csv_name(job.reader), job.present);
}
