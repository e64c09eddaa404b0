/* Encodes single values, identically in training and scoring, so that equal rows give equal bits. */
#include "table/encoding/transform.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

puad_status transform_new(transform **out, size_t column_count)
{
    transform *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a transform"));
    made->column_count = made->input_count = column_count;
    made->scale = TABLE_SCALE;
    if (arena_new(&made->memory, &made->columns, column_count + DERIVED_MAX, sizeof *made->columns) !=
        PUAD_OK) {
        made->column_count = made->input_count = 0;
        transform_free(made);
        return PUAD_MEMORY;
    }
    *out = made;
    return PUAD_OK;
}

void transform_free(transform *owner)
{
    if (!owner) return;
    for (size_t i = 0; i < owner->column_count; i++) dictionary_free(&owner->columns[i].categories);
    for (size_t i = 0; i < owner->derived.group_count; i++) dictionary_free(&owner->derived.groups[i].texts);
    backbone_free(owner->backbone);
    arena_free(&owner->memory);
    free(owner);
}

bool transform_goes_on(const transform *owner, size_t index)
{
    const transform_column *columns = owner->columns;
    return index > 0 && columns[index].part != PART_VALUE && columns[index].part > columns[index - 1].part &&
           columns[index - 1].part != PART_VALUE &&
           strcmp(columns[index].source, columns[index - 1].source) == 0;
}

puad_status transform_name(transform *owner, transform_column *column, const char *source, date_part part)
{
    char *name;
    size_t capacity = strlen(source) + 40;
    column->source = arena_text(&owner->memory, source);
    if (!column->source) FAIL(PUAD_MEMORY, "no memory for an encoding");
    column->name = column->source;
    if (part == PART_VALUE) return PUAD_OK;
    TRY(arena_new(&owner->memory, &name, capacity, 1));
    snprintf(name, capacity, "%s (%s)", source, date_part_words(part));
    column->name = name;
    return PUAD_OK;
}

size_t transform_source_of(const transform *owner, size_t index)
{
    size_t source = 0;
    for (size_t i = 1; i <= index; i++) source += !transform_goes_on(owner, i);
    return source;
}

size_t transform_sources(const transform *owner)
{
    return owner->input_count ? transform_source_of(owner, owner->input_count - 1) + 1 : 0;
}

bool transform_has_forms(const transform *owner)
{
    for (size_t i = 0; i < owner->column_count; i++)
        if (owner->columns[i].form.kind != FORM_PLAIN || owner->columns[i].part != PART_VALUE) return true;
    return false;
}

void transform_place(transform *owner)
{
    owner->encoded = 0;
    for (size_t i = 0; i < owner->column_count; i++) {
        transform_column *column = &owner->columns[i];
        column->first = owner->encoded;
        column->scale = owner->scale;
        column->width = 0;
        if (column->type == COLUMN_NUMBER) column->width = 1 + column->indicator;
        if (column->type == COLUMN_CATEGORY)
            column->width = column->categories.count + column->rest + column->indicator;
        owner->encoded += column->width;
    }
}

static puad_status add_name(const char ***next, arena *memory, int kind, const char *name, const char *value)
{
    size_t capacity = strlen(name) + strlen(value) + 24;
    char *text;
    TRY(arena_new(memory, &text, capacity, 1));
    switch (kind) {
    case 0: snprintf(text, capacity, "%s", name); break;
    case 1: snprintf(text, capacity, "%s=%s", name, value); break;
    case 2: snprintf(text, capacity, "%s=(other)", name); break;
    default: snprintf(text, capacity, "%s is missing", name); break;
    }
    *(*next)++ = text;
    return PUAD_OK;
}

puad_status transform_names(const char ***out, arena *memory, const transform *owner)
{
    const char **next;
    TRY(arena_new(memory, out, owner->encoded, sizeof **out));
    next = *out;
    for (size_t i = 0; i < owner->encoded && owner->backbone; i++) {
        char name[64];
        TRY(backbone_feature_name(name, sizeof name, owner->backbone, i));
        if (!((*out)[i] = arena_text(memory, name))) FAIL(PUAD_MEMORY, "no memory for column names");
    }
    for (size_t i = 0; i < owner->column_count; i++) {
        const transform_column *column = &owner->columns[i];
        if (column->type == COLUMN_DROPPED) continue;
        if (column->type == COLUMN_NUMBER) TRY(add_name(&next, memory, 0, column->name, ""));
        for (size_t k = 0; k < column->categories.count; k++)
            TRY(add_name(&next, memory, 1, column->name, column->categories.texts[k].text));
        if (column->rest) TRY(add_name(&next, memory, 2, column->name, ""));
        if (column->indicator) TRY(add_name(&next, memory, 3, column->name, ""));
    }
    return PUAD_OK;
}

static void refit_column(transform_column *column, float *values, size_t rows, size_t width,
                         const uint32_t *kept, size_t kept_count)
{
    double sum = 0, squares = 0, count = 0;
    for (size_t i = 0; i < kept_count; i++) {
        const float *cell = values + kept[i] * width + column->first;
        if (column->indicator && cell[1] != 0) continue; /* missing */
        sum += (double)cell[0];
        count++;
    }
    double mean = count > 0 ? sum / count : 0;
    for (size_t i = 0; i < kept_count; i++) {
        const float *cell = values + kept[i] * width + column->first;
        if (column->indicator && cell[1] != 0) continue;
        squares += ((double)cell[0] - mean) * ((double)cell[0] - mean);
    }
    double sd = count > 0 ? sqrt(squares / count) : 0;
    if (!(sd > 64 * FLT_EPSILON * fabs(mean))) return; /* nearly constant: keep the scale of all rows */
    column->shift = mean;
    column->spread = sd / column->scale; /* so that the deviation is the scale again */
    for (size_t i = 0; i < rows; i++) {
        float *cell = values + i * width + column->first;
        if (column->indicator && cell[1] != 0) continue;
        cell[0] = transform_scaled((double)cell[0], mean, column->spread, 1);
    }
}

void transform_refit(transform *owner, float *values, size_t rows, const uint32_t *kept, size_t kept_count)
{
    for (size_t i = 0; i < owner->column_count && !owner->image; i++)
        if (owner->columns[i].type == COLUMN_NUMBER)
            refit_column(&owner->columns[i], values, rows, owner->encoded, kept, kept_count);
}

void transform_second_step(float *row, const transform *owner)
{
    for (size_t i = 0; i < owner->column_count && !owner->image; i++) {
        const transform_column *column = &owner->columns[i];
        float *cell = row + column->first;
        if (column->type != COLUMN_NUMBER || !(column->spread > 0)) continue;
        if (column->indicator && cell[1] != 0) continue; /* missing */
        cell[0] = transform_scaled((double)cell[0], column->shift, column->spread, 1);
    }
}

bool transform_is_refit(const transform *owner)
{
    for (size_t i = 0; i < owner->column_count; i++)
        if (owner->columns[i].spread > 0) return true;
    return false;
}

bool transform_number(float *row, const transform_column *column, double value)
{
    return transform_held(row, column, transform_hold(value, column->pivot, column->factor));
}

bool transform_dated(float *row, const transform_column *column, double value, double before)
{
    if (column->part == PART_VALUE) return transform_number(row, column, value);
    double part = date_part_of(column->part, value, before);
    if (column->part == PART_SINCE && part < 0) part = NAN; /* the rows are in another order */
    return transform_number(row, column, part);
}

void transform_code(float *row, const transform_column *column, uint32_t code)
{
    float *cells = row + column->first;
    size_t categories = column->categories.count;
    for (size_t i = 0; i < column->width; i++) cells[i] = 0;
    if (code < categories)
        cells[code] = 1;
    else if (code == CODE_MISSING && column->indicator)
        cells[column->width - 1] = 1;
    else if (code == CODE_REST && column->rest)
        cells[categories] = 1;
}

bool transform_text(float *row, const transform_column *column, text_view text)
{
    if (column->width == 0) return true; /* an identifier */
    uint32_t code = dictionary_find(&column->categories, text);
    if (code == DICTIONARY_NONE && cell_is_missing(text.text, text.length)) {
        transform_code(row, column, CODE_MISSING);
        return true;
    }
    transform_code(row, column, code == DICTIONARY_NONE ? CODE_REST : code);
    return code != DICTIONARY_NONE || column->rest;
}

double transform_decoded(const transform_column *column, float encoded)
{
    const int DIGITS = 5; /* of a standard deviation; a float that was encoded twice has no more */
    double value = (double)encoded, unit = fabs(column->sd / column->factor);
    if (column->spread > 0) {
        value = value * column->spread + column->shift;
        unit *= column->spread;
    }
    value = column->pivot + (column->mean + value * column->sd / column->scale) / column->factor;
    double step = pow(10, floor(log10(unit)) - DIGITS), rounded = round(value / step) * step;
    if (column->coding != CODING_PLAIN) return number_decoded(column->coding, value);
    return isfinite(rounded) ? rounded + 0.0 : value; /* not -0 */
}
