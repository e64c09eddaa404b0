/* Applies a reviewer's answers to the labels of a dataset. */
#include "input/answer_file.h"
#include "input/dataset_api.h"
#include "input/original_cells.h"

#include <puad/query.h>
#include <stdlib.h>
#include <string.h>

/* Allocates labels of its own, in addition to the given ones. */
static puad_status make_room(puad_dataset *data)
{
    dataset *rows = &data->data;
    if (rows->row_numbers)
        FAIL(PUAD_INVALID, "a sample of the rows cannot be given answers; set option 'max_rows' to 0");
    if (data->asked) return PUAD_OK;
    int8_t *labels;
    TRY(arena_new(&data->memory, &labels, rows->rows, 1));
    TRY(arena_new(&data->memory, &data->given, rows->rows, 1));
    TRY(arena_new(&data->memory, &data->asked, rows->rows, 1));
    if (rows->labels && rows->rows) {
        memcpy(labels, rows->labels, rows->rows);
        memcpy(data->given, rows->labels, rows->rows);
    }
    rows->labels = labels;
    return PUAD_OK;
}

puad_status dataset_read_answers(puad_dataset *data, const char *path, team *workers)
{
    data_options reading;
    const dataset *rows = &data->data;
    TRY(make_room(data));
    TRY(dataset_reading(&reading, data, workers));
    bool again = data->path && !read_once(reading.kept, data->path);
    answer_target target = {.labels = rows->labels,
                            .asked = data->asked,
                            .rows = rows->rows,
                            .ids = rows->id_name ? rows->ids : NULL,
                            .id_name = rows->id_name,
                            .input = again ? data->path : NULL,
                            .data = &reading};
    return answer_file_apply(&target, path);
}

puad_status puad_dataset_add_answers(puad_dataset *data, const size_t *rows, const int8_t *labels,
                                     size_t count)
{
    NEED(data);
    if (count) NEED(rows);
    if (count) NEED(labels);
    TRY(make_room(data));
    for (size_t i = 0; i < count; i++) {
        if (rows[i] >= data->data.rows)
            FAIL(PUAD_INVALID, "rows[%zu] is %zu, the dataset has %zu rows", i, rows[i], data->data.rows);
        if (labels[i] < -1 || labels[i] > 1)
            FAIL(PUAD_INVALID, "labels[%zu] is %d, expected 1 (anomaly), 0 (unknown) or -1 (normal)", i,
                 labels[i]);
        uint8_t *asked = &data->asked[rows[i]];
        if (labels[i] == PUAD_LABEL_UNLABELED) {
            if (!*asked) *asked = ANSWER_OPEN;
            continue;
        }
        if (*asked == ANSWER_GIVEN && data->data.labels[rows[i]] != labels[i])
            FAIL(PUAD_INVALID, "row %zu has two different answers; keep one of them", rows[i]);
        *asked = ANSWER_GIVEN;
        data->data.labels[rows[i]] = labels[i];
    }
    return PUAD_OK;
}

struct puad_cells {
    raw_cells raw;
    size_t rows;
};

puad_status puad_cells_read(puad_cells **out, const puad_dataset *data, const size_t *rows, size_t count)
{
    data_options reading;
    NEED(out);
    *out = NULL;
    NEED(data);
    if (count) NEED(rows);
    puad_cells *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "cells"));
    made->rows = count;
    puad_status status = dataset_reading(&reading, data, NULL);
    if (status == PUAD_OK && data->path) {
        AUTO_FREE size_t *places = NULL;
        status = memory_new(&places, count, sizeof *places, "rows");
        for (size_t i = 0; status == PUAD_OK && i < count; i++)
            places[i] = dataset_row_number(&data->data, rows[i]);
        if (status == PUAD_OK) status = raw_cells_find(&made->raw, data->path, &reading, places, count);
    }
    if (status == PUAD_OK)
        *out = made;
    else
        puad_cells_free(made);
    return status;
}

size_t puad_cells_columns(const puad_cells *cells)
{
    return cells ? cells->raw.columns : 0;
}

const char *puad_cells_name(const puad_cells *cells, size_t column)
{
    return cells && column < cells->raw.columns ? cells->raw.names[column] : NULL;
}

const char *puad_cells_text(const puad_cells *cells, size_t row, size_t column)
{
    if (!cells || row >= cells->rows || column >= cells->raw.columns) return NULL;
    return cells->raw.cells[row * cells->raw.columns + column].text;
}

void puad_cells_free(puad_cells *cells)
{
    if (!cells) return;
    raw_cells_free(&cells->raw);
    free(cells);
}
