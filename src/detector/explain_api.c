/* Implements <puad/explain.h>: contributions to a score by encoded value and by column, and as reasons. */
#include "detector/model/typical_values.h"
#include "detector/model_series.h"
#include "detector/reasons.h"
#include "input/dataset_api.h"

#include <math.h>
#include <puad/series.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_CAPACITY = 256 };

static puad_status check(const puad_detector *model, size_t columns)
{
    if (columns != shape_size(model->in))
        FAIL(PUAD_INVALID, "a row of %zu values, the model takes %zu", columns, shape_size(model->in));
    return PUAD_OK;
}

puad_status puad_scorer_explain(puad_scorer *scorer, float *contributions, const float *row, size_t columns)
{
    NEED(scorer);
    NEED(contributions);
    NEED(row);
    TRY(check(scorer_model(scorer), columns));
    return scorer_explain(scorer, contributions, row);
}

aspect_contributions aspects_of(const puad_detector *model, const float *encoded, size_t index)
{
    const transform_column *column = &model->table->columns[index];
    size_t channels = model->table->encoded, length = model->config.window;
    aspect_contributions contributions = {0};
    float largest = 0;
    for (size_t k = column->first; k < column->first + column->width; k++) {
        contributions.level += encoded[length * channels + k];
        if (length) contributions.amplitude += encoded[(length + 1) * channels + k];
    }
    for (size_t t = 0; t < length; t++) {
        float here = 0;
        for (size_t k = 0; k < column->width; k++) here += encoded[t * channels + column->first + k];
        contributions.shape += here;
        if (here > largest) contributions.step = t;
        if (here > largest) largest = here;
    }
    return contributions;
}

static void sum_columns(float *out, const puad_detector *model, const float *encoded, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        aspect_contributions contributions = aspects_of(model, encoded, i);
        out[i] = contributions.shape + contributions.level + contributions.amplitude;
    }
}

puad_status puad_scorer_explain_columns(puad_scorer *scorer, float *contributions, size_t count,
                                        const float *row, size_t columns)
{
    NEED(scorer);
    NEED(contributions);
    NEED(row);
    const puad_detector *model = scorer_model(scorer);
    AUTO_FREE float *encoded = NULL;
    size_t expected = model_column_count(model);
    if (!expected) FAIL(PUAD_INVALID, "the model has no columns of a file");
    if (count != expected)
        FAIL(PUAD_INVALID, "%zu contributions; the model has %zu columns", count, expected);
    TRY(check(scorer_model(scorer), columns));
    TRY(memory_new(&encoded, columns, sizeof *encoded, "explanations"));
    TRY(scorer_explain(scorer, encoded, row));
    sum_columns(contributions, model, encoded, count);
    return PUAD_OK;
}

/* The name of an encoded column; generated if the table has no names. */
static void table_name(char *text, size_t capacity, const transform *table, size_t column)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const transform_column *encoding = &table->columns[i];
        if (encoding->type == COLUMN_DROPPED || column < encoding->first ||
            column >= encoding->first + encoding->width)
            continue;
        size_t at = column - encoding->first;
        if (encoding->indicator && at + 1 == encoding->width)
            snprintf(text, capacity, "%s is missing", encoding->name);
        else if (encoding->type == COLUMN_NUMBER)
            snprintf(text, capacity, "%s", encoding->name);
        else if (at < encoding->categories.count)
            snprintf(text, capacity, "%s=%s", encoding->name, encoding->categories.texts[at].text);
        else
            snprintf(text, capacity, "%s=(other)", encoding->name);
        return;
    }
    snprintf(text, capacity, "value %zu", column);
}

static void window_name(char *text, size_t capacity, const puad_detector *model, size_t column)
{
    size_t channels = model->table->encoded, step = column / channels, length = model->config.window;
    char name[NAME_CAPACITY];
    table_name(name, sizeof name, model->table, column % channels);
    if (step < length)
        snprintf(text, capacity, "%s step %zu", name, step + 1);
    else
        snprintf(text, capacity, "%s %s", name, step == length ? "level" : "amplitude");
}

puad_status puad_detector_value_name(const puad_detector *model, char *text, size_t capacity, size_t column)
{
    NEED(model);
    NEED(text);
    shape in = model->in;
    if (column >= shape_size(in)) FAIL(PUAD_INVALID, "value %zu; rows have %zu", column, shape_size(in));
    size_t pixel = column / in.channels;
    if (model->image)
        snprintf(text, capacity, "x%zu y%zu", pixel % in.width, pixel / in.width);
    else if (model->table && model_is_series(model))
        window_name(text, capacity, model, column);
    else if (model->table && model->table->backbone)
        return backbone_feature_name(text, capacity, model->table->backbone, column);
    else if (model->table)
        table_name(text, capacity, model->table, column);
    else
        snprintf(text, capacity, "value %zu", column);
    return PUAD_OK;
}

static void set_derivation(puad_reason *out, const transform *table, size_t index)
{
    static const puad_derivation derivations[] = {[DERIVED_COUNT] = PUAD_DERIVED_COUNT,
                                                  [DERIVED_BY_GROUP] = PUAD_DERIVED_GROUP_DIFFERENCE,
                                                  [DERIVED_RATIO] = PUAD_DERIVED_RATIO,
                                                  [DERIVED_DIFFERENCE] = PUAD_DERIVED_DIFFERENCE,
                                                  [DERIVED_TIME] = PUAD_DERIVED_TIME};
    if (index < table->input_count) return;
    const derived_column *column = &table->derived.columns[index - table->input_count];
    out->derivation = derivations[column->kind];
    if (column->kind == DERIVED_BY_GROUP && column->ratio) out->derivation = PUAD_DERIVED_GROUP_RATIO;
    if (column->kind != DERIVED_COUNT) out->first = table->columns[column->first].source;
    out->second = table->columns[column->second].source;
}

puad_reason reason_of(const puad_detector *model, size_t column, double contribution)
{
    const transform_column *encoding = &model->table->columns[column];
    puad_reason reason = {.column = encoding->name,
                          .index = column,
                          .contribution = contribution,
                          .value = NAN,
                          .x = SIZE_MAX,
                          .y = SIZE_MAX};
    typical_of(&reason.typical, model, encoding);
    set_derivation(&reason, model->table, column);
    return reason;
}

static puad_reason reason_of_value(const puad_detector *model, size_t index, double contribution)
{
    size_t pixel = index / model->in.channels;
    return (puad_reason){.index = index,
                         .contribution = contribution,
                         .value = NAN,
                         .typical = {.low = NAN, .median = NAN, .high = NAN},
                         .x = model->image ? pixel % model->in.width : SIZE_MAX,
                         .y = model->image ? pixel / model->in.width : SIZE_MAX};
}

/* A standard deviation in input units. */
static double decoded_spread(const transform_column *column, float encoded)
{
    return fabs(transform_decoded(column, encoded) - transform_decoded(column, 0));
}

/* For a window, the mean. */
static puad_status set_cell(puad_reason *out, const puad_detector *model, const float *row)
{
    const transform_column *column = &model->table->columns[out->index];
    AUTO_FREE float *mean = NULL;
    if (model_is_series(model)) {
        window_plan plan = model_windows(model);
        TRY(memory_new(&mean, plan.channels, sizeof *mean, "a row"));
        window_mean(mean, &plan, row);
        row = mean;
    }
    reason_set_cell(out, column, row);
    return PUAD_OK;
}

puad_status puad_detector_cell(const puad_detector *model, puad_reason *out, size_t column, const float *row,
                               size_t columns)
{
    NEED(model);
    NEED(out);
    NEED(row);
    TRY(check(model, columns));
    size_t count = model_column_count(model);
    if (column >= count) FAIL(PUAD_INVALID, "column %zu; the model has %zu", column, count);
    puad_reason reason = reason_of(model, column, NAN);
    TRY(set_cell(&reason, model, row));
    return struct_write(out, &reason, sizeof reason, "puad_reason");
}

/* For a window, the aspect with the largest contribution. */
static puad_status set_aspect(puad_reason *out, const puad_detector *model, const float *row,
                              const float *encoded)
{
    const transform_column *column = &model->table->columns[out->index];
    aspect_contributions contributions = aspects_of(model, encoded, out->index);
    size_t channels = model->table->encoded, length = model->config.window;
    bool number = column->type == COLUMN_NUMBER;
    out->typical = (puad_typical){.low = NAN, .median = NAN, .high = NAN};
    out->steps = length;
    if (contributions.shape >= contributions.level && contributions.shape >= contributions.amplitude) {
        out->aspect = PUAD_ASPECT_SHAPE;
        out->step = contributions.step;
        return PUAD_OK;
    }
    if (contributions.level >= contributions.amplitude || !number) {
        out->aspect = PUAD_ASPECT_LEVEL;
        TRY(set_cell(out, model, row));
        const float *levels = number ? model->usual_levels : NULL;
        if (!levels) return PUAD_OK;
        out->typical.low = transform_decoded(column, levels[USUAL_LOW * channels + column->first]);
        out->typical.median = transform_decoded(column, levels[USUAL_MEDIAN * channels + column->first]);
        out->typical.high = transform_decoded(column, levels[USUAL_HIGH * channels + column->first]);
        return PUAD_OK;
    }
    const float *amplitudes = model->usual_amplitudes;
    float spread = (float)((double)row[(length + 1) * channels + column->first] / sqrt((double)length));
    out->aspect = PUAD_ASPECT_AMPLITUDE;
    out->value = decoded_spread(column, spread);
    if (!amplitudes) return PUAD_OK;
    out->typical.low = decoded_spread(column, amplitudes[USUAL_LOW * channels + column->first]);
    out->typical.median = decoded_spread(column, amplitudes[USUAL_MEDIAN * channels + column->first]);
    out->typical.high = decoded_spread(column, amplitudes[USUAL_HIGH * channels + column->first]);
    return PUAD_OK;
}

static puad_status fill_reason(puad_reason *out, const puad_detector *model, const float *row,
                               const float *encoded)
{
    if (model_is_series(model)) return set_aspect(out, model, row, encoded);
    reason_set_cell(out, &model->table->columns[out->index], row);
    return PUAD_OK;
}

puad_status puad_scorer_reasons(puad_scorer *scorer, puad_reason *out, size_t capacity, size_t *out_count,
                                const float *row, size_t columns)
{
    AUTO_FREE float *by_column = NULL, *encoded = NULL;
    NEED(scorer);
    NEED(out_count);
    *out_count = 0;
    if (capacity) NEED(out);
    NEED(row);
    TRY(check(scorer_model(scorer), columns));
    const puad_detector *model = scorer_model(scorer);
    size_t named = model_column_count(model), count = named ? named : columns;
    TRY(memory_new(&encoded, columns, sizeof *encoded, "explanations"));
    TRY(memory_new(&by_column, count, sizeof *by_column, "explanations"));
    TRY(scorer_explain(scorer, encoded, row));
    if (named)
        sum_columns(by_column, model, encoded, count);
    else
        memcpy(by_column, encoded, columns * sizeof *by_column);
    for (size_t k = 0; k < capacity && k < count; k++) {
        size_t best = 0;
        for (size_t c = 1; c < count; c++)
            if (by_column[c] > by_column[best]) best = c;
        if (!(by_column[best] > 0)) break;
        double contribution = (double)by_column[best];
        puad_reason reason =
            named ? reason_of(model, best, contribution) : reason_of_value(model, best, contribution);
        if (named) TRY(fill_reason(&reason, model, row, encoded));
        TRY(struct_write_at(out, k, &reason, sizeof reason, "puad_reason"));
        by_column[best] = -1;
        *out_count = k + 1;
    }
    return PUAD_OK;
}

static puad_status explain_row(puad_scorer *scorer, puad_reason *out, size_t capacity, size_t *out_count,
                               const puad_dataset *data, size_t row)
{
    size_t columns = shape_size(scorer_model(scorer)->in);
    AUTO_FREE float *values = NULL;
    TRY(memory_new(&values, columns, sizeof *values, "a row"));
    TRY(puad_scorer_take(scorer, values, columns, data, row));
    return puad_scorer_reasons(scorer, out, capacity, out_count, values, columns);
}

puad_status puad_detector_explain(const puad_detector *model, puad_reason *out, size_t capacity,
                                  size_t *out_count, const puad_dataset *data, size_t row)
{
    AUTO_SCORER puad_scorer *scorer = NULL;
    NEED(model);
    NEED(out_count);
    *out_count = 0;
    NEED(data);
    TRY(puad_scorer_new(&scorer, model, NULL));
    return explain_row(scorer, out, capacity, out_count, data, row);
}

puad_status puad_detector_score(const puad_detector *model, float *scores, size_t capacity,
                                const puad_dataset *data)
{
    AUTO_SCORER puad_scorer *scorer = NULL;
    NEED(model);
    NEED(data);
    TRY(puad_scorer_new(&scorer, model, NULL));
    return puad_scorer_run(scorer, scores, capacity, data);
}
