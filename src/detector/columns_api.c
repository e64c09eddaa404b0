/* Describes columns of the training data: their encoding and typical values. */
#include "detector/model/typical_values.h"
#include "detector/reasons.h"
#include "table/encoding/transform.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The category at index `place` among the encoded values of the column. */
static const char *category_at(const transform_column *column, size_t place)
{
    if (column->indicator && place + 1 == column->width) return "(missing)";
    return place < column->categories.count ? column->categories.texts[place].text : "(other)";
}

static void typical_categories(puad_typical *out, const puad_detector *model, const transform_column *column)
{
    const float *fractions = model->usual + USUAL_MEAN * model->table->encoded + column->first;
    size_t listed[PUAD_TYPICAL_CATEGORIES];
    for (size_t k = 0; k < PUAD_TYPICAL_CATEGORIES; k++) {
        size_t best = column->width;
        for (size_t i = 0; i < column->width; i++) {
            bool again = false;
            for (size_t j = 0; j < k; j++) again |= listed[j] == i;
            if (!again && fractions[i] > 0 && (best == column->width || fractions[i] > fractions[best]))
                best = i;
        }
        if (best == column->width) return;
        listed[k] = best;
        out->categories[out->count++] = (puad_category){category_at(column, best), (double)fractions[best]};
    }
}

void typical_of(puad_typical *out, const puad_detector *model, const transform_column *column)
{
    const float *usual = model->usual;
    size_t stride = model->table->encoded;
    *out = (puad_typical){.low = NAN, .median = NAN, .high = NAN};
    if (!usual || !column->width) return;
    if (column->type == COLUMN_CATEGORY) {
        typical_categories(out, model, column);
        return;
    }
    out->low = transform_decoded(column, usual[USUAL_LOW * stride + column->first]);
    out->median = transform_decoded(column, usual[USUAL_MEDIAN * stride + column->first]);
    out->high = transform_decoded(column, usual[USUAL_HIGH * stride + column->first]);
}

/* Whether a value was clipped to a bound of the encoding, and on which side. */
static int beyond(const transform_column *column, float encoded)
{
    float ends[2][2];
    transform_column alone = *column;
    alone.first = 0;
    transform_held(ends[0], &alone, (float)column->low);
    transform_held(ends[1], &alone, (float)column->high);
    bool low = encoded <= ends[0][0], high = encoded >= ends[1][0];
    if (!low && !high) return 0;
    return high == (column->factor > 0) ? 1 : -1;
}

void reason_set_cell(puad_reason *out, const transform_column *column, const float *row)
{
    const float *cells = row + column->first;
    if (!column->width) return;
    out->missing = column->indicator && cells[column->width - 1] > 0.5F;
    if (out->missing) return;
    if (column->type == COLUMN_NUMBER) {
        out->value = transform_decoded(column, cells[0]);
        out->beyond = beyond(column, cells[0]);
        return;
    }
    size_t at = 0;
    for (size_t k = 1; k < column->width; k++)
        if (cells[k] > cells[at]) at = k;
    out->missing = !(cells[at] > 0);
    out->category = out->missing ? NULL : category_at(column, at);
}

/* Mean and standard deviation in input units. */
static void set_moments(puad_column *out, const transform_column *column)
{
    double mean = column->mean, sd = column->sd;
    if (column->spread > 0) {
        mean += sd * column->shift / column->scale;
        sd *= column->spread;
    }
    if (column->coding !=
        CODING_PLAIN) { /* moments would be those of logarithms: the typical values say more */
        out->mean = transform_decoded(column, 0);
        snprintf(out->format, sizeof out->format, "derived number");
        return;
    }
    out->mean = column->pivot + mean / column->factor;
    out->sd = sd / fabs(column->factor);
    if (column->form.kind == FORM_PLAIN) return;
    char words[FORM_WORDS];
    form_describe(words, &column->form);
    snprintf(out->format, sizeof out->format, "%s", words);
}

static puad_status find_column(const transform_column **out, const puad_detector *model, size_t index)
{
    size_t count = model->table && !model->image ? model->table->column_count : 0;
    if (index >= count) FAIL(PUAD_INVALID, "column %zu; the model has %zu", index, count);
    *out = &model->table->columns[index];
    return PUAD_OK;
}

puad_status puad_detector_column(const puad_detector *model, puad_column *out, size_t index)
{
    static const puad_column_kind kinds[] = {[COLUMN_NUMBER] = PUAD_COLUMN_NUMBER,
                                             [COLUMN_CATEGORY] = PUAD_COLUMN_CATEGORY,
                                             [COLUMN_DROPPED] = PUAD_COLUMN_UNUSED};
    const transform_column *encoding;
    NEED(model);
    NEED(out);
    TRY(find_column(&encoding, model, index));
    puad_column column = {.name = encoding->name,
                          .input = encoding->source,
                          .kind = kinds[encoding->type],
                          .reason = encoding->type == COLUMN_DROPPED ? encoding->reason : NULL,
                          .optional = encoding->indicator,
                          .values = encoding->width,
                          .mean = NAN,
                          .sd = NAN,
                          .category_count =
                              encoding->type == COLUMN_CATEGORY ? encoding->categories.count : 0};
    if (encoding->form.kind == FORM_DATE) column.origin = PUAD_ORIGIN_DATE;
    if (index >= model->table->input_count) column.origin = PUAD_ORIGIN_DERIVED;
    if (encoding->type == COLUMN_NUMBER) set_moments(&column, encoding);
    typical_of(&column.typical, model, encoding);
    return struct_write(out, &column, sizeof column, "puad_column");
}

const char *puad_detector_category(const puad_detector *model, size_t column, size_t index)
{
    if (!model || !model->table || model->image || column >= model->table->column_count) return NULL;
    const transform_column *encoding = &model->table->columns[column];
    return encoding->type == COLUMN_CATEGORY && index < encoding->categories.count
               ? encoding->categories.texts[index].text
               : NULL;
}
