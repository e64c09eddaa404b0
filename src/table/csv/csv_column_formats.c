/* Counts the cell formats of a file with several threads. */
#include "table/csv/csv_column_formats.h"

#include "io/reopenable_files.h"

#include <stdlib.h>

enum { PEEK_ROWS = 2000 };

typedef struct forms_job {
    csv_reader *reader;
    const data_options *options;
    column_role *roles;
    cell_kind *kinds;
    size_t columns, text_count;
    size_t *texts;                     /* column index of each string column */
    form_count *counts;                /* one per column */
    form_count *parts[CSV_BLOCKS_MAX]; /* one per string column and block */
    arena memory;
} forms_job;

void form_set_free(form_set *owner)
{
    free(owner->list);
    *owner = (form_set){0};
}

static void job_end(forms_job *job)
{
    free(job->roles);
    arena_free(&job->memory);
}

static bool is_named(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static form_hints hints_of(const forms_job *job, size_t column)
{
    size_t count;
    const char *name = csv_columns(job->reader, &count)[column];
    const data_options *options = job->options;
    return (form_hints){.name = name,
                        .decimal = csv_dialect_of(job->reader).decimal,
                        .given = options->decimal != 0,
                        .numeric = is_named(options->numeric, options->numeric_count, name),
                        .day_first = options->day_first,
                        .month_first = options->month_first};
}

/* Reads the chosen columns as strings, and skips the others. */
static puad_status plan(forms_job *job, const bool *wanted)
{
    job->text_count = 0;
    for (size_t i = 0; i < job->columns; i++) {
        job->kinds[i] = wanted[i] ? CELL_TEXT : CELL_SKIP;
        if (wanted[i]) job->texts[job->text_count++] = i;
    }
    return csv_plan(job->reader, job->kinds);
}

static void count_rows(form_count *counts, const forms_job *job, const csv_block *block, size_t rows)
{
    char decimal = csv_dialect_of(job->reader).decimal;
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < job->text_count; k++)
            form_count_cell(&counts[k], block->texts[r * job->text_count + k], decimal);
}

/* Runs in a worker. */
static puad_status count_block(void *context, csv_block *block, size_t index, int thread)
{
    (void)thread;
    forms_job *job = context;
    memset(job->parts[index], 0, job->text_count * sizeof **job->parts);
    count_rows(job->parts[index], job, block, block->rows);
    return PUAD_OK;
}

static puad_status count_all(forms_job *job)
{
    size_t count;
    for (size_t i = 0; i < CSV_BLOCKS_MAX; i++)
        TRY(arena_new(&job->memory, &job->parts[i], job->text_count, sizeof **job->parts));
    for (size_t k = 0; k < job->text_count; k++) job->counts[job->texts[k]] = (form_count){0};
    do {
        csv_block *blocks;
        TRY(csv_next(&blocks, &count, job->reader, count_block, job));
        for (size_t b = 0; b < count; b++)
            for (size_t k = 0; k < job->text_count; k++)
                form_count_add(&job->counts[job->texts[k]], &job->parts[b][k]);
    } while (count);
    return PUAD_OK;
}

static puad_status count_first(forms_job *job, bool *wanted)
{
    const csv_block *sample;
    csv_columns(job->reader, &job->columns);
    TRY(csv_roles(&job->roles, job->reader, job->options, false));
    TRY(arena_new(&job->memory, &job->kinds, job->columns, sizeof *job->kinds));
    TRY(arena_new(&job->memory, &job->texts, job->columns, sizeof *job->texts));
    TRY(arena_new(&job->memory, &job->counts, job->columns, sizeof *job->counts));
    const char *const *names = csv_columns(job->reader, &job->columns);
    for (size_t i = 0; i < job->columns; i++)
        wanted[i] = job->roles[i] == ROLE_FEATURE &&
                    !is_named(job->options->categorical, job->options->categorical_count, names[i]);
    TRY(plan(job, wanted));
    TRY(csv_peek(job->reader, &sample));
    form_count *counts;
    TRY(arena_new(&job->memory, &counts, job->text_count, sizeof *counts));
    count_rows(counts, job, sample, sample->rows < PEEK_ROWS ? sample->rows : PEEK_ROWS);
    for (size_t k = 0; k < job->text_count; k++) job->counts[job->texts[k]] = counts[k];
    return PUAD_OK;
}

/* For a single mark that could separate thousands or decimals, the other columns decide. */
static puad_status choose(form_set *out, const forms_job *job)
{
    int points = 0, commas = 0;
    TRY(memory_new(&out->list, job->columns, sizeof *out->list, "columns"));
    out->count = job->columns;
    for (size_t i = 0; i < job->columns; i++) {
        form_hints hints = hints_of(job, i);
        int evidence = form_evidence(&job->counts[i], &hints);
        points += evidence < 0;
        commas += evidence > 0;
        out->list[i] = form_choose(&job->counts[i], &hints);
    }
    for (size_t i = 0; i < job->columns; i++) {
        form_choice *choice = &out->list[i];
        char mark = csv_dialect_of(job->reader).decimal;
        if (!choice->doubtful || choice->form.kind == FORM_DATE || job->options->decimal) continue;
        bool other = mark == '.' ? commas > 0 && !points : points > 0 && !commas;
        if (other) form_take_thousands(choice, mark);
    }
    for (size_t i = 0; i < job->columns; i++)
        if (job->options->decimal && out->list[i].form.kind != FORM_DATE) out->list[i].doubtful = false;
    out->known = true;
    return PUAD_OK;
}

puad_status csv_forms_peek(form_set *out, csv_reader *reader, const data_options *options)
{
    __attribute__((cleanup(job_end))) forms_job job = {.reader = reader, .options = options};
    bool *wanted;
    csv_columns(reader, &job.columns);
    TRY(arena_new(&job.memory, &wanted, job.columns, sizeof *wanted));
    TRY(count_first(&job, wanted));
    return choose(out, &job);
}

static puad_status settle(form_set *out, csv_reader *reader, const data_options *options, bool whole)
{
    __attribute__((cleanup(job_end))) forms_job job = {.reader = reader, .options = options};
    bool *wanted, any = false;
    csv_columns(reader, &job.columns);
    TRY(arena_new(&job.memory, &wanted, job.columns, sizeof *wanted));
    TRY(count_first(&job, wanted));
    for (size_t i = 0; i < job.columns; i++) {
        form_hints hints = hints_of(&job, i);
        wanted[i] = wanted[i] && (whole || form_needs_all(&job.counts[i], &hints));
        any |= wanted[i];
    }
    if (any) {
        TRY(plan(&job, wanted));
        TRY(count_all(&job));
    }
    return choose(out, &job);
}

puad_status csv_forms_settle(form_set *out, const char *path, const csv_settings *settings,
                             const data_options *options, bool whole)
{
    csv_reader *reader = NULL;
    *out = (form_set){0};
    if (read_once(settings->kept, path)) return PUAD_OK;
    TRY(csv_open(&reader, path, settings, options->workers));
    puad_status status = settle(out, reader, options, whole);
    csv_close(reader);
    return status;
}
