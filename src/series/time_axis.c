/* Walks over time stamps: where segments begin, and irregularities. */
#include "series/time_axis.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool axis_read(double *out, const cell_form *form, text_view text)
{
    text = view_trimmed(text);
    if (form->kind == FORM_DATE) return date_read_utc(out, text, form->order) && isfinite(*out);
    return number_parse(out, text.text, text.length, form->decimal ? form->decimal : '.') && isfinite(*out);
}

bool axis_clock_step(axis_clock *clock, double time, bool regroup)
{
    bool first = clock->rows++ == 0, timed = clock->axis->time != NULL;
    double passed = time - clock->before;
    clock->before = time;
    if (first || regroup) return true;
    if (!timed) return false;
    if (passed < 0) {
        if (clock->back++ == 0) clock->first_back = clock->rows - 1;
        return true;
    }
    if (passed == 0 && clock->same++ == 0) clock->first_same = clock->rows - 1;
    bool gap = clock->axis->gap > 0 && passed > clock->axis->gap;
    clock->gaps += gap;
    return gap;
}

puad_status axis_clock_tell(notes *out, const axis_clock *clock, const char *name)
{
    if (clock->back)
        TRY(notes_add(out,
                      "%s: %zu time stamps are earlier than the one above (first: row %zu); new "
                      "segments begin there",
                      name, clock->back, clock->first_back));
    if (clock->same)
        TRY(notes_add(out,
                      "%s: %zu rows repeat the time stamp above (first: row %zu) and count as the next step",
                      name, clock->same, clock->first_same));
    return PUAD_OK;
}

puad_status axis_cells_room(axis_cells *owner, size_t rows)
{
    if (rows <= owner->capacity) return PUAD_OK;
    TRY(memory_grow(&owner->times, rows, sizeof *owner->times, "time stamps"));
    TRY(memory_grow(&owner->regroup, rows, 1, "groups"));
    owner->capacity = rows;
    return PUAD_OK;
}

static puad_status take_group(axis_cells *owner, bool *out_other, text_view text)
{
    bool same = owner->group_known && text.length == owner->group_length &&
                memcmp(text.text, owner->group, text.length) == 0;
    *out_other = owner->group_known && !same;
    if (same) return PUAD_OK;
    if (text.length + 1 > owner->group_room) {
        TRY(memory_grow(&owner->group, text.length + 1, 1, "a group"));
        owner->group_room = text.length + 1;
    }
    if (text.length) memcpy(owner->group, text.text, text.length);
    owner->group_length = text.length;
    owner->group_known = true;
    return PUAD_OK;
}

puad_status axis_cells_read(axis_cells *owner, int8_t *out_label, size_t place, const csv_reader *reader,
                            const csv_block *block, size_t row, size_t text_count)
{
    const text_view *texts = block->texts + row * text_count;
    text_view group = owner->group_text == SIZE_MAX ? (text_view){"", 0} : texts[owner->group_text];
    bool other = false;
    *out_label = PUAD_LABEL_UNLABELED;
    if (owner->group_text != SIZE_MAX) TRY(take_group(owner, &other, group));
    owner->regroup[place] = other;
    owner->times[place] = 0;
    if (owner->time_text == SIZE_MAX) return PUAD_OK;
    text_view text = texts[owner->time_text];
    if (!axis_read(&owner->times[place], &owner->axis->form, text)) {
        stream_place at = csv_place(reader, csv_line(reader, block, row));
        FAIL(PUAD_FORMAT, "%s: line %llu (row %zu): %s%.*s%s in column '%s'; the series has %s", at.name,
             at.line, block->first_row + row, text.length ? "the time stamp '" : "no time stamp",
             (int)(text.length < 60 ? text.length : 60), text.text, text.length ? "' cannot be read" : "",
             owner->axis->time,
             owner->axis->form.kind == FORM_DATE ? date_order_words(owner->axis->form.order)
                                                 : "numbers for times");
    }
    if (owner->intervals.count) *out_label = intervals_label(&owner->intervals, owner->times[place], group);
    return PUAD_OK;
}

void axis_cells_free(axis_cells *owner)
{
    free(owner->group);
    free(owner->times);
    free(owner->regroup);
    intervals_free(&owner->intervals);
    *owner = (axis_cells){0};
}
