/* Training tables from CSV files. The types of columns are guessed from the first block and checked against
 * all rows; where the guess was wrong the files are read once more. */
#include "data/table_csv.h"

#include "base/file.h"
#include "data/number.h"
#include "data/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CENTRE_ROWS = 1000 }; /* rows by which pivots are chosen */

typedef struct load { /* one file into the table */
    const data_options *options;
    csv_reader *reader;
    table *into;
    bool first_file;
    const int8_t *label; /* of every row, or NULL when a column tells or none is known */
    column_role *roles;
    cell_kind *kinds;
    size_t *numbers;    /* table column of each number the reader gives */
    size_t *categories; /* of each text column: table column; SIZE_MAX for the label and the id */
    size_t number_count, text_count, label_text, id_text; /* places among the texts; SIZE_MAX for none */
    bool *present;                                        /* per table column: this file has it */
    column_sums *sums;                                    /* CSV_BLOCKS_MOST x number_count */
    table_block made[CSV_BLOCKS_MOST];
    csv_block *blocks;
    size_t block_count, short_rows;
    puad_status *failed; /* per category column, in the loop over them */
    arena memory;
} load;

/* The column that an option names, or the number of columns. Blanks around a name count only where the file
 * has them in quotes: an older model may remember a name with blanks that are trimmed now. */
static size_t find_column(const csv_reader *reader, const char *name)
{
    size_t count, i;
    const char *const *names = csv_columns(reader, &count);
    text_view bare = view_trimmed((text_view){name, strlen(name)});
    for (i = 0; i < count && strcmp(names[i], name) != 0;) i++;
    if (i < count) return i;
    for (i = 0; i < count && !view_is(bare, names[i]);) i++;
    return i;
}

void csv_list_columns(char *out, size_t size, const csv_reader *reader)
{
    size_t count, used = 0;
    const char *const *names = csv_columns(reader, &count);
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", names[i]);
    if (used >= size) memcpy(out + size - 4, "...", 4);
}

static puad_status no_such_column(const csv_reader *reader, const char *option, const char *name)
{
    char list[300] = "";
    csv_list_columns(list, sizeof list, reader);
    FAIL(PUAD_INVALID, "%s: --%s: there is no column '%s'; the columns are %s", csv_name(reader), option,
         name, list);
}

static puad_status set_role(column_role *roles, const csv_reader *reader, const char *option,
                            const char *name, column_role role)
{
    size_t count, i = find_column(reader, name);
    csv_columns(reader, &count);
    if (i == count) return no_such_column(reader, option, name);
    roles[i] = role;
    return PUAD_OK;
}

puad_status csv_roles(column_role **out, const csv_reader *reader, const data_options *options,
                      bool label_optional)
{
    AUTO_FREE column_role *roles = NULL;
    size_t count;
    csv_columns(reader, &count);
    TRY(memory_new(&roles, count, sizeof *roles, "columns"));
    for (size_t i = 0; i < options->ignore_count; i++)
        if (!label_optional || find_column(reader, options->ignore[i]) < count)
            TRY(set_role(roles, reader, "ignore", options->ignore[i], ROLE_IGNORED));
    bool has_id = options->id_column && find_column(reader, options->id_column) < count;
    if (options->id_column && (has_id || !options->id_optional))
        TRY(set_role(roles, reader, options->id_option ? options->id_option : "id-column", options->id_column,
                     ROLE_ID));
    bool has_label = options->label_column && find_column(reader, options->label_column) < count;
    if (options->label_column && (has_label || !label_optional))
        TRY(set_role(roles, reader, "label-column", options->label_column, ROLE_LABEL));
    *out = roles;
    roles = NULL;
    return PUAD_OK;
}

puad_status csv_check_categorical(const csv_reader *reader, const data_options *options)
{
    size_t count;
    csv_columns(reader, &count);
    for (size_t i = 0; i < options->categorical_count; i++)
        if (find_column(reader, options->categorical[i]) == count)
            return no_such_column(reader, "categorical", options->categorical[i]);
    return PUAD_OK;
}

size_t csv_known_count(const data_options *options)
{
    return 2 + options->ignore_count + options->categorical_count;
}

void csv_known(const char **out, const data_options *options)
{
    *out++ = options->label_column ? options->label_column : "";
    *out++ = options->id_column ? options->id_column : "";
    for (size_t i = 0; i < options->ignore_count; i++) *out++ = options->ignore[i];
    for (size_t i = 0; i < options->categorical_count; i++) *out++ = options->categorical[i];
}

/* The table's columns from the first file: its features, numbers or not as its first block says. */
static puad_status make_columns(load *job, const bool *decided, arena *id_memory)
{
    size_t count, features = 0;
    const char *const *names = csv_columns(job->reader, &count);
    for (size_t i = 0; i < count; i++) features += job->roles[i] == ROLE_FEATURE;
    if (features == 0) FAIL(PUAD_INVALID, "%s: no column is left to learn from", csv_name(job->reader));
    TRY(table_new(&job->into, features));
    job->into->id_memory = id_memory;
    job->into->file_columns = count;
    job->into->decimal = csv_dialect_of(job->reader).decimal;
    const csv_block *sample;
    TRY(csv_peek(job->reader, &sample));
    AUTO_FREE size_t *odd = NULL;
    AUTO_FREE double *values = NULL;
    TRY(memory_new(&odd, count, sizeof *odd, "columns"));
    TRY(memory_new(&values, sample->rows, sizeof *values, "columns"));
    for (size_t i = 0; i < sample->odd_count; i++) odd[sample->odd[i].number]++;
    table_column *column = job->into->columns;
    for (size_t i = 0; i < count; i++) {
        if (job->roles[i] != ROLE_FEATURE) continue;
        size_t present = 0;
        for (size_t r = 0; r < sample->rows; r++) {
            values[r] = sample->numbers[r * count + i];
            present += !isnan(values[r]);
        }
        column->place = i;
        column->name = arena_text(&job->into->memory, names[i]);
        if (!column->name) FAIL(PUAD_MEMORY, "no memory for column names");
        for (size_t k = 0; k < job->options->categorical_count; k++)
            column->forced |= find_column(job->reader, job->options->categorical[k]) == i;
        bool number = column_is_number(present, odd[i]) || present + odd[i] == 0;
        column->category = decided ? decided[column - job->into->columns] : column->forced || !number;
        table_column_centre(column, values, sample->rows < CENTRE_ROWS ? sample->rows : CENTRE_ROWS);
        column++;
    }
    table_place(job->into);
    return PUAD_OK;
}

static puad_status tell_differences(load *job, notes *told, size_t unknown)
{
    for (size_t i = 0; i < job->into->column_count; i++)
        if (!job->present[i])
            TRY(notes_add(told, "%s has no column '%s'; its values count as missing", csv_name(job->reader),
                          job->into->columns[i].name));
    if (unknown)
        TRY(notes_add(told, "%s has %zu columns that the first file has not; they are left out",
                      csv_name(job->reader), unknown));
    return PUAD_OK;
}

/* What the reader shall give, and which column of the table each piece belongs to. */
static puad_status plan_columns(load *job, notes *told)
{
    size_t count, unknown = 0;
    const char *const *names = csv_columns(job->reader, &count);
    table *into = job->into;
    TRY(arena_new(&job->memory, &job->kinds, count, sizeof *job->kinds));
    TRY(arena_new(&job->memory, &job->numbers, count, sizeof *job->numbers));
    TRY(arena_new(&job->memory, &job->categories, count, sizeof *job->categories));
    TRY(arena_new(&job->memory, &job->present, into->column_count, sizeof *job->present));
    TRY(arena_new(&job->memory, &job->failed, into->category_count, sizeof *job->failed));
    dictionary places = {0}; /* of the table's columns by name */
    puad_status status = PUAD_OK;
    uint32_t code;
    for (size_t i = 0; i < into->column_count && status == PUAD_OK; i++)
        status =
            dictionary_add(&code, &places, (text_view){into->columns[i].name, strlen(into->columns[i].name)});
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
            job->present[place] = true;
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
    TRY(arena_new(&job->memory, &job->sums, CSV_BLOCKS_MOST * (into->number_count + 1), sizeof *job->sums));
    if (!job->first_file) TRY(tell_differences(job, told, unknown));
    return csv_plan(job->reader, job->kinds);
}

/* In a worker: the numbers of a block as held values, and their sums. */
static puad_status hold_numbers(void *context, csv_block *block, size_t index, int thread)
{
    (void)thread;
    load *job = context;
    const table *into = job->into;
    table_block *made = &job->made[index];
    column_sums *sums = job->sums + index * into->number_count;
    memset(sums, 0, into->number_count * sizeof *sums);
    if (table_block_new(made, into, block->rows) != PUAD_OK) {
        snprintf(block->message, sizeof block->message, "%s", puad_last_error());
        return PUAD_MEMORY;
    }
    for (size_t r = 0; r < block->rows; r++) {
        float *held = made->held + r * into->number_count;
        const double *numbers = block->numbers + r * job->number_count;
        if (job->number_count < into->number_count)
            for (size_t k = 0; k < into->number_count; k++) held[k] = NAN;
        for (size_t k = 0; k < job->number_count; k++) {
            const table_column *column = &into->columns[job->numbers[k]];
            held[column->slot] = transform_hold(numbers[k], column->pivot, column->factor);
        }
        for (size_t k = 0; k < into->number_count; k++) column_sums_add(&sums[k], held[k]);
    }
    return PUAD_OK;
}

/* In a worker: one category column through all blocks at hand, so that codes follow the order of the rows. */
static void code_categories(void *context, size_t item, int thread)
{
    (void)thread;
    load *job = context;
    table *into = job->into;
    size_t text = 0, place = SIZE_MAX;
    for (size_t i = 0; i < into->column_count; i++)
        if (into->columns[i].category && into->columns[i].slot == item) place = i;
    while (text < job->text_count && job->categories[text] != place) text++;
    table_column *column = &into->columns[place];
    char decimal = csv_dialect_of(job->reader).decimal;
    for (size_t b = 0; b < job->block_count; b++) {
        for (size_t r = 0; r < job->blocks[b].rows; r++) {
            uint32_t *code = &job->made[b].codes[r * into->category_count + item];
            text_view view = {"", 0};
            if (text < job->text_count) view = job->blocks[b].texts[r * job->text_count + text];
            if (cell_is_missing(view.text, view.length)) {
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
        FAIL(PUAD_FORMAT, "%s: line %llu (row %zu): the label '%.*s' in column '%s' is unknown; %s",
             csv_name(job->reader), (unsigned long long)csv_line(job->reader, block, r), block->first_row + r,
             (int)(view.length < 60 ? view.length : 60), view.text, job->options->label_column, expected);
    }
    return PUAD_OK;
}

static puad_status keep_ids(load *job, const csv_block *block)
{
    table *into = job->into;
    if (!job->options->id_column) return PUAD_OK;
    if (into->rows + block->rows > into->id_room) {
        size_t room = 2 * (into->rows + block->rows);
        TRY(memory_grow(&into->ids, room, sizeof *into->ids, "ids"));
        into->id_room = room;
    }
    for (size_t r = 0; r < block->rows; r++) {
        text_view view = {"", 0};
        if (job->id_text != SIZE_MAX) view = block->texts[r * job->text_count + job->id_text];
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
        if (column->odd++) continue;
        text_view view = block->odd[i].view;
        snprintf(column->odd_text, sizeof column->odd_text, "%.*s",
                 (int)(view.length < 39 ? view.length : 39), view.text);
        column->odd_row = block->first_row + block->odd[i].row;
    }
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
        TRY(keep_ids(job, block));
        note_odd_cells(job, block);
        for (size_t i = 0; i < into->column_count; i++)
            if (!into->columns[i].category)
                table_column_add(&into->columns[i],
                                 &job->sums[b * into->number_count + into->columns[i].slot]);
        job->short_rows += block->short_rows;
        TRY(table_append(into, job->made[b]));
        job->made[b] = (table_block){0};
    }
    return PUAD_OK;
}

static void load_end(load *job)
{
    for (size_t i = 0; i < CSV_BLOCKS_MOST; i++) table_block_free(&job->made[i]);
    free(job->roles);
    csv_close(job->reader);
    arena_free(&job->memory);
}

typedef struct part { /* one of the files, and what is known about it */
    const char *path;
    const int8_t *label; /* of all its rows, or NULL */
    csv_decimal decimal;
} part;

/* Appends one file; the first one makes the table. */
static puad_status load_file(table **into, const part *from, const data_options *options, const bool *decided,
                             dataset *out)
{
    notes *told = &out->notes;
    __attribute__((cleanup(load_end)))
    load job = {.options = options, .into = *into, .first_file = !*into, .label = from->label};
    size_t known_count = csv_known_count(options) + (*into ? (*into)->column_count : 0);
    const char **known;
    TRY(arena_new(&job.memory, &known, known_count, sizeof *known));
    csv_known(known, options);
    for (size_t i = csv_known_count(options); i < known_count; i++)
        known[i] = (*into)->columns[i - csv_known_count(options)].name;
    csv_settings settings = {.delimiter = options->delimiter,
                             .decimal = from->decimal.mark,
                             .header = options->header,
                             .known = known,
                             .known_count = known_count};
    TRY(csv_open(&job.reader, from->path, &settings, options->workers));
    TRY(csv_roles(&job.roles, job.reader, options, from->label != NULL));
    if (job.first_file) {
        TRY(csv_check_categorical(job.reader, options)); /* a column that other files may lack */
        puad_status status = make_columns(&job, decided, &out->memory);
        *into = job.into;
        TRY(status);
        job.into->decimal_seen = from->decimal.seen || csv_dialect_of(job.reader).decimal_seen;
    }
    TRY(plan_columns(&job, told));
    if (!job.first_file) table_part_begin(job.into);
    for (;;) {
        TRY(csv_next(&job.blocks, &job.block_count, job.reader, hold_numbers, &job));
        if (job.block_count == 0) break;
        TRY(take_blocks(&job));
    }
    if (job.short_rows)
        TRY(notes_add(told,
                      "%s: %zu rows have fewer cells than there are columns; the rest counts as missing",
                      csv_name(job.reader), job.short_rows));
    return job.first_file ? PUAD_OK : table_part_end(job.into, csv_name(job.reader), job.present);
}

/* How many of a category's cells are numbers after all. */
static size_t numbers_among_words(const table_column *column, char decimal)
{
    size_t numbers = column->beyond_numbers;
    double value;
    for (size_t i = 0; i < column->words.count; i++) {
        text_view text = column->words.texts[i];
        if (number_parse(&value, text.text, text.length, decimal)) numbers += column->words.counts[i];
    }
    return numbers;
}

/* The types by all rows; true when any differs from what was assumed. */
static bool decide_types(bool *categories, const table *owner, const char **out_name)
{
    bool differs = false;
    for (size_t i = 0; i < owner->column_count; i++) {
        const table_column *column = &owner->columns[i];
        categories[i] = column->category;
        if (column->forced) continue;
        if (!column->category && column->present + column->odd > 0)
            categories[i] = !column_is_number(column->present, column->odd);
        if (column->category && column->present > 0) {
            size_t numbers = numbers_among_words(column, owner->decimal);
            categories[i] = !column_is_number(numbers, column->present - numbers);
        }
        if (categories[i] == column->category) continue;
        differs = true;
        *out_name = column->name;
    }
    return differs;
}

enum { PARTS_MOST = 3 };
typedef struct parts {
    part list[PARTS_MOST];
    size_t count;
} parts;

/* The files to load. Each has its own decimal mark. */
static puad_status list_parts(parts *out, const char *path, const data_options *options)
{
    static const int8_t anomaly = LABEL_ANOMALY, normal = LABEL_NORMAL;
    csv_settings settings = {
        .delimiter = options->delimiter, .decimal = options->decimal, .header = options->header};
    *out = (parts){.list = {{.path = path}}, .count = 1};
    if (options->anomalies) out->list[out->count++] = (part){.path = options->anomalies, .label = &anomaly};
    if (options->normals) out->list[out->count++] = (part){.path = options->normals, .label = &normal};
    for (size_t i = 0; i < out->count; i++)
        TRY(csv_decimal_settle(&out->list[i].decimal, out->list[i].path, &settings, options->workers));
    return PUAD_OK;
}

static puad_status load_all(table **into, const parts *from, const data_options *options, const bool *decided,
                            dataset *out)
{
    for (size_t i = 0; i < from->count; i++)
        TRY(load_file(into, &from->list[i], options, i == 0 ? decided : NULL, out));
    (*into)->labeled = options->label_column || options->anomalies || options->normals;
    if ((*into)->rows == 0) FAIL(PUAD_FORMAT, "%s: no rows", from->list[0].path);
    return PUAD_OK;
}

static void free_table(table **owner)
{
    table_free(*owner);
}

static puad_status fill_dataset(dataset *out, table *from, const char *path, const data_options *options)
{
    out->name = arena_text(&out->memory, path);
    if (!out->name) FAIL(PUAD_MEMORY, "no memory for a name");
    TRY(table_learn(&out->transform, from, &out->notes));
    out->transform->named = true;
    out->transform->decimal = from->decimal_seen ? from->decimal : 0;
    out->transform->file_columns = from->file_columns;
    for (size_t i = 0; i < from->column_count; i++) out->transform->columns[i].place = from->columns[i].place;
    TRY(table_encode(out, from, out->transform, options->workers));
    if (!options->id_column) return PUAD_OK;
    out->id_name = arena_text(&out->memory, options->id_column);
    TRY(arena_new(&out->memory, &out->ids, from->rows, sizeof *out->ids));
    for (size_t i = 0; i < from->rows; i++) out->ids[i] = from->ids[i];
    return PUAD_OK;
}

/* The first of the files that cannot be read twice; NULL for none. */
static const char *first_pipe(const char *path, const data_options *options)
{
    const char *const files[] = {path, options->anomalies, options->normals};
    for (int i = 0; i < 3; i++)
        if (files[i] && file_is_pipe(files[i])) return files[i];
    return NULL;
}

puad_status table_from_csv(dataset *out, const char *path, const data_options *options)
{
    AUTO_ARENA arena memory = {0};
    __attribute__((cleanup(free_table))) table *from = NULL;
    *out = (dataset){0};
    TRY(label_rule_check(&options->labels));
    parts files;
    TRY(list_parts(&files, path, options));
    puad_status status = load_all(&from, &files, options, NULL, out);
    bool *categories = NULL;
    const char *name = "";
    if (status == PUAD_OK) status = arena_new(&memory, &categories, from->column_count, sizeof *categories);
    if (status == PUAD_OK && decide_types(categories, from, &name)) {
        const char *pipe = first_pipe(path, options);
        if (pipe)
            status = status_fail(PUAD_FORMAT,
                                 "%s: column '%s' changes between numbers and text, so the input "
                                 "must be read twice: give it as a file",
                                 strcmp(pipe, "-") == 0 ? "standard input" : pipe, name);
        table_free(from);
        from = NULL;
        notes_free(&out->notes);
        if (status == PUAD_OK) status = load_all(&from, &files, options, categories, out);
    }
    if (status == PUAD_OK) status = fill_dataset(out, from, path, options);
    if (status != PUAD_OK) dataset_free(out);
    return status;
}
