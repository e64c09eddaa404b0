/* <puad/explain.h>: shares of a score, by encoded column and by column of the file, and in words. */
#include "detector/model_series.h"

#include <puad/explain.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 256, CELL_ROOM = 120 };

int puad_scorer_can_explain(const puad_scorer *scorer)
{
    return scorer && scorer_can_explain(scorer) && !model_is_series(scorer_model(scorer));
}

static puad_status check(const puad_scorer *scorer, size_t columns)
{
    const puad_detector *model = scorer_model(scorer);
    TRY(model_refuse_series(model, "an explanation"));
    if (!scorer_can_explain(scorer))
        FAIL(PUAD_INVALID,
             "this model cannot explain its scores: it was written by an earlier program; train "
             "it again");
    if (columns != shape_size(model->in))
        FAIL(PUAD_INVALID, "a row of %zu values, the model takes %zu", columns, shape_size(model->in));
    return PUAD_OK;
}

puad_status puad_scorer_explain(puad_scorer *scorer, float *shares, const float *row, size_t columns)
{
    NEED(scorer);
    NEED(shares);
    NEED(row);
    TRY(check(scorer, columns));
    return scorer_explain(scorer, shares, row);
}

puad_status puad_scorer_explain_columns(puad_scorer *scorer, float *shares, size_t count, const float *row,
                                        size_t columns)
{
    NEED(scorer);
    NEED(shares);
    NEED(row);
    const puad_detector *model = scorer_model(scorer);
    AUTO_FREE float *encoded = NULL;
    size_t expected = puad_detector_column_count(model);
    if (!expected) FAIL(PUAD_INVALID, "the model has no columns of a file");
    if (count != expected) FAIL(PUAD_INVALID, "room for %zu columns, the model has %zu", count, expected);
    TRY(check(scorer, columns));
    TRY(memory_new(&encoded, columns, sizeof *encoded, "explanations"));
    TRY(scorer_explain(scorer, encoded, row));
    for (size_t i = 0; i < count; i++) {
        const transform_column *column = &model->table->columns[i];
        shares[i] = 0;
        for (size_t k = 0; k < column->width; k++) shares[i] += encoded[column->first + k];
    }
    return PUAD_OK;
}

/* The name of an encoded column, of a table whose names nobody gave too. */
static void table_name(char *text, size_t room, const transform *table, size_t column)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const transform_column *from = &table->columns[i];
        if (from->type == COLUMN_DROPPED || column < from->first || column >= from->first + from->width)
            continue;
        size_t at = column - from->first;
        if (from->indicator && at + 1 == from->width)
            snprintf(text, room, "%s is missing", from->name);
        else if (from->type == COLUMN_NUMBER)
            snprintf(text, room, "%s", from->name);
        else if (at < from->categories.count)
            snprintf(text, room, "%s=%s", from->name, from->categories.texts[at].text);
        else
            snprintf(text, room, "%s=(other)", from->name);
        return;
    }
    snprintf(text, room, "value %zu", column);
}

puad_status puad_scorer_column_name(puad_scorer *scorer, char *text, size_t room, size_t column)
{
    NEED(scorer);
    NEED(text);
    const puad_detector *model = scorer_model(scorer);
    shape in = model->in;
    if (column >= shape_size(in)) FAIL(PUAD_INVALID, "column %zu, and rows have %zu", column, shape_size(in));
    size_t pixel = column / in.channels;
    if (model->image)
        snprintf(text, room, "x%zu y%zu", pixel % in.width, pixel / in.width);
    else if (model->table)
        table_name(text, room, model->table, column);
    else
        snprintf(text, room, "value %zu", column);
    return PUAD_OK;
}

/* One reason without its share: the column, its value, and what is usual there. */
static puad_status reason(char *text, size_t room, puad_scorer *scorer, const float *row, size_t columns,
                          size_t column, bool by_file)
{
    const puad_detector *model = scorer_model(scorer);
    char value[CELL_ROOM], usual[CELL_ROOM];
    if (!by_file) return puad_scorer_column_name(scorer, text, room, column);
    const transform_column *of = &model->table->columns[column];
    TRY(puad_detector_cell(value, sizeof value, model, column, row, columns));
    TRY(puad_detector_usual(usual, sizeof usual, model, column));
    double low = puad_detector_usual_number(model, column, PUAD_USUAL_LOW),
           high = puad_detector_usual_number(model, column, PUAD_USUAL_HIGH);
    if (low < high)
        snprintf(usual, sizeof usual, "%.6g to %.6g", low, high);
    else if (low == high)
        snprintf(usual, sizeof usual, "%.6g", low);
    int wrote = snprintf(text, room, "%s=%s", of->name, value);
    if (*usual && wrote > 0 && (size_t)wrote < room)
        snprintf(text + wrote, room - (size_t)wrote, " (usual %s)", usual);
    return PUAD_OK;
}

puad_status puad_scorer_because(puad_scorer *scorer, char *text, size_t room, size_t most, const float *row,
                                size_t columns)
{
    AUTO_FREE float *shares = NULL;
    size_t used = 0;
    NEED(scorer);
    NEED(text);
    NEED(row);
    TRY(check(scorer, columns));
    size_t count = puad_detector_column_count(scorer_model(scorer));
    bool by_file = count > 0;
    if (!by_file) count = columns;
    TRY(memory_new(&shares, count, sizeof *shares, "explanations"));
    TRY(by_file ? puad_scorer_explain_columns(scorer, shares, count, row, columns)
                : scorer_explain(scorer, shares, row));
    if (room) text[0] = 0;
    for (size_t k = 0; k < most && k < count; k++) {
        size_t best = 0;
        char name[NAME_ROOM + 2 * CELL_ROOM];
        for (size_t c = 1; c < count; c++)
            if (shares[c] > shares[best]) best = c;
        if (!(shares[best] > 0)) break;
        TRY(reason(name, sizeof name, scorer, row, columns, best, by_file));
        int wrote =
            snprintf(text + used, room - used, "%s%s %.3f", k ? "; " : "", name, (double)shares[best]);
        if (wrote < 0 || used + (size_t)wrote >= room) {
            if (room) text[used] = 0;
            break;
        }
        used += (size_t)wrote;
        shares[best] = -1;
    }
    return PUAD_OK;
}
