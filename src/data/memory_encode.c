/* Tables in memory become datasets: learned from, or encoded as a model's rows were. */
#include "data/input.h"
#include "data/memory_table.h"
#include "data/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 4096, CENTRE_ROWS = 1000 };

typedef struct learning {
    const puad_table *from;
    table *into;
    const memory_column **columns; /* of `into` */
} learning;

static bool is_listed(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static puad_status check_names(const puad_table *from, const char *option_name, const char *const *names,
                               size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (dictionary_find(&from->names, (text_view){names[i], strlen(names[i])}) == DICTIONARY_NONE)
            FAIL(PUAD_INVALID, "option '%s': there is no column '%s' in the table", option_name, names[i]);
    return PUAD_OK;
}

static puad_status make_columns(learning *job, arena *memory, const data_options *options)
{
    const puad_table *from = job->from;
    size_t count = 0, sample = from->rows < CENTRE_ROWS ? from->rows : CENTRE_ROWS;
    TRY(check_names(from, "ignore", options->ignore, options->ignore_count));
    TRY(check_names(from, "categorical", options->categorical, options->categorical_count));
    TRY(arena_new(memory, &job->columns, from->column_count, sizeof *job->columns));
    for (size_t i = 0; i < from->column_count; i++)
        if (!is_listed(options->ignore, options->ignore_count, from->columns[i].name))
            job->columns[count++] = &from->columns[i];
    if (count == 0) FAIL(PUAD_INVALID, "the table has no column to learn from");
    TRY(table_new(&job->into, count));
    AUTO_FREE double *values = NULL;
    TRY(memory_new(&values, sample, sizeof *values, "columns"));
    for (size_t i = 0; i < count; i++) {
        table_column *column = &job->into->columns[i];
        column->name = arena_text(&job->into->memory, job->columns[i]->name);
        if (!column->name) FAIL(PUAD_MEMORY, "no memory for column names");
        column->place = (size_t)(job->columns[i] - from->columns);
        column->category = column->forced =
            job->columns[i]->kind == MEMORY_TEXT ||
            is_listed(options->categorical, options->categorical_count, column->name);
        for (size_t r = 0; !column->category && r < sample; r++)
            values[r] = memory_number(job->columns[i], r);
        if (!column->category) table_column_centre(column, values, sample);
    }
    table_place(job->into);
    return PUAD_OK;
}

static puad_status code_text(uint32_t *out, table_column *column, text_view text)
{
    *out = CODE_MISSING;
    if (cell_is_missing(text.text, text.length)) {
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
    char room[NUMBER_TEXT];
    for (size_t r = 0; r < block->rows; r++)
        for (size_t i = 0; i < into->column_count; i++) {
            table_column *column = &into->columns[i];
            if (column->category) {
                TRY(code_text(&block->codes[r * into->category_count + column->slot], column,
                              memory_text(room, job->columns[i], first + r)));
                continue;
            }
            double value = memory_number(job->columns[i], first + r);
            float held = isnan(value) ? NAN : transform_hold(value, column->pivot, column->factor);
            block->held[r * into->number_count + column->slot] = held;
            column_sums_add(&sums[i], held);
        }
    if (job->from->labels) memcpy(block->labels, job->from->labels + first, block->rows);
    return PUAD_OK;
}

static puad_status add_rows(learning *job)
{
    table *into = job->into;
    AUTO_FREE column_sums *sums = NULL;
    TRY(memory_new(&sums, into->column_count, sizeof *sums, "columns"));
    for (size_t first = 0; first < job->from->rows; first += BLOCK_ROWS) {
        size_t rows = job->from->rows - first < BLOCK_ROWS ? job->from->rows - first : BLOCK_ROWS;
        table_block block;
        TRY(table_block_new(&block, into, rows));
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
    if (job->from->rows == 0) FAIL(PUAD_INVALID, "the table has no rows");
    TRY(make_columns(job, memory, options));
    job->into->labeled = job->from->labels != NULL;
    TRY(add_rows(job));
    TRY(table_learn(&out->transform, job->into, &out->notes));
    out->transform->named = job->from->named;
    TRY(table_encode(out, job->into, out->transform, options->workers));
    return memory_take_rest(out, job->from);
}

static puad_status fill_from_table(dataset *into, const char *path, const data_options *options,
                                   void *context)
{
    AUTO_ARENA arena memory = {0};
    learning job = {.from = context};
    (void)path;
    puad_status status = learn(into, &job, &memory, options);
    table_free(job.into);
    return status == PUAD_FORMAT ? PUAD_INVALID : status; /* there is no file, the caller gave it all */
}

puad_status puad_dataset_from_table(puad_dataset **out, const puad_table *from, const puad_options *options)
{
    NEED(out);
    *out = NULL;
    NEED(from);
    return dataset_make(out, NULL, options, fill_from_table, (void *)from);
}

/* The caller's column for each of the model's; NULL where there is none. */
static puad_status find_columns(const memory_column **found, notes *told, const puad_table *from,
                                const transform *how)
{
    size_t used = 0;
    for (size_t i = 0; i < how->column_count; i++) {
        const transform_column *column = &how->columns[i];
        size_t place = i;
        if (how->named || from->named)
            place = dictionary_find(&from->names, (text_view){column->name, strlen(column->name)});
        found[i] = place < from->column_count ? &from->columns[place] : NULL;
        used += found[i] != NULL;
        if (!found[i] && column->type != COLUMN_DROPPED)
            TRY(notes_add(told, "there is no column '%s'; its values count as missing", column->name));
    }
    if (used == 0 && how->column_count)
        FAIL(PUAD_INVALID, "the table has none of the model's columns; the first of them is '%s'",
             how->columns[0].name);
    if (used < from->column_count)
        TRY(notes_add(told, "%zu columns that the model does not know are left out",
                      from->column_count - used));
    return PUAD_OK;
}

static void encode_cell(float *row, size_t index, size_t r, table_reader *reader)
{
    const transform_column *column = &reader->how->columns[index];
    const memory_column *from = reader->found[index];
    char room[NUMBER_TEXT];
    double value = NAN;
    if (column->type == COLUMN_CATEGORY && from && from->kind != MEMORY_TEXT) {
        value = memory_number(from, r);
        if (from->kind == MEMORY_FLOAT && !isnan(value)) value = number_of_float((float)value);
        if (isnan(value))
            transform_code(row, column, CODE_MISSING);
        else
            reader->unseen[index] += !transform_number_category(row, column, value);
    } else if (column->type == COLUMN_CATEGORY) {
        reader->unseen[index] +=
            !transform_text(row, column, from ? memory_text(room, from, r) : (text_view){"", 0});
    } else if (column->type == COLUMN_NUMBER) {
        if (from && from->kind != MEMORY_TEXT) value = memory_number(from, r);
        text_view text = from && from->kind == MEMORY_TEXT ? memory_text(room, from, r) : (text_view){"", 0};
        if (!cell_is_missing(text.text, text.length) &&
            !(number_parse(&value, text.text, text.length, '.') && isfinite(value))) {
            value = NAN;
            reader->odd_numbers[index]++;
        }
        transform_number(row, column, value);
    }
}

puad_status table_reader_tell(notes *told, const table_reader *reader)
{
    const transform *how = reader->how;
    for (size_t i = 0; i < how->column_count; i++) {
        if (reader->odd_numbers[i])
            TRY(notes_add(told, "column '%s': %zu cells are not numbers and count as missing",
                          how->columns[i].name, reader->odd_numbers[i]));
        if (reader->unseen[i])
            TRY(notes_add(told, "column '%s': %zu cells have a text that training did not have",
                          how->columns[i].name, reader->unseen[i]));
    }
    return PUAD_OK;
}

puad_status table_reader_open(table_reader *out, arena *memory, notes *told, const puad_table *from,
                              const transform *how)
{
    if (how->image) FAIL(PUAD_INVALID, "the model was trained on images, and these rows are a table");
    *out = (table_reader){.how = how};
    TRY(arena_new(memory, &out->found, how->column_count, sizeof *out->found));
    TRY(arena_new(memory, &out->odd_numbers, how->column_count, sizeof *out->odd_numbers));
    TRY(arena_new(memory, &out->unseen, how->column_count, sizeof *out->unseen));
    return find_columns(out->found, told, from, how);
}

void table_reader_rows(table_reader *from, float *out, size_t first, size_t rows)
{
    const transform *how = from->how;
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < how->column_count; i++)
            encode_cell(out + r * how->encoded, i, first + r, from);
}

puad_status table_encode_for(dataset *out, const puad_table *from, const transform *how)
{
    AUTO_ARENA arena memory = {0};
    table_reader reader;
    size_t count;
    TRY(table_reader_open(&reader, &memory, &out->notes, from, how));
    if (!size_multiply(&count, from->rows, how->encoded))
        FAIL(PUAD_MEMORY, "%zu rows are too many", from->rows);
    TRY(memory_new(&out->value_block, count, sizeof(float), "rows"));
    out->values = out->value_block;
    out->rows = from->rows;
    out->columns = how->encoded;
    out->height = out->width = 1;
    out->channels = (int)how->encoded;
    table_reader_rows(&reader, out->values, 0, from->rows);
    TRY(transform_names(&out->column_names, &out->memory, how));
    TRY(table_reader_tell(&out->notes, &reader));
    return memory_take_rest(out, from);
}
