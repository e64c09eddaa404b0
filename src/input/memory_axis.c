/* Time stamps and groups of a table in memory, equivalent to those of a file. */
#include "input/memory_table.h"
#include "series/time_axis.h"
#include "table/cells/column_format.h"

#include <stdlib.h>
#include <string.h>

static puad_status find(const memory_column **out, const puad_table *source, const char *name)
{
    *out = NULL;
    if (!name) return PUAD_OK;
    size_t place = dictionary_find(&source->names, (text_view){name, strlen(name)});
    if (place >= source->column_count)
        FAIL(PUAD_INVALID, "there is no column '%s' in the table, and the series needs it", name);
    *out = &source->columns[place];
    return PUAD_OK;
}

static puad_status choose_form(cell_form *out, notes *messages, const memory_column *column, size_t rows,
                               const data_options *options)
{
    form_count sum = {0};
    char buffer[NUMBER_TEXT];
    *out = (cell_form){.kind = FORM_PLAIN, .decimal = '.'};
    if (column->kind != MEMORY_TEXT) return PUAD_OK;
    for (size_t r = 0; r < rows; r++) form_count_cell(&sum, memory_text(buffer, column, r), '.');
    form_hints hints = {.name = column->name,
                        .decimal = '.',
                        .day_first = options->day_first,
                        .month_first = options->month_first};
    form_choice choice = form_choose(&sum, &hints);
    if (choice.form.kind != FORM_DATE) return PUAD_OK;
    *out = choice.form;
    return form_tell(messages, column->name, &choice);
}

/* The time of each row, and whether its group differs from the previous row's. */
static puad_status read_rows(double *times, uint8_t *regroup, const puad_table *source, const time_axis *axis)
{
    const memory_column *time, *group;
    char buffer[NUMBER_TEXT], before_room[NUMBER_TEXT];
    TRY(find(&time, source, axis->time));
    TRY(find(&group, source, axis->group));
    for (size_t r = 0; r < source->rows; r++) {
        text_view text = time ? memory_text(buffer, time, r) : (text_view){"", 0};
        times[r] = 0;
        if (time && !axis_read(&times[r], &axis->form, text))
            FAIL(PUAD_INVALID, "row %zu: %s%.*s%s in column '%s'; the series has %s", r,
                 text.length ? "the time stamp '" : "no time stamp",
                 (int)(text.length < 60 ? text.length : 60), text.text, text.length ? "' cannot be read" : "",
                 axis->time,
                 axis->form.kind == FORM_DATE ? date_order_words(axis->form.order) : "numbers for times");
        regroup[r] = 0;
        if (!group || r == 0) continue;
        text_view now = memory_text(buffer, group, r), before = memory_text(before_room, group, r - 1);
        regroup[r] = now.length != before.length || memcmp(now.text, before.text, now.length) != 0;
    }
    return PUAD_OK;
}

puad_status memory_axis_learn(dataset *into, const puad_table *source, const data_options *options)
{
    if (!options->time && !options->group) return PUAD_OK;
    const memory_column *time;
    AUTO_FREE uint8_t *regroup = NULL;
    TRY(axis_name(into, options));
    TRY(find(&time, source, options->time));
    if (time) TRY(choose_form(&into->transform->axis.form, &into->notes, time, source->rows, options));
    TRY(memory_new(&regroup, source->rows, 1, "groups"));
    TRY(arena_new(&into->memory, &into->times, source->rows, sizeof *into->times));
    TRY(read_rows(into->times, regroup, source, &into->transform->axis));
    TRY(axis_settle(into, into->times, regroup, source->rows, options->gap));
    if (!time) into->times = NULL;
    return PUAD_OK;
}

puad_status memory_axis_breaks(uint8_t *breaks, double *times, axis_clock *clock, const puad_table *source,
                               const time_axis *axis)
{
    AUTO_FREE uint8_t *regroup = NULL;
    *clock = (axis_clock){.axis = axis};
    TRY(memory_new(&regroup, source->rows, 1, "groups"));
    TRY(read_rows(times, regroup, source, axis));
    for (size_t i = 0; i < source->rows; i++) breaks[i] = axis_clock_step(clock, times[i], regroup[i]);
    return PUAD_OK;
}
