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

static void typical_categories(puad_typical *out, const puad_detector *model, const transform_column *of)
{
    const float *fractions = model->usual + USUAL_MEAN * model->table->encoded + of->first;
    size_t listed[PUAD_TYPICAL_CATEGORIES];
    for (size_t k = 0; k < PUAD_TYPICAL_CATEGORIES; k++) {
        size_t best = of->width;
        for (size_t i = 0; i < of->width; i++) {
            bool again = false;
            for (size_t j = 0; j < k; j++) again |= listed[j] == i;
            if (!again && fractions[i] > 0 && (best == of->width || fractions[i] > fractions[best])) best = i;
        }
        if (best == of->width) return;
        listed[k] = best;
        out->categories[out->count++] = (puad_category){category_at(of, best), (double)fractions[best]};
    }
}

void typical_of(puad_typical *out, const puad_detector *model, const transform_column *of)
{
    const float *usual = model->usual;
    size_t stride = model->table->encoded;
    *out = (puad_typical){.low = NAN, .median = NAN, .high = NAN};
    if (!usual || !of->width) return;
    if (of->type == COLUMN_CATEGORY) {
        typical_categories(out, model, of);
        return;
    }
    out->low = transform_decoded(of, usual[USUAL_LOW * stride + of->first]);
    out->median = transform_decoded(of, usual[USUAL_MEDIAN * stride + of->first]);
    out->high = transform_decoded(of, usual[USUAL_HIGH * stride + of->first]);
}

/* Whether a value was clipped to a bound of the encoding, and on which side. */
static int beyond(const transform_column *of, float encoded)
{
    float ends[2][2];
    transform_column alone = *of;
    alone.first = 0;
    transform_held(ends[0], &alone, (float)of->low);
    transform_held(ends[1], &alone, (float)of->high);
    bool low = encoded <= ends[0][0], high = encoded >= ends[1][0];
    if (!low && !high) return 0;
    return high == (of->factor > 0) ? 1 : -1;
}

void reason_set_cell(puad_reason *out, const transform_column *of, const float *row)
{
    const float *cells = row + of->first;
    if (!of->width) return;
    out->missing = of->indicator && cells[of->width - 1] > 0.5F;
    if (out->missing) return;
    if (of->type == COLUMN_NUMBER) {
        out->value = transform_decoded(of, cells[0]);
        out->beyond = beyond(of, cells[0]);
        return;
    }
    size_t at = 0;
    for (size_t k = 1; k < of->width; k++)
        if (cells[k] > cells[at]) at = k;
    out->missing = !(cells[at] > 0);
    out->category = out->missing ? NULL : category_at(of, at);
}

/* Mean and standard deviation in input units. */
static void set_moments(puad_column *out, const transform_column *of)
{
    double mean = of->mean, sd = of->sd;
    if (of->spread > 0) {
        mean += sd * of->shift / of->scale;
        sd *= of->spread;
    }
    if (of->coding != CODING_PLAIN) { /* moments would be those of logarithms: the typical values say more */
        out->mean = transform_decoded(of, 0);
        snprintf(out->format, sizeof out->format, "derived number");
        return;
    }
    out->mean = of->pivot + mean / of->factor;
    out->sd = sd / fabs(of->factor);
    if (of->form.kind == FORM_PLAIN) return;
    char words[FORM_WORDS];
    form_describe(words, &of->form);
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
    const transform_column *of;
    NEED(model);
    NEED(out);
    TRY(find_column(&of, model, index));
    puad_column column = {.name = of->name,
                          .input = of->source,
                          .kind = kinds[of->type],
                          .reason = of->type == COLUMN_DROPPED ? of->reason : NULL,
                          .optional = of->indicator,
                          .values = of->width,
                          .mean = NAN,
                          .sd = NAN,
                          .category_count = of->type == COLUMN_CATEGORY ? of->categories.count : 0};
    if (of->form.kind == FORM_DATE) column.origin = PUAD_ORIGIN_DATE;
    if (index >= model->table->input_count) column.origin = PUAD_ORIGIN_DERIVED;
    if (of->type == COLUMN_NUMBER) set_moments(&column, of);
    typical_of(&column.typical, model, of);
    return struct_write(out, &column, sizeof column, "puad_column");
}

const char *puad_detector_category(const puad_detector *model, size_t column, size_t index)
{
    if (!model || !model->table || model->image || column >= model->table->column_count) return NULL;
    const transform_column *of = &model->table->columns[column];
    return of->type == COLUMN_CATEGORY && index < of->categories.count ? of->categories.texts[index].text
                                                                       : NULL;
}
