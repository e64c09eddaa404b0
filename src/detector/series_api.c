/* Implements <puad/series.h>: the axis of a model's series, and the model's input for a row. */
#include "base/c_locale.h"
#include "detector/model_series.h"
#include "input/dataset_api.h"

#include <math.h>
#include <puad/series.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const time_axis *axis_of(const puad_detector *model)
{
    static const time_axis none;
    return model && model->table ? &model->table->axis : &none;
}

puad_status puad_detector_time_text(const puad_detector *model, char *text, size_t capacity, double time)
{
    char date[DATE_TEXT];
    NEED(text);
    NEED(model);
    if (axis_of(model)->time && axis_of(model)->form.kind == FORM_DATE)
        date_text(date, time, axis_of(model)->form.order);
    else
        c_print(date, sizeof date, "%.10g", time);
    snprintf(text, capacity, "%s", date);
    return PUAD_OK;
}

static puad_status check_encoding(const puad_detector *model, const puad_dataset *data)
{
    uint64_t whole;
    if (!model->table) FAIL(PUAD_INVALID, "the model was trained on float rows and has no encoding");
    TRY(transform_fingerprint(&whole, model->table, false));
    if (data->encoding == whole) return PUAD_OK;
    FAIL(PUAD_INVALID, "the rows are not encoded for this model: pass the model to puad_dataset_open");
}

puad_status puad_detector_numbers(const puad_detector *model, size_t column, double *out, size_t first,
                                  size_t count, const puad_dataset *data)
{
    NEED(model);
    NEED(data);
    if (count) NEED(out);
    TRY(check_encoding(model, data));
    const dataset *rows = &data->data;
    if (column >= model_column_count(model))
        FAIL(PUAD_INVALID, "column %zu, but the model has %zu", column, model_column_count(model));
    const transform_column *encoding = &model->table->columns[column];
    if (encoding->type != COLUMN_NUMBER) FAIL(PUAD_INVALID, "'%s' is not a numeric column", encoding->name);
    if (first > rows->rows || count > rows->rows - first)
        FAIL(PUAD_INVALID, "rows %zu to %zu, but there are %zu", first, first + count, rows->rows);
    for (size_t i = 0; i < count; i++) {
        const float *cells = rows->values + (first + i) * rows->columns + encoding->first;
        out[i] = encoding->indicator && cells[1] != 0 ? (double)NAN : transform_decoded(encoding, cells[0]);
    }
    return PUAD_OK;
}

puad_status puad_scorer_take(puad_scorer *scorer, float *out, size_t columns, const puad_dataset *data,
                             size_t row)
{
    NEED(scorer);
    NEED(out);
    NEED(data);
    const puad_detector *model = scorer_model(scorer);
    const dataset *rows = &data->data;
    TRY(check_encoding(model, data));
    if (columns != shape_size(model->in))
        FAIL(PUAD_INVALID, "capacity for %zu values, the model takes %zu", columns, shape_size(model->in));
    if (row >= rows->rows) FAIL(PUAD_INVALID, "row %zu, but there are %zu", row, rows->rows);
    if (!model_is_series(model)) {
        memcpy(out, rows->values + row * columns, columns * sizeof *out);
        return PUAD_OK;
    }
    window_plan plan = model_windows(model);
    AUTO_FREE float *buffer = NULL;
    TRY(memory_new(&buffer, plan.length * plan.channels, sizeof *buffer, "a window"));
    window_around(out, &plan, rows->values, rows->breaks, rows->rows, row, buffer);
    return PUAD_OK;
}

puad_status puad_detector_window(const puad_detector *model, const puad_dataset *data, size_t row,
                                 size_t *out_first, size_t *out_last)
{
    NEED(model);
    NEED(data);
    NEED(out_first);
    NEED(out_last);
    if (!model_is_series(model)) FAIL(PUAD_INVALID, "the model is not one of a time series");
    if (row >= data->data.rows) FAIL(PUAD_INVALID, "row %zu, but there are %zu", row, data->data.rows);
    window_plan plan = model_windows(model);
    window_place(out_first, out_last, &plan, data->data.breaks, data->data.rows, row);
    --*out_last;
    return PUAD_OK;
}

static puad_status find(puad_interval **list, size_t *out_count, const dataset *rows, const float *scores,
                        double threshold, size_t join)
{
    size_t capacity = 0, count = 0;
    bool open = false; /* the last interval may continue */
    for (size_t i = 0; i < rows->rows; i++) {
        if (rows->breaks && rows->breaks[i]) open = false;
        if (!((double)scores[i] >= threshold)) continue;
        puad_interval *last = count ? &(*list)[count - 1] : NULL;
        if (open && last && i - last->last <= join + (join == 0)) {
            last->last = i;
            last->flagged++;
            if (!(scores[i] > last->score)) continue;
            last->peak = i;
            last->score = scores[i];
            continue;
        }
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            TRY(memory_grow(list, capacity, sizeof **list, "intervals"));
        }
        (*list)[count++] = (puad_interval){i, i, 1, i, scores[i]};
        open = true;
    }
    *out_count = count;
    return PUAD_OK;
}

puad_status puad_intervals_find(puad_interval **out, size_t *out_count, const puad_dataset *data,
                                const float *scores, double threshold, size_t join)
{
    puad_interval *list = NULL;
    NEED(out);
    *out = NULL;
    NEED(out_count);
    *out_count = 0;
    NEED(data);
    if (data->data.rows) NEED(scores);
    puad_status status = find(&list, out_count, &data->data, scores, threshold, join);
    if (status == PUAD_OK)
        *out = list;
    else
        free(list);
    return status;
}

void puad_intervals_free(puad_interval *intervals)
{
    free(intervals);
}
