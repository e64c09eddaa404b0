/* Reads labeled intervals, and finds those that contain a time. */
#include "series/intervals.h"

#include "base/number.h"
#include "series/time_axis.h"
#include "table/csv/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct columns {
    size_t start, end, group, label; /* column indices; SIZE_MAX for no group, no label */
} columns;

static size_t find_name(const csv_reader *reader, const char *name)
{
    size_t count, i = 0;
    const char *const *names = csv_columns(reader, &count);
    while (i < count && strcasecmp(names[i], name) != 0) i++;
    return i < count ? i : SIZE_MAX;
}

static puad_status find_columns(columns *out, const csv_reader *reader, const char *group)
{
    size_t count;
    csv_columns(reader, &count);
    *out = (columns){find_name(reader, "start"), find_name(reader, "end"), SIZE_MAX, SIZE_MAX};
    if (out->start == SIZE_MAX || out->end == SIZE_MAX) *out = (columns){0, 1, SIZE_MAX, SIZE_MAX};
    out->label = find_name(reader, "label");
    if (count < 2)
        FAIL(PUAD_FORMAT, "%s: one column; expected the columns start and end of intervals",
             csv_name(reader));
    if (group) out->group = find_name(reader, group);
    return PUAD_OK;
}

static puad_status read_time(double *out, const csv_reader *reader, const csv_block *block, size_t row,
                             text_view text, const cell_form *form)
{
    static const cell_form others[] = {{.kind = FORM_DATE, .order = DATE_YMD},
                                       {.kind = FORM_PLAIN, .decimal = '.'}};
    if (axis_read(out, form, text)) return PUAD_OK;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].kind == form->kind && axis_read(out, &others[i], text)) return PUAD_OK;
    FAIL(PUAD_FORMAT, "%s: line %llu: '%.*s' is not a time in the format of the series (%s)",
         csv_name(reader), (unsigned long long)csv_line(reader, block, row),
         (int)(text.length < 60 ? text.length : 60), text.text,
         form->kind == FORM_DATE ? date_order_words(form->order) : "numbers");
}

/* 1, -1 or empty. */
static puad_status read_label(int8_t *out, const csv_reader *reader, const csv_block *block, size_t row,
                              text_view text)
{
    double number = 0;
    text = view_trimmed(text);
    bool read = text.length == 0 || number_parse(&number, text.text, text.length, '.');
    if (!read || (number != 1 && number != -1 && number != 0))
        FAIL(PUAD_FORMAT, "%s: line %llu: label '%.*s', expected 1 (anomaly), -1 (normal) or nothing",
             csv_name(reader), (unsigned long long)csv_line(reader, block, row),
             (int)(text.length < 60 ? text.length : 60), text.text);
    *out = (int8_t)number;
    return PUAD_OK;
}

static puad_status take_block(interval_list *out, size_t *buffer, const csv_reader *reader,
                              const csv_block *block, size_t width, const columns *at, const cell_form *form)
{
    for (size_t r = 0; r < block->rows; r++) {
        const text_view *texts = block->texts + r * width;
        if (out->count == *buffer) {
            *buffer = *buffer ? 2 * *buffer : 64;
            TRY(memory_grow(&out->list, *buffer, sizeof *out->list, "intervals"));
        }
        interval *next = &out->list[out->count];
        *next = (interval){.label = PUAD_LABEL_ANOMALY};
        if (at->label != SIZE_MAX) TRY(read_label(&next->label, reader, block, r, texts[at->label]));
        if (next->label == PUAD_LABEL_UNLABELED) continue;
        TRY(read_time(&next->start, reader, block, r, texts[at->start], form));
        TRY(read_time(&next->end, reader, block, r, texts[at->end], form));
        if (next->end < next->start)
            FAIL(PUAD_FORMAT, "%s: line %llu: the interval ends before it starts", csv_name(reader),
                 (unsigned long long)csv_line(reader, block, r));
        if (at->group != SIZE_MAX) {
            const char *copy = NULL;
            TRY(arena_view(&out->memory, &copy, texts[at->group]));
            next->group = (text_view){copy, texts[at->group].length};
        }
        out->count++;
    }
    return PUAD_OK;
}

static int compare_groups(text_view a, text_view b)
{
    if (a.length != b.length) return a.length < b.length ? -1 : 1;
    return a.length ? memcmp(a.text, b.text, a.length) : 0;
}

/* By group, anomalies before normal ones, by start. */
static int compare(const interval *a, const interval *b)
{
    int groups = compare_groups(a->group, b->group);
    if (groups) return groups;
    if (a->label != b->label) return a->label > b->label ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

static int compare_any(const void *left, const void *right)
{
    return compare(left, right);
}

static void put_in_order(interval_list *list)
{
    if (list->count) qsort(list->list, list->count, sizeof *list->list, compare_any);
    for (size_t i = 0; i < list->count; i++) {
        interval *at = &list->list[i], *before = i ? at - 1 : NULL;
        bool same = before && before->label == at->label && compare_groups(before->group, at->group) == 0;
        at->latest = same ? fmax(before->latest, at->end) : at->end;
    }
}

static puad_status read_all(interval_list *out, csv_reader *reader, const cell_form *form, const char *group)
{
    columns at;
    AUTO_FREE cell_kind *kinds = NULL;
    size_t width, count, capacity = 0;
    TRY(find_columns(&at, reader, group));
    csv_columns(reader, &width);
    TRY(memory_new(&kinds, width, sizeof *kinds, "columns"));
    for (size_t i = 0; i < width; i++) kinds[i] = CELL_TEXT;
    TRY(csv_plan(reader, kinds));
    do {
        csv_block *blocks;
        TRY(csv_next(&blocks, &count, reader, NULL, NULL));
        for (size_t b = 0; b < count; b++)
            TRY(take_block(out, &capacity, reader, &blocks[b], width, &at, form));
    } while (count);
    put_in_order(out);
    out->grouped = at.group != SIZE_MAX;
    return PUAD_OK;
}

puad_status intervals_read(interval_list *out, const char *path, const cell_form *form, const char *group)
{
    static const char *const known[] = {"start", "end"};
    csv_settings settings = {.known = known, .known_count = 2};
    csv_reader *reader = NULL;
    TRY(csv_open(&reader, path, &settings, NULL));
    puad_status status = read_all(out, reader, form, group);
    csv_close(reader);
    if (status != PUAD_OK) intervals_free(out);
    return status;
}

/* Whether an interval of this group and label contains the time. */
static bool holds(const interval_list *list, double time, text_view group, int8_t label)
{
    const interval asked = {.start = time, .group = group, .label = label};
    size_t low = 0, high = list->count; /* intervals before `low` sort before the one searched for */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&list->list[middle], &asked) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return false;
    const interval *last = &list->list[low - 1];
    return last->label == label && compare_groups(last->group, group) == 0 && last->latest >= time;
}

int8_t intervals_label(const interval_list *list, double time, text_view group)
{
    if (!list->grouped) group = (text_view){0};
    if (holds(list, time, group, PUAD_LABEL_ANOMALY)) return PUAD_LABEL_ANOMALY;
    return holds(list, time, group, PUAD_LABEL_NORMAL) ? PUAD_LABEL_NORMAL : PUAD_LABEL_UNLABELED;
}

void intervals_free(interval_list *owner)
{
    free(owner->list);
    arena_free(&owner->memory);
    *owner = (interval_list){0};
}
