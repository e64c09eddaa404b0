/* Learns the axis of a time series from a file: the format of the time stamps, the median step, and where
 * segments begin. */
#include "base/c_locale.h"
#include "base/sort.h"
#include "input/format.h"
#include "series/time_axis.h"
#include "table/cells/column_format.h"
#include "table/csv/csv_roles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PEEK_ROWS = 2000, ROWS_A_BLOCK = 4096 };
/* more out-of-order or repeated times are an error, fewer are a note */
enum { BACK_ONE_IN = 100, SAME_ONE_IN = 10 };

static puad_status choose_form(cell_form *out, notes *messages, const char *path, const data_options *options)
{
    csv_settings settings = {.kept = options->kept,
                             .delimiter = options->delimiter,
                             .decimal = options->decimal,
                             .header = options->header,
                             .known = (const char *const[]){options->time},
                             .known_count = 1};
    csv_reader *reader = NULL;
    AUTO_FREE cell_kind *kinds = NULL;
    form_count sum = {0};
    const csv_block *sample;
    size_t count;
    TRY(csv_open(&reader, path, &settings, NULL));
    csv_columns(reader, &count);
    size_t place = csv_find_column(reader, options->time);
    char decimal = csv_dialect_of(reader).decimal;
    puad_status status = memory_new(&kinds, count, sizeof *kinds, "columns");
    if (status == PUAD_OK && place < count) kinds[place] = CELL_TEXT;
    if (status == PUAD_OK) status = csv_plan(reader, kinds);
    if (status == PUAD_OK) status = csv_peek(reader, &sample);
    for (size_t r = 0; status == PUAD_OK && r < sample->rows && r < PEEK_ROWS; r++)
        form_count_cell(&sum, sample->texts[r], decimal);
    csv_close(reader);
    TRY(status);
    form_hints hints = {.name = options->time,
                        .decimal = decimal,
                        .day_first = options->day_first,
                        .month_first = options->month_first};
    form_choice choice = form_choose(&sum, &hints);
    *out = (cell_form){.kind = FORM_PLAIN, .decimal = decimal};
    if (choice.form.kind != FORM_DATE) return PUAD_OK;
    *out = choice.form;
    return form_tell(messages, options->time, &choice);
}

typedef struct axis_rows {
    const double *times;
    const uint8_t *regroup;
    size_t rows;
} axis_rows;

static void axis_rows_free(axis_rows *owner)
{
    memory_free(owner->times);
    memory_free(owner->regroup);
}

/* Times and groups of all rows, and labels from intervals. */
static puad_status read_rows(axis_rows *out, dataset *into, const char *path, const data_options *options)
{
    data_options plain = *options;
    row_source *source = NULL;
    double *times;
    uint8_t *regroup;
    plain.label_column = plain.id_column = NULL;
    TRY(memory_new(&times, into->rows, sizeof *times, "time stamps"));
    out->times = times;
    TRY(memory_new(&regroup, into->rows, 1, "groups"));
    out->regroup = regroup;
    if (options->intervals && !into->labels) TRY(arena_new(&into->memory, &into->labels, into->rows, 1));
    TRY(row_source_open(&source, path, into->transform, &plain));
    puad_status status;
    for (;;) {
        row_block block;
        status = row_source_next(&block, source, ROWS_A_BLOCK);
        if (status != PUAD_OK || block.rows == 0) break;
        if (block.rows > into->rows - out->rows) {
            out->rows += block.rows;
            break;
        }
        memcpy(times + out->rows, block.times, block.rows * sizeof *times);
        memcpy(regroup + out->rows, block.regroup, block.rows);
        for (size_t i = 0; block.labels && i < block.rows; i++)
            if (block.labels[i] != PUAD_LABEL_UNLABELED) into->labels[out->rows + i] = block.labels[i];
        out->rows += block.rows;
    }
    row_source_free(source);
    TRY(status);
    if (out->rows != into->rows)
        FAIL(PUAD_FORMAT, "%s had %zu rows and then %zu: is another program writing to it?", path, into->rows,
             out->rows);
    return PUAD_OK;
}

/* The median of the positive steps. */
static puad_status usual_step(double *out, const axis_rows *rows)
{
    AUTO_FREE double *steps = NULL;
    size_t count = 0;
    *out = 0;
    TRY(memory_new(&steps, rows->rows, sizeof *steps, "steps"));
    for (size_t i = 1; i < rows->rows; i++)
        if (!rows->regroup[i] && rows->times[i] > rows->times[i - 1])
            steps[count++] = rows->times[i] - rows->times[i - 1];
    if (count == 0) return PUAD_OK;
    sort_doubles(steps, count);
    *out = steps[count / 2];
    return PUAD_OK;
}

static void time_text(char out[DATE_TEXT], double time, const cell_form *form)
{
    if (form->kind == FORM_DATE)
        date_text(out, time, form->order);
    else
        c_print(out, DATE_TEXT, "%.10g", time);
}

static puad_status check_order(const axis_clock *clock, const axis_rows *rows, const char *name)
{
    char now[DATE_TEXT], before[DATE_TEXT];
    const cell_form *form = &clock->axis->form;
    if (clock->back * BACK_ONE_IN > rows->rows) {
        time_text(now, rows->times[clock->first_back], form);
        time_text(before, rows->times[clock->first_back - 1], form);
        FAIL(
            PUAD_FORMAT,
            "%s: row %zu (%s) is before the last (%s), as are %zu more; sort by time (option 'series_column')",
            name, clock->first_back, now, before, clock->back - 1);
    }
    if (clock->same * SAME_ONE_IN > rows->rows) {
        time_text(now, rows->times[clock->first_same], form);
        FAIL(PUAD_FORMAT,
             "%s: %zu rows repeat the time stamp above (row %zu: %s); name option 'series_column'", name,
             clock->same, clock->first_same, now);
    }
    return PUAD_OK;
}

puad_status axis_name(dataset *into, const data_options *options)
{
    transform *encoding = into->transform;
    if (options->time && !(encoding->axis.time = arena_text(&encoding->memory, options->time)))
        FAIL(PUAD_MEMORY, "no memory for a name");
    if (options->group && !(encoding->axis.group = arena_text(&encoding->memory, options->group)))
        FAIL(PUAD_MEMORY, "no memory for a name");
    return PUAD_OK;
}

puad_status axis_settle(dataset *into, const double *times, const uint8_t *regroup, size_t count, double gap)
{
    time_axis *axis = &into->transform->axis;
    const axis_rows rows = {times, regroup, count};
    if (axis->time) {
        TRY(usual_step(&axis->step, &rows));
        axis->gap = gap > 0 ? gap : AXIS_GAP_STEPS * axis->step;
    }
    axis_clock clock = {.axis = axis};
    TRY(arena_new(&into->memory, &into->breaks, count, 1));
    for (size_t i = 0; i < count; i++) into->breaks[i] = axis_clock_step(&clock, times[i], regroup[i]);
    TRY(check_order(&clock, &rows, "the series"));
    return axis_clock_tell(&into->notes, &clock, "the series");
}

puad_status axis_learn(dataset *into, const char *path, const data_options *options)
{
    const format *kind;
    if (options->intervals && !options->time)
        FAIL(PUAD_INVALID, "option 'intervals' needs the time stamps of the rows (option 'time_column')");
    if (!options->time && !options->group) return PUAD_OK;
    TRY(format_of(&kind, path, options->kept));
    if (kind->rows != format_csv_rows)
        FAIL(PUAD_INVALID, "options 'time_column' and 'series_column' name columns of CSV; %s is %s", path,
             kind->what);
    if (options->anomalies || options->normals)
        FAIL(PUAD_INVALID, "option 'anomalies' and option 'normals' are not for series; use option "
                           "'label_column' or option 'intervals'");
    __attribute__((cleanup(axis_rows_free))) axis_rows rows = {0};
    time_axis *axis = &into->transform->axis;
    TRY(axis_name(into, options));
    if (axis->time) TRY(choose_form(&axis->form, &into->notes, path, options));
    TRY(read_rows(&rows, into, path, options));
    return axis_settle(into, rows.times, rows.regroup, rows.rows, options->gap);
}
