/* Scores rows of a table in memory, a block at a time: nothing outlives the call, and the rows are never
 * all encoded at once. */
#include "checks/drift.h"
#include "detector/model/model_input_options.h"
#include "detector/model_series.h"
#include "input/memory_table.h"
#include "options/options.h"
#include "table/csv/csv_roles.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_A_BLOCK = 4096 };

static puad_status score_blocks(puad_scorer *scorer, float *scores, table_reader *reader, size_t rows,
                                arena *memory, drift_sample *sample)
{
    size_t capacity = rows < ROWS_A_BLOCK ? rows : ROWS_A_BLOCK;
    float *values;
    TRY(arena_new(memory, &values, capacity * reader->encoding->encoded, sizeof *values));
    for (size_t first = 0; first < rows; first += capacity) {
        size_t count = rows - first < capacity ? rows - first : capacity;
        TRY(team_check_stop(scorer_team(scorer)));
        table_reader_rows(reader, values, first, count);
        TRY(scorer_run(scorer, scores + first, values, count));
        drift_add(sample, values, scores + first, count);
    }
    return PUAD_OK;
}

/* For a model of windows: the rows are a series, with a single segment if the model has no axis. */
static puad_status score_series(puad_scorer *scorer, float *scores, table_reader *reader,
                                const puad_table *table, notes *messages, const puad_options *options)
{
    axis_clock clock;
    const time_axis *axis = &reader->encoding->axis;
    AUTO_FREE float *values = NULL;
    AUTO_FREE uint8_t *breaks = NULL;
    AUTO_FREE double *times = NULL;
    size_t rows = table->rows;
    size_t cells;
    if (!size_multiply(&cells, rows, reader->encoding->encoded))
        FAIL(PUAD_MEMORY, "%zu rows are too many", rows);
    TRY(memory_new(&values, cells, sizeof *values, "rows"));
    table_reader_rows(reader, values, 0, rows);
    if (!axis_is_given(axis)) return series_run(scorer, scores, values, NULL, rows);
    TRY(memory_new(&breaks, rows, 1, "stretches"));
    TRY(memory_new(&times, rows, sizeof *times, "time stamps"));
    TRY(memory_axis_breaks(breaks, times, &clock, table, axis));
    TRY(drift_warn_order(&clock, options));
    clock.back = 0; /* already reported as a warning */
    TRY(axis_clock_tell(messages, &clock, "the series"));
    return series_run(scorer, scores, values, breaks, rows);
}

static bool is_known(const char *name, const transform *encoding, const char *const *idle, size_t idle_count)
{
    for (size_t i = 0; i < encoding->input_count; i++)
        if (strcmp(encoding->columns[i].source, name) == 0) return true;
    for (size_t i = 0; i < idle_count; i++)
        if (csv_list_names(idle[i], name)) return true;
    return false;
}

/* Columns that the training data did not have. */
static puad_status warn_added(const puad_table *table, const puad_detector *model, arena *memory,
                              const puad_options *options)
{
    const char **added;
    size_t count = 0;
    data_options reading = {0};
    if (!model->table->named || !table->named) return PUAD_OK;
    TRY(model_reading(&reading, model, memory));
    TRY(arena_new(memory, &added, table->column_count, sizeof *added));
    for (size_t i = 0; i < table->column_count; i++)
        if (!is_known(table->columns[i].name, model->table, reading.idle, reading.idle_count))
            added[count++] = table->columns[i].name;
    return drift_warn_added(added, count, options);
}

static puad_status score_rows(puad_scorer *scorer, float *scores, const puad_table *table, notes *messages,
                              drift_sample *sample, const puad_options *options)
{
    arena *memory = scorer_reading(scorer);
    table_reader reader;
    bool *absent;
    const puad_detector *model = scorer_model(scorer);
    TRY(table_reader_open(&reader, memory, NULL, table, model->table)); /* warnings below report columns */
    TRY(model_is_series(model) ? score_series(scorer, scores, &reader, table, messages, options)
                               : score_blocks(scorer, scores, &reader, table->rows, memory, sample));
    if (options) TRY(table_reader_tell(messages, &reader));
    if (!options || OPTION_GIVEN(options, truth)) return PUAD_OK;
    TRY(table_reader_absent(&absent, memory, &reader));
    TRY(warn_added(table, model, memory, options));
    return drift_warn(sample, absent, options);
}

static puad_status score_table(puad_scorer *scorer, float *scores, const puad_table *table, notes *messages,
                               const puad_options *options)
{
    drift_sample sample;
    const puad_stop *before = team_set_stop(scorer_team(scorer), options ? options->stop : NULL);
    puad_status status = drift_begin(&sample, scorer_model(scorer), options ? table->rows : 0);
    if (status == PUAD_OK) status = score_rows(scorer, scores, table, messages, &sample, options);
    drift_end(&sample);
    team_set_stop(scorer_team(scorer), before);
    return status;
}

puad_status puad_scorer_run_table(puad_scorer *scorer, float *scores, size_t capacity,
                                  const puad_table *table, const puad_options *options)
{
    NEED(scorer);
    NEED(table);
    if (table->rows) NEED(scores);
    if (capacity < table->rows)
        FAIL(PUAD_INVALID, "capacity for %zu scores, the table has %zu rows", capacity, table->rows);
    if (!scorer_model(scorer)->table)
        FAIL(PUAD_INVALID, "the model was trained on float rows and has no encoding; use "
                           "puad_scorer_run_encoded");
    notes messages = {0};
    puad_status status = score_table(scorer, scores, table, &messages, options);
    for (size_t i = 0; status == PUAD_OK && i < messages.count; i++)
        options_tell(options, PUAD_NOTE, "%s", messages.texts[i]);
    notes_free(&messages);
    return status;
}
