/* <puad/explain.h>: what a row has in a column of the file, and what is usual there. */
#include "base/c_locale.h"
#include "base/plain_text.h"
#include "detector/model/typical_values.h"
#include "detector/model_series.h"

#include <puad/explain.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_TOLD = 3, TEXT_ROOM = 49 };

static puad_status column_of(const transform_column **out, const puad_detector *model, size_t index)
{
    if (index >= puad_detector_column_count(model))
        FAIL(PUAD_INVALID, "column %zu, and the model has %zu", index, puad_detector_column_count(model));
    *out = &model->table->columns[index];
    return PUAD_OK;
}

/* The text of the category at `place` among the encoded columns of the category. */
static const char *text_at(const transform_column *column, size_t place)
{
    if (column->indicator && place + 1 == column->width) return "(missing)";
    return place < column->categories.count ? column->categories.texts[place].text : "(other)";
}

/* A number at a bound of the encoding may have been any number beyond it. */
static const char *beyond(const transform_column *of, float encoded)
{
    float ends[2][2];
    transform_column alone = *of;
    alone.first = 0;
    transform_held(ends[0], &alone, (float)of->low);
    transform_held(ends[1], &alone, (float)of->high);
    bool low = encoded <= ends[0][0], high = encoded >= ends[1][0];
    if (!low && !high) return "";
    return high == (of->factor > 0) ? " or more" : " or less";
}

puad_status puad_detector_cell(char *text, size_t room, const puad_detector *model, size_t column,
                               const float *row, size_t columns)
{
    const transform_column *of = NULL;
    NEED(text);
    NEED(model);
    NEED(row);
    TRY(column_of(&of, model, column));
    if (columns != shape_size(model->in))
        FAIL(PUAD_INVALID, "a row of %zu values, the model takes %zu", columns, shape_size(model->in));
    AUTO_FREE float *mean = NULL;
    if (model_is_series(model)) { /* of a window its mean */
        window_plan plan = model_windows(model);
        TRY(memory_new(&mean, plan.channels, sizeof *mean, "a row"));
        window_mean(mean, &plan, row);
        row = mean;
    }
    const float *cells = row + of->first;
    if (!of->width) {
        snprintf(text, room, "%s", "");
    } else if (of->indicator && cells[of->width - 1] > 0.5F) {
        snprintf(text, room, "(missing)");
    } else if (of->type == COLUMN_NUMBER) {
        c_print(text, room, "%.6g%s", transform_decoded(of, cells[0]), beyond(of, cells[0]));
    } else {
        size_t at = 0;
        for (size_t k = 1; k < of->width; k++)
            if (cells[k] > cells[at]) at = k;
        if (room) text_plain(text, room, cells[at] > 0 ? text_at(of, at) : "(missing)", false);
    }
    return PUAD_OK;
}

double puad_detector_usual_number(const puad_detector *model, size_t column, puad_usual which)
{
    static const usual_figure figures[] = {USUAL_LOW, USUAL_MEDIAN, USUAL_HIGH};
    if (column >= puad_detector_column_count(model) || !model->usual ||
        (size_t)which >= sizeof figures / sizeof *figures)
        return NAN;
    const transform_column *of = &model->table->columns[column];
    if (of->type != COLUMN_NUMBER) return NAN;
    return transform_decoded(of, model->usual[figures[which] * model->table->encoded + of->first]);
}

/* "home 62%, office 30%": the most frequent texts. */
static void usual_texts(char *text, size_t room, const puad_detector *model, const transform_column *of)
{
    const float *shares = model->usual + USUAL_MEAN * model->table->encoded + of->first;
    bool told[CATEGORIES_MOST + 2] = {false};
    size_t used = 0;
    for (int k = 0; k < TEXTS_TOLD; k++) {
        size_t best = of->width;
        for (size_t i = 0; i < of->width && i < sizeof told; i++)
            if (!told[i] && shares[i] > 0 && (best == of->width || shares[i] > shares[best])) best = i;
        if (best == of->width) return;
        told[best] = true;
        char word[TEXT_ROOM];
        text_plain(word, sizeof word, text_at(of, best), false);
        int wrote =
            c_print(text + used, room - used, "%s%s %.0f%%", k ? ", " : "", word, 100 * (double)shares[best]);
        if (wrote < 0 || used + (size_t)wrote >= room) {
            text[used] = 0;
            return;
        }
        used += (size_t)wrote;
    }
}

puad_status puad_detector_usual(char *text, size_t room, const puad_detector *model, size_t column)
{
    const transform_column *of = NULL;
    NEED(text);
    NEED(model);
    TRY(column_of(&of, model, column));
    if (room) text[0] = 0;
    if (!room || !model->usual || !of->width) return PUAD_OK;
    if (of->type == COLUMN_CATEGORY) {
        usual_texts(text, room, model, of);
        return PUAD_OK;
    }
    double median = puad_detector_usual_number(model, column, PUAD_USUAL_MEDIAN),
           low = puad_detector_usual_number(model, column, PUAD_USUAL_LOW),
           high = puad_detector_usual_number(model, column, PUAD_USUAL_HIGH);
    if (low < high)
        c_print(text, room, "%.6g (%.6g to %.6g)", median, low, high);
    else
        c_print(text, room, "%.6g", median);
    return PUAD_OK;
}
