/* Rows of a table in memory to scores, a block at a time: for one row nothing is built that outlives the
 * call, and of many rows there is never a whole encoded copy. */
#include "data/memory_table.h"
#include "detector/model_series.h"
#include "options/options.h"

#include <stdlib.h>

enum { ROWS_A_BLOCK = 4096 };

static puad_status score_blocks(puad_scorer *scorer, float *scores, table_reader *reader, size_t rows)
{
    size_t room = rows < ROWS_A_BLOCK ? rows : ROWS_A_BLOCK;
    AUTO_FREE float *values = NULL;
    TRY(memory_new(&values, room * reader->how->encoded, sizeof *values, "rows"));
    for (size_t first = 0; first < rows; first += room) {
        size_t count = rows - first < room ? rows - first : room;
        table_reader_rows(reader, values, first, count);
        TRY(scorer_run(scorer, scores + first, values, count));
    }
    return PUAD_OK;
}

/* Of a model of windows: the rows are a series, one stretch where the model knows no axis. */
static puad_status score_series(puad_scorer *scorer, float *scores, table_reader *reader,
                                const puad_table *table, notes *told)
{
    const time_axis *axis = &reader->how->axis;
    AUTO_FREE float *values = NULL;
    AUTO_FREE uint8_t *breaks = NULL;
    AUTO_FREE double *times = NULL;
    size_t rows = table->rows;
    size_t cells;
    if (!size_multiply(&cells, rows, reader->how->encoded)) FAIL(PUAD_MEMORY, "%zu rows are too many", rows);
    TRY(memory_new(&values, cells, sizeof *values, "rows"));
    table_reader_rows(reader, values, 0, rows);
    if (!axis_is_given(axis)) return series_run(scorer, scores, values, NULL, rows);
    TRY(memory_new(&breaks, rows, 1, "stretches"));
    TRY(memory_new(&times, rows, sizeof *times, "time stamps"));
    TRY(memory_axis_breaks(breaks, times, told, table, axis));
    return series_run(scorer, scores, values, breaks, rows);
}

static puad_status score_table(puad_scorer *scorer, float *scores, const puad_table *table, notes *told)
{
    AUTO_ARENA arena memory = {0};
    table_reader reader;
    TRY(table_reader_open(&reader, &memory, told, table, scorer_model(scorer)->table));
    TRY(model_is_series(scorer_model(scorer)) ? score_series(scorer, scores, &reader, table, told)
                                              : score_blocks(scorer, scores, &reader, table->rows));
    return table_reader_tell(told, &reader);
}

puad_status puad_scorer_run_table(puad_scorer *scorer, float *scores, size_t room, const puad_table *table,
                                  const puad_options *options)
{
    NEED(scorer);
    NEED(table);
    if (table->rows) NEED(scores);
    if (room < table->rows)
        FAIL(PUAD_INVALID, "room for %zu scores, the table has %zu rows", room, table->rows);
    if (!scorer_model(scorer)->table)
        FAIL(PUAD_INVALID,
             "the model was trained on rows of floats and knows no encoding; puad_scorer_run_encoded "
             "takes rows as they are");
    notes told = {0};
    puad_status status = score_table(scorer, scores, table, &told);
    for (size_t i = 0; status == PUAD_OK && i < told.count; i++)
        options_tell(options, PUAD_NOTE, "%s", told.texts[i]);
    notes_free(&told);
    return status;
}
