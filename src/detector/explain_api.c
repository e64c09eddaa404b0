/* <puad/explain.h>: shares of a score, by encoded column and by column of the file, and in words. */
#include "base/c_locale.h"
#include "detector/model/typical_values.h"
#include "detector/model_series.h"

#include <math.h>
#include <puad/explain.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 256, CELL_ROOM = 120 };

static puad_status check(const puad_scorer *scorer, size_t columns)
{
    const puad_detector *model = scorer_model(scorer);
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

/* The shares of one column of the file; of windows by what each is of, of other rows all as `level`. */
typedef struct aspect_shares {
    float shape, level, amplitude;
    size_t step; /* of the window, that has the most of the shape */
} aspect_shares;

static aspect_shares shares_of(const puad_detector *model, const float *encoded, size_t index)
{
    const transform_column *column = &model->table->columns[index];
    size_t channels = model->table->encoded, length = model->how.window;
    aspect_shares of = {0};
    float most = 0;
    for (size_t k = column->first; k < column->first + column->width; k++) {
        of.level += encoded[length * channels + k];
        if (length) of.amplitude += encoded[(length + 1) * channels + k];
    }
    for (size_t t = 0; t < length; t++) {
        float here = 0;
        for (size_t k = 0; k < column->width; k++) here += encoded[t * channels + column->first + k];
        of.shape += here;
        if (here > most) of.step = t;
        if (here > most) most = here;
    }
    return of;
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
        aspect_shares of = shares_of(model, encoded, i);
        shares[i] = of.shape + of.level + of.amplitude;
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

static void window_name(char *text, size_t room, const puad_detector *model, size_t column)
{
    size_t channels = model->table->encoded, step = column / channels, length = model->how.window;
    char name[NAME_ROOM];
    table_name(name, sizeof name, model->table, column % channels);
    if (step < length)
        snprintf(text, room, "%s step %zu", name, step + 1);
    else
        snprintf(text, room, "%s %s", name, step == length ? "level" : "amplitude");
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
    else if (model->table && model_is_series(model))
        window_name(text, room, model, column);
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
    bool derived = column >= model->table->input_count;
    TRY(puad_detector_cell(value, sizeof value, model, column, row, columns));
    TRY(puad_detector_usual(usual, sizeof usual, model, column));
    double low = puad_detector_usual_number(model, column, PUAD_USUAL_LOW),
           high = puad_detector_usual_number(model, column, PUAD_USUAL_HIGH);
    if (low < high)
        c_print(usual, sizeof usual, "%.6g to %.6g", low, high);
    else if (low == high)
        c_print(usual, sizeof usual, "%.6g", low);
    if (derived)
        derived_describe(text, room, model->table, column - model->table->input_count,
                         transform_decoded(of, row[of->first]));
    else
        snprintf(text, room, "%s=%s", of->name, value);
    int wrote = (int)strlen(text);
    if (*usual && wrote > 0 && (size_t)wrote < room)
        snprintf(text + wrote, room - (size_t)wrote, " (usual %s)", usual);
    return PUAD_OK;
}

/* A standard deviation in the units of the file. */
static double decoded_spread(const transform_column *of, float encoded)
{
    return fabs(transform_decoded(of, encoded) - transform_decoded(of, 0));
}

/* Of a window: what about the column it is, and where in the window. */
static puad_status window_reason(char *text, size_t room, const puad_detector *model, const float *row,
                                 const float *encoded, size_t column)
{
    const transform_column *of = &model->table->columns[column];
    aspect_shares shares = shares_of(model, encoded, column);
    size_t channels = model->table->encoded, length = model->how.window;
    char value[CELL_ROOM], usual[CELL_ROOM] = "";
    if (shares.shape >= shares.level && shares.shape >= shares.amplitude) {
        snprintf(text, room, "%s shape, most at step %zu of %zu", of->name, shares.step + 1, length);
        return PUAD_OK;
    }
    if (shares.level >= shares.amplitude || of->type != COLUMN_NUMBER) {
        TRY(puad_detector_cell(value, sizeof value, model, column, row, shape_size(model->in)));
        const float *levels = of->type == COLUMN_NUMBER ? model->usual_levels : NULL;
        if (levels)
            c_print(usual, sizeof usual, " (usual %.4g to %.4g)",
                    transform_decoded(of, levels[USUAL_LOW * channels + of->first]),
                    transform_decoded(of, levels[USUAL_HIGH * channels + of->first]));
        snprintf(text, room, "%s level=%s%s", of->name, value, usual);
        return PUAD_OK;
    }
    const float *amplitudes = model->usual_amplitudes;
    float spread = (float)((double)row[(length + 1) * channels + of->first] / sqrt((double)length));
    if (amplitudes)
        c_print(usual, sizeof usual, " (usual %.4g to %.4g)",
                decoded_spread(of, amplitudes[USUAL_LOW * channels + of->first]),
                decoded_spread(of, amplitudes[USUAL_HIGH * channels + of->first]));
    c_print(text, room, "%s amplitude=%.4g%s", of->name, decoded_spread(of, spread), usual);
    return PUAD_OK;
}

puad_status puad_scorer_because(puad_scorer *scorer, char *text, size_t room, size_t most, const float *row,
                                size_t columns)
{
    AUTO_FREE float *shares = NULL, *encoded = NULL;
    size_t used = 0;
    NEED(scorer);
    NEED(text);
    NEED(row);
    TRY(check(scorer, columns));
    size_t count = puad_detector_column_count(scorer_model(scorer));
    bool by_file = count > 0;
    if (!by_file) count = columns;
    TRY(memory_new(&shares, count, sizeof *shares, "explanations"));
    TRY(memory_new(&encoded, columns, sizeof *encoded, "explanations"));
    TRY(scorer_explain(scorer, encoded, row));
    if (!by_file) memcpy(shares, encoded, columns * sizeof *shares);
    for (size_t i = 0; by_file && i < count; i++) {
        aspect_shares of = shares_of(scorer_model(scorer), encoded, i);
        shares[i] = of.shape + of.level + of.amplitude;
    }
    if (room) text[0] = 0;
    for (size_t k = 0; k < most && k < count; k++) {
        size_t best = 0;
        char name[NAME_ROOM + 2 * CELL_ROOM];
        for (size_t c = 1; c < count; c++)
            if (shares[c] > shares[best]) best = c;
        if (!(shares[best] > 0)) break;
        if (by_file && model_is_series(scorer_model(scorer)))
            TRY(window_reason(name, sizeof name, scorer_model(scorer), row, encoded, best));
        else
            TRY(reason(name, sizeof name, scorer, row, columns, best, by_file));
        int wrote = c_print(text + used, room - used, "%s%s %.3f", k ? "; " : "", name, (double)shares[best]);
        if (wrote < 0 || used + (size_t)wrote >= room) {
            if (room) text[used] = 0;
            break;
        }
        used += (size_t)wrote;
        shares[best] = -1;
    }
    return PUAD_OK;
}
