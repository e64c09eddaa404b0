/* Answers from a CSV file. */
#include "cli/label_file.h"

#include "data/csv.h"
#include "data/labels.h"
#include "data/number.h"
#include "detector/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the three columns lie among those that are read. */
typedef struct answer_columns {
    size_t row, label, id; /* places among the text columns; SIZE_MAX when there is none */
    size_t count;
} answer_columns;

static puad_status plan(answer_columns *out, csv_reader *reader, const char *id_name)
{
    size_t count;
    const char *const *names = csv_columns(reader, &count);
    AUTO_FREE cell_kind *kinds = NULL;
    TRY(memory_new(&kinds, count, sizeof *kinds, "columns"));
    *out = (answer_columns){SIZE_MAX, SIZE_MAX, SIZE_MAX, 0};
    for (size_t i = 0; i < count; i++) {
        /* The first of a name: the columns of the table itself come behind. */
        size_t *place = strcmp(names[i], "row") == 0                ? &out->row
                        : strcmp(names[i], "label") == 0            ? &out->label
                        : id_name && strcmp(names[i], id_name) == 0 ? &out->id
                                                                    : NULL;
        kinds[i] = place && *place == SIZE_MAX ? CELL_TEXT : CELL_SKIP;
        if (kinds[i] == CELL_TEXT) *place = out->count++;
    }
    if (out->row == SIZE_MAX || out->label == SIZE_MAX)
        FAIL(PUAD_FORMAT, "%s: no column '%s'; expected the file that 'puad query' wrote, filled in",
             csv_name(reader), out->row == SIZE_MAX ? "row" : "label");
    return csv_plan(reader, kinds);
}

static puad_status row_of(size_t *out, text_view view, size_t rows)
{
    char text[32], *end;
    snprintf(text, sizeof text, "%.*s", (int)(view.length < 31 ? view.length : 31), view.text);
    unsigned long long number = strtoull(text, &end, 10);
    if (end == text || *end || text[0] == '-') FAIL(PUAD_FORMAT, "'%s' is not the number of a row", text);
    if (number >= rows)
        FAIL(PUAD_INVALID, "row %llu, but the input has %zu rows; was it made for another file?", number,
             rows);
    *out = (size_t)number;
    return PUAD_OK;
}

static puad_status apply_row(label_target *target, const text_view *cells, const answer_columns *at)
{
    size_t row = 0;
    int8_t label;
    const label_rule usual = {0};
    text_view answer = cells[at->label];
    if (answer.length == 0 && target->labels) return PUAD_OK;
    TRY(row_of(&row, cells[at->row], target->rows));
    if (answer.length == 0) { /* nobody knew; asking again would not help */
        if (!target->asked[row]) target->asked[row] = QUERY_BARRED;
        return PUAD_OK;
    }
    if (!label_read(&label, &usual, answer) || label == LABEL_UNLABELED)
        FAIL(PUAD_INVALID, "the answer for row %zu is '%.*s'; expected 1 (anomaly), -1 (normal) or nothing",
             row, (int)(answer.length < 40 ? answer.length : 40), answer.text);
    if (at->id != SIZE_MAX && target->ids && !view_is(cells[at->id], target->ids[row]))
        FAIL(PUAD_INVALID, "row %zu is '%.*s' here and '%s' in the input; was it made for another file?", row,
             (int)(cells[at->id].length < 80 ? cells[at->id].length : 80), cells[at->id].text,
             target->ids[row]);
    if (target->labels && target->asked[row] && target->labels[row] != label)
        FAIL(PUAD_INVALID, "row %zu is answered in two ways; keep one of the answers", row);
    target->asked[row] = QUERY_ASKED;
    if (target->labels) target->labels[row] = label;
    return PUAD_OK;
}

puad_status label_file_apply(label_target *target, const char *path)
{
    static const char *const known[] = {"row", "label"};
    csv_reader *reader = NULL;
    csv_settings settings = {.header = HEADER_YES, .known = known, .known_count = 2};
    TRY(csv_open(&reader, path, &settings, NULL));
    answer_columns at;
    puad_status status = plan(&at, reader, target->id_name);
    for (size_t count = 1; status == PUAD_OK && count;) {
        csv_block *blocks;
        status = csv_next(&blocks, &count, reader, NULL, NULL);
        for (size_t b = 0; status == PUAD_OK && b < count; b++)
            for (size_t i = 0; status == PUAD_OK && i < blocks[b].rows; i++) {
                status = apply_row(target, blocks[b].texts + i * at.count, &at);
                if (status != PUAD_OK)
                    status_prefix("%s, line %llu", path, (unsigned long long)csv_line(reader, &blocks[b], i));
            }
    }
    csv_close(reader);
    return status;
}

void print_cell(const char *text, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i < length; i++) quoted |= strchr(",\"\n\r", text[i]) != NULL;
    if (quoted) putchar('"');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"') putchar('"');
        putchar(text[i]);
    }
    if (quoted) putchar('"');
}
