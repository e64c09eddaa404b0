/* Training tables from CSV files. Column types are guessed from the first block and checked against all
 * rows; if a guess was wrong, the files are read again. */
#include "table/csv/table_csv.h"

#include "base/number.h"
#include "table/csv/table_csv_load.h"
#include "table/encoding/table_sample.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How many cells of a category column are numbers. */
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

/* Decides the types from all rows, by column index; true if any differs from the guess. */
static bool decide_types(bool *categories, const table *owner, const char **out_name)
{
    bool differs = false;
    for (size_t i = 0; i < owner->column_count; i++) {
        const table_column *column = &owner->columns[i];
        bool *category = &categories[column->place];
        *category = column->category;
        if (column->forced || column->choice.form.kind != FORM_PLAIN) continue;
        if (!column->category && column->present + column->odd > 0)
            *category = !column_is_number(column->present, column->odd);
        if (column->category && column->present > 0) {
            size_t numbers = numbers_among_words(column, owner->decimal),
                   others = column->present - numbers - table_count_none(column);
            *category = numbers + others == 0 || !column_is_number(numbers, others);
        }
        if (*category == column->category) continue;
        differs = true;
        *out_name = column->name;
    }
    return differs;
}

/* Whether odd cells are numbers in another format that the first rows did not show. */
static bool forms_differ(const table *owner)
{
    for (size_t i = 0; i < owner->column_count; i++)
        if (!owner->columns[i].category && owner->columns[i].choice.form.kind == FORM_PLAIN &&
            owner->columns[i].odd_decorated)
            return true;
    return false;
}

enum { PARTS_MAX = 3 };
typedef struct parts {
    csv_part list[PARTS_MAX];
    size_t count;
} parts;

/* Lists the files to load. Each has its own decimal mark. */
static puad_status list_parts(parts *out, const char *path, const data_options *options)
{
    static const int8_t anomaly = PUAD_LABEL_ANOMALY, normal = PUAD_LABEL_NORMAL;
    csv_settings settings = {.kept = options->kept,
                             .delimiter = options->delimiter,
                             .decimal = options->decimal,
                             .header = options->header};
    *out = (parts){.list = {{.path = path}}, .count = 1};
    if (options->anomalies)
        out->list[out->count++] = (csv_part){.path = options->anomalies, .label = &anomaly};
    if (options->normals) out->list[out->count++] = (csv_part){.path = options->normals, .label = &normal};
    for (size_t i = 0; i < out->count; i++)
        TRY(csv_decimal_settle(&out->list[i].decimal, out->list[i].path, &settings, options->workers));
    return PUAD_OK;
}

static puad_status load_all(table **into, const parts *source, const data_options *options,
                            const bool *decided, dataset *out)
{
    assert(source->count > 0);
    for (size_t i = 0; i < source->count; i++)
        TRY(table_load_csv(into, &source->list[i], options, i == 0 ? decided : NULL, out));
    (*into)->labeled = options->label_column || options->anomalies || options->normals;
    if ((*into)->rows == 0) FAIL(PUAD_FORMAT, "%s: no rows", source->list[0].path);
    return table_sample_end(*into);
}

static void free_table(table **owner)
{
    table_free(*owner);
}

static puad_status fill_dataset(dataset *out, table *source, const char *path, const data_options *options)
{
    out->name = arena_text(&out->memory, path);
    if (!out->name) FAIL(PUAD_MEMORY, "no memory for a name");
    if (source->sample.thinned)
        TRY(notes_add(&out->notes,
                      "%zu of %zu rows are used, drawn at random, at most %zu per label (option "
                      "'max_rows'; 0: all)",
                      source->rows, source->seen, source->sample.rows_max));
    source->derive = derive_wish_of(options, true);
    table_settle_none(source);
    TRY(table_learn(&out->transform, source, &out->notes));
    out->transform->named = true;
    out->transform->decimal = source->decimal_seen ? source->decimal : 0;
    out->transform->file_columns = source->file_columns;
    for (size_t i = 0; i < source->column_count; i++)
        out->transform->columns[i].place = source->columns[i].place;
    TRY(table_encode(out, source, out->transform, options->workers));
    if (!options->id_column) return PUAD_OK;
    out->id_name = arena_text(&out->memory, options->id_column);
    TRY(arena_new(&out->memory, &out->ids, source->rows, sizeof *out->ids));
    for (size_t i = 0; i < source->rows; i++) out->ids[i] = source->ids[i];
    return PUAD_OK;
}

/* The first file that cannot be read twice; NULL if there is none. */
static const char *first_pipe(const char *path, const data_options *options)
{
    const char *const files[] = {path, options->anomalies, options->normals};
    for (int i = 0; i < 3; i++)
        if (files[i] && read_once(options->kept, files[i])) return files[i];
    return NULL;
}

puad_status table_from_csv(dataset *out, const char *path, const data_options *options)
{
    AUTO_ARENA arena memory = {0};
    __attribute__((cleanup(free_table))) table *source = NULL;
    *out = (dataset){0};
    TRY(label_rule_check(&options->labels));
    parts files;
    TRY(list_parts(&files, path, options));
    puad_status status = load_all(&source, &files, options, NULL, out);
    bool *categories = NULL;
    const char *name = "";
    if (status == PUAD_OK) status = arena_new(&memory, &categories, source->file_columns, sizeof *categories);
    const char *pipe = first_pipe(path, options);
    bool differ = status == PUAD_OK && decide_types(categories, source, &name);
    if (status == PUAD_OK && (differ || (!pipe && forms_differ(source)))) {
        if (pipe)
            status = status_fail(PUAD_FORMAT,
                                 "%s: column '%s' changes between numbers and text, "
                                 "so the input must be read twice: give it as a file",
                                 strcmp(pipe, "-") == 0 ? "standard input" : pipe, name);
        table_free(source);
        source = NULL;
        notes_free(&out->notes);
        if (status == PUAD_OK) status = load_all(&source, &files, options, categories, out);
    }
    if (status == PUAD_OK) status = fill_dataset(out, source, path, options);
    if (status != PUAD_OK) dataset_free(out);
    return status;
}
