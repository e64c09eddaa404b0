/* Computes derived columns of one row, identically in training and scoring. */
#include "table/encoding/derived.h"

#include "base/number.h"
#include "table/encoding/transform.h"

#include <math.h>

/* The slot of a number in the cells: inputs first, derived values after the maximum number of inputs. */
static size_t slot_of(transform *owner, size_t column)
{
    derivation *derived = &owner->derived;
    if (column >= owner->input_count) return DERIVE_INPUTS_MAX + column - owner->input_count;
    owner->columns[column].feeds = true;
    for (size_t i = 0; i < derived->input_count; i++)
        if (derived->inputs[i] == column) return i;
    derived->inputs[derived->input_count] = column;
    return derived->input_count++;
}

static size_t groups_of(transform *owner, size_t column)
{
    derivation *derived = &owner->derived;
    owner->columns[column].feeds = true;
    for (size_t i = 0; i < derived->group_count; i++)
        if (derived->groups[i].column == column) return i;
    derived->groups[derived->group_count].column = column;
    return derived->group_count++;
}

void derived_wire(transform *owner)
{
    derivation *derived = &owner->derived;
    derived->input_count = 0;
    for (size_t i = 0; i < owner->input_count; i++) owner->columns[i].feeds = false;
    for (size_t k = 0; k < derived->count; k++) {
        derived_column *column = &derived->columns[k];
        bool grouped = column->kind == DERIVED_COUNT || column->kind == DERIVED_BY_GROUP;
        if (grouped) column->groups = groups_of(owner, column->second);
        if (column->kind != DERIVED_COUNT) column->slots[0] = slot_of(owner, column->first);
        if (!grouped) column->slots[1] = slot_of(owner, column->second);
    }
}

void derived_take_number(derived_cells *cells, const transform *encoding, size_t index, double value)
{
    const transform_column *column = &encoding->columns[encoding->derived.inputs[index]];
    double held = (double)transform_hold(value, column->pivot, column->factor);
    cells->numbers[index] = column->pivot + held / column->factor;
}

void derived_take_text(derived_cells *cells, const transform *encoding, size_t index, text_view text)
{
    uint32_t code = dictionary_find(&encoding->derived.groups[index].texts, text);
    if (code == DICTIONARY_NONE && cell_is_missing(text.text, text.length)) code = DERIVED_NO_TEXT;
    cells->groups[index] = code;
}

static double by_group(const derived_column *column, double value, uint32_t group, size_t groups)
{
    double median = group < groups ? column->medians[group] : NAN;
    if (isnan(value) || (column->ratio && !(value > 0))) return NAN;
    if (isnan(median)) return column->ratio ? 1 : 0;
    return column->ratio ? value / median : value - median;
}

double derived_value(derived_cells *cells, const transform *encoding, size_t index)
{
    const derived_column *column = &encoding->derived.columns[index];
    const derived_groups *groups = &encoding->derived.groups[column->groups];
    uint32_t group = cells->groups[column->groups];
    double a = cells->numbers[column->slots[0]], b = cells->numbers[column->slots[1]], value = NAN;
    switch (column->kind) {
    case DERIVED_COUNT:
        if (group != DERIVED_NO_TEXT) value = group < groups->texts.count ? groups->counts[group] : 1;
        break;
    case DERIVED_BY_GROUP: value = by_group(column, a, group, groups->texts.count); break;
    case DERIVED_RATIO: value = a > 0 && b > 0 ? a / b : NAN; break;
    default: value = a - b;
    }
    return cells->numbers[DERIVE_INPUTS_MAX + index] = limited(value, HELD_MAX);
}

number_coding derived_coding(const derived_column *column)
{
    if (column->kind == DERIVED_TIME) return CODING_SIGNED_LOGARITHM;
    bool ratio = column->kind == DERIVED_COUNT || column->kind == DERIVED_RATIO ||
                 (column->kind == DERIVED_BY_GROUP && column->ratio);
    return ratio ? CODING_LOGARITHM : CODING_PLAIN;
}

double number_coded(number_coding coding, double value)
{
    if (coding == CODING_LOGARITHM) return log2(value);
    if (coding == CODING_SIGNED_LOGARITHM) return copysign(log2(1 + fabs(value)), value);
    return value;
}

double number_decoded(number_coding coding, double coded)
{
    if (coding == CODING_LOGARITHM) return exp2(coded);
    if (coding == CODING_SIGNED_LOGARITHM) return copysign(exp2(fabs(coded)) - 1, coded);
    return coded;
}

void derived_encode(float *row, derived_cells *cells, const transform *encoding)
{
    for (size_t k = 0; k < encoding->derived.count; k++) {
        const transform_column *column = &encoding->columns[encoding->input_count + k];
        transform_number(row, column, number_coded(column->coding, derived_value(cells, encoding, k)));
    }
}

puad_status derived_name(const char **out, arena *memory, const transform *encoding,
                         const derived_column *column)
{
    const char *second = encoding->columns[column->second].name, *first;
    if (column->kind == DERIVED_COUNT) return arena_print(memory, out, "count of %s", second);
    first = encoding->columns[column->first].name;
    if (column->first < encoding->input_count) first = encoding->columns[column->first].source;
    if (column->second < encoding->input_count) second = encoding->columns[column->second].source;
    const char *word = column->kind == DERIVED_BY_GROUP ? "by" : column->kind == DERIVED_RATIO ? "/" : "-";
    return arena_print(memory, out, "%s %s %s", first, word, second);
}

puad_status derived_append(transform *encoding, const derived_column *column)
{
    size_t index = encoding->derived.count;
    transform_column *out = &encoding->columns[encoding->input_count + index];
    encoding->derived.columns[index] = *column;
    encoding->derived.count++;
    encoding->column_count++;
    *out = (transform_column){
        .type = COLUMN_NUMBER, .factor = 1, .sd = 1, .place = encoding->columns[column->second].place};
    TRY(derived_name(&out->name, &encoding->memory, encoding, column));
    out->source = out->name;
    derived_wire(encoding);
    return PUAD_OK;
}
