/* Reads answers from a CSV file. */
#include "input/answer_file.h"

#include "base/file.h"
#include "base/model_head.h"
#include "base/number.h"
#include "base/plain_text.h"
#include "dataset/labels.h"
#include "input/original_cells.h"
#include "io/stream.h"
#include "table/csv/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Column indices in an answer file. Besides row, label and id there are copies of the row's cells; they
 * must match the row that the answer is applied to. */
typedef struct answer_columns {
    size_t row, label, id; /* indices among the string columns; SIZE_MAX if there is none */
    size_t count;
    const char **names; /* of the cells to compare, else NULL; `count` entries */
} answer_columns;

/* The rows of the answer file, until they are compared. */
typedef struct answer_list {
    arena memory;
    size_t *rows;
    uint64_t *lines;
    text_view *cells; /* count x columns */
    size_t count, capacity;
} answer_list;

static puad_status plan(answer_columns *out, arena *memory, csv_reader *reader, const char *id_name)
{
    size_t count;
    const char *const *names = csv_columns(reader, &count);
    AUTO_FREE cell_kind *kinds = NULL;
    TRY(memory_new(&kinds, count, sizeof *kinds, "columns"));
    *out = (answer_columns){SIZE_MAX, SIZE_MAX, SIZE_MAX, 0, NULL};
    TRY(arena_new(memory, &out->names, count, sizeof *out->names));
    for (size_t i = 0; i < count; i++) {
        /* The first of two equal names: cells of the table come after them. The id precedes the label, and
         * may have the same name. */
        bool is_row = strcmp(names[i], "row") == 0 && out->row == SIZE_MAX;
        bool is_id = id_name && strcmp(names[i], id_name) == 0 && out->id == SIZE_MAX;
        bool again = id_name && strcmp(id_name, "label") == 0 && strncmp(names[i], "label.", 6) == 0;
        size_t *place = is_row  ? &out->row
                        : is_id ? &out->id
                        : again || strcmp(names[i], "label") == 0
                            ? &out->label /* the reader renames duplicates */
                            : NULL;
        bool own = place && *place == SIZE_MAX;
        kinds[i] = strcmp(names[i], "score") == 0 ? CELL_SKIP : CELL_TEXT;
        if (kinds[i] == CELL_SKIP) continue;
        if (own) *place = out->count;
        if (!own && !(out->names[out->count] = arena_text(memory, names[i])))
            FAIL(PUAD_MEMORY, "no memory for column names");
        out->count++;
    }
    if (out->label == SIZE_MAX && id_name &&
        strcmp(id_name, "label") == 0) { /* the user deleted the id column */
        out->label = out->id;
        out->id = SIZE_MAX;
    }
    if (out->row == SIZE_MAX || out->label == SIZE_MAX)
        FAIL(PUAD_FORMAT, "%s: no column '%s'; expected the file that 'puad query' wrote, filled in",
             csv_name(reader), out->row == SIZE_MAX ? "row" : "label");
    return csv_plan(reader, kinds);
}

static bool read_number(double *out, text_view view)
{
    return number_parse(out, view.text, view.length, '.') || number_parse(out, view.text, view.length, ',');
}

static text_view without_guard(text_view view)
{
    text_view rest = {view.text + 1, view.length - 1};
    return view.length && *view.text == '\'' && text_is_formula(rest.text, rest.length) ? rest : view;
}

static puad_status row_of(size_t *out, text_view view, size_t rows)
{
    char text[32], *end;
    snprintf(text, sizeof text, "%.*s", (int)(view.length < 31 ? view.length : 31), view.text);
    unsigned long long number = strtoull(text, &end, 10);
    if (end == text || *end || text[0] == '-') FAIL(PUAD_FORMAT, "'%s' is not a row number", text);
    if (number >= rows)
        FAIL(PUAD_INVALID, "row %llu, but the input has %zu rows; was it made for another file?", number,
             rows);
    *out = (size_t)number;
    return PUAD_OK;
}

static puad_status apply_row(size_t *out_row, answer_target *target, const text_view *cells,
                             const answer_columns *at)
{
    size_t row = 0;
    int8_t label;
    label_rule words = target->data ? target->data->labels : (label_rule){0};
    words.also_usual = words.truth =
        true; /* in an answer the unlabeled value means normal, since a person has checked the row */
    text_view answer = cells[at->label];
    TRY(row_of(&row, cells[at->row], target->rows));
    *out_row = row;
    if (answer.length == 0) { /* the reviewer did not know; asking again would not help */
        if (!target->asked[row]) target->asked[row] = ANSWER_OPEN;
        return PUAD_OK;
    }
    bool zero = view_is(view_trimmed(answer), "0") && !words.unlabeled_count;
    if (zero || !label_read(&label, &words, answer) || label == PUAD_LABEL_UNLABELED)
        FAIL(PUAD_INVALID, "the answer for row %zu is '%.*s'; expected 1 (anomaly), -1 (normal) or nothing",
             row, (int)(answer.length < 40 ? answer.length : 40), answer.text);
    if (at->id != SIZE_MAX && target->ids && !view_is(cells[at->id], target->ids[row]) &&
        !view_is(without_guard(cells[at->id]), target->ids[row]))
        FAIL(PUAD_INVALID, "row %zu is '%.*s' here and '%s' in the input; was it made for another file?", row,
             (int)(cells[at->id].length < 80 ? cells[at->id].length : 80), cells[at->id].text,
             target->ids[row]);
    if (target->labels && target->asked[row] == ANSWER_GIVEN && target->labels[row] != label)
        FAIL(PUAD_INVALID, "row %zu has two different answers; keep one of them", row);
    target->asked[row] = ANSWER_GIVEN;
    if (target->labels) target->labels[row] = label;
    return PUAD_OK;
}

static text_view trimmed(text_view view)
{
    while (view.length && strchr(" \t\r\n", *view.text)) view.text++, view.length--;
    while (view.length && strchr(" \t\r\n", view.text[view.length - 1])) view.length--;
    return view;
}

/* Equal strings or equal numbers: spreadsheets write 1.50 as 1.5 and truncate long numbers. */
static bool same_cell(text_view a, text_view b)
{
    a = trimmed(without_guard(a));
    b = trimmed(b);
    if (a.length == b.length && memcmp(a.text, b.text, a.length) == 0) return true;
    double x, y;
    return read_number(&x, a) && read_number(&y, b) && fabs(x - y) <= 1e-6 * fmax(fabs(x), fabs(y));
}

static int shown(text_view view)
{
    return (int)(view.length < 40 ? view.length : 40);
}

static puad_status compare_row(const answer_list *list, size_t which, const answer_columns *at,
                               const raw_cells *input)
{
    const text_view *here = list->cells + which * at->count, *there = input->cells + which * input->columns;
    for (size_t c = 0; c < at->count; c++)
        for (size_t k = 0; at->names[c] && k < input->columns; k++) {
            if (!there[k].text || strcmp(at->names[c], input->names[k]) != 0) continue;
            if (same_cell(here[c], there[k])) continue;
            FAIL(PUAD_INVALID,
                 "row %zu: '%.*s' in column '%s', but '%.*s' in the input; give its file, or "
                 "delete the column",
                 list->rows[which], shown(here[c]), here[c].text, at->names[c], shown(there[k]),
                 there[k].text);
        }
    return PUAD_OK;
}

/* Checks that the answers are about the rows of this input. */
static puad_status compare_all(const answer_list *list, const answer_columns *at, const answer_target *target,
                               const char *path)
{
    AUTO_RAW_CELLS raw_cells input = {0};
    if (!target->input) return PUAD_OK;
    TRY(raw_cells_find(&input, target->input, target->data, list->rows, list->count));
    for (size_t i = 0; input.columns && i < list->count; i++)
        if (compare_row(list, i, at, &input) != PUAD_OK) {
            status_prefix("%s, line %llu", path, (unsigned long long)list->lines[i]);
            return PUAD_INVALID;
        }
    return PUAD_OK;
}

static puad_status keep_row(answer_list *list, size_t row, uint64_t line, const text_view *cells,
                            size_t columns)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 64;
        TRY(memory_grow(&list->rows, list->capacity, sizeof *list->rows, "answers"));
        TRY(memory_grow(&list->lines, list->capacity, sizeof *list->lines, "answers"));
        TRY(memory_grow(&list->cells, list->capacity * columns, sizeof *list->cells, "answers"));
    }
    for (size_t c = 0; c < columns; c++) {
        const char *text = NULL;
        TRY(arena_view(&list->memory, &text, cells[c]));
        list->cells[list->count * columns + c] = (text_view){text, cells[c].length};
    }
    list->rows[list->count] = row;
    list->lines[list->count++] = line;
    return PUAD_OK;
}

static puad_status read_answers(answer_list *list, const answer_columns *at, answer_target *target,
                                csv_reader *reader, const char *path)
{
    for (size_t count = 1; count;) {
        csv_block *blocks;
        TRY(csv_next(&blocks, &count, reader, NULL, NULL));
        for (size_t b = 0; b < count; b++)
            for (size_t i = 0; i < blocks[b].rows; i++) {
                const text_view *cells = blocks[b].texts + i * at->count;
                uint64_t line = csv_line(reader, &blocks[b], i);
                size_t row = 0;
                puad_status status = apply_row(&row, target, cells, at);
                if (status != PUAD_OK) {
                    status_prefix("%s, line %llu", path, (unsigned long long)line);
                    return status;
                }
                TRY(keep_row(list, row, line, cells, at->count));
            }
    }
    return PUAD_OK;
}

static puad_status refuse_model(const char *path)
{
    unsigned char head[MODEL_HEAD];
    size_t size = 0;
    if (file_is_pipe(path)) return PUAD_OK; /* a pipe can be read only once */
    AUTO_STREAM stream source = {0};
    TRY(stream_open(&source, path));
    TRY(stream_read_some(&source, head, sizeof head, &size));
    if (head_is_model(head, size)) FAIL(PUAD_FORMAT, "%s: is a model, and answers are expected", path);
    return PUAD_OK;
}

puad_status answer_file_apply(answer_target *target, const char *path)
{
    static const char *const known[] = {"row", "label"};
    csv_reader *reader = NULL;
    csv_settings settings = {.header = HEADER_YES, .known = known, .known_count = 2};
    TRY(refuse_model(path));
    TRY(csv_open(&reader, path, &settings, NULL));
    answer_columns at;
    answer_list list = {0};
    puad_status status = plan(&at, &list.memory, reader, target->id_name);
    if (status == PUAD_OK) status = read_answers(&list, &at, target, reader, path);
    if (status == PUAD_OK) status = compare_all(&list, &at, target, path);
    free(list.rows);
    free(list.lines);
    free(list.cells);
    arena_free(&list.memory);
    csv_close(reader);
    return status;
}
