/* <puad/explain.h>: shares of a score, and in words. */
#include "detector/model.h"

#include <puad/explain.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 256 };

int puad_scorer_can_explain(const puad_scorer *scorer)
{
    return scorer && scorer_can_explain(scorer);
}

static puad_status check(const puad_scorer *scorer, size_t columns)
{
    const puad_detector *model = scorer_model(scorer);
    if (!scorer_can_explain(scorer))
        FAIL(PUAD_INVALID, "explanations are for detectors with a network; %s has none",
             model->how.kind->name);
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

puad_status puad_scorer_because(puad_scorer *scorer, char *text, size_t room, size_t most, const float *row,
                                size_t columns)
{
    AUTO_FREE float *shares = NULL;
    size_t used = 0;
    NEED(scorer);
    NEED(text);
    NEED(row);
    TRY(check(scorer, columns));
    TRY(memory_new(&shares, columns, sizeof *shares, "explanations"));
    TRY(scorer_explain(scorer, shares, row));
    if (room) text[0] = 0;
    for (size_t k = 0; k < most && k < columns; k++) {
        size_t best = 0;
        char name[NAME_ROOM];
        for (size_t c = 1; c < columns; c++)
            if (shares[c] > shares[best]) best = c;
        if (!(shares[best] > 0)) break;
        TRY(puad_scorer_column_name(scorer, name, sizeof name, best));
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
