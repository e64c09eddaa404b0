/* Learns and stores typical values. */
#include "detector/model/typical_values.h"
#include "base/sort.h"

#include "detector/ensemble/empirical_tail.h"

#include <math.h>
#include <puad/puad.h>
#include <stdlib.h>

/* The column that marks a number as missing; the column itself if there is none. */
static void learn_indicators(size_t *indicator, const transform *table)
{
    for (size_t c = 0; c < table->encoded; c++) indicator[c] = c;
    for (size_t i = 0; i < table->column_count; i++) {
        const transform_column *column = &table->columns[i];
        if (column->type == COLUMN_NUMBER && column->indicator) indicator[column->first] = column->first + 1;
    }
}

static void second_step(float *figure, const transform *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const transform_column *column = &table->columns[i];
        if (column->type != COLUMN_NUMBER || !(column->spread > 0)) continue;
        figure[column->first] =
            transform_scaled((double)figure[column->first], column->shift, column->spread, 1);
    }
}

static size_t choose_rows(size_t *chosen, const int8_t *labels, size_t rows)
{
    size_t unlabeled = 0, seen = 0, taken = 0;
    for (size_t i = 0; i < rows; i++) unlabeled += !labels || labels[i] == PUAD_LABEL_UNLABELED;
    size_t wanted = unlabeled < USUAL_ROWS_MAX ? unlabeled : USUAL_ROWS_MAX;
    for (size_t i = 0; i < rows && taken < wanted; i++) {
        if (labels && labels[i] != PUAD_LABEL_UNLABELED) continue;
        if (seen++ == taken * unlabeled / wanted) chosen[taken++] = i;
    }
    return taken;
}

puad_status usual_learn(float **out, arena *memory, const transform *table, const float *values,
                        const int8_t *labels, size_t rows)
{
    AUTO_ARENA arena scratch = {0};
    size_t columns = table->encoded, *chosen, *indicator;
    float *present;
    *out = NULL;
    TRY(arena_new(&scratch, &chosen, USUAL_ROWS_MAX, sizeof *chosen));
    TRY(arena_new(&scratch, &present, USUAL_ROWS_MAX, sizeof *present));
    TRY(arena_new(&scratch, &indicator, columns, sizeof *indicator));
    size_t count = choose_rows(chosen, labels, rows);
    if (count == 0) return PUAD_OK;
    learn_indicators(indicator, table);
    float *usual;
    TRY(arena_new(memory, &usual, USUAL_FIGURES * columns, sizeof *usual));
    for (size_t c = 0; c < columns; c++) {
        double sum = 0;
        size_t n = 0;
        for (size_t i = 0; i < count; i++) {
            const float *row = values + chosen[i] * columns;
            if (indicator[c] != c && row[indicator[c]] != 0) continue;
            present[n++] = row[c];
            sum += (double)row[c];
        }
        if (n == 0) continue; /* all values are missing, encoded as 0 */
        sort_floats(present, n);
        usual[USUAL_LOW * columns + c] = present[(n - 1) / 20];
        usual[USUAL_MEDIAN * columns + c] = present[(n - 1) / 2];
        usual[USUAL_HIGH * columns + c] = present[n - 1 - (n - 1) / 20];
        usual[USUAL_MEAN * columns + c] = (float)(sum / (double)n);
    }
    for (size_t k = 0; k < USUAL_FIGURES; k++) second_step(usual + k * columns, table);
    *out = usual;
    return PUAD_OK;
}

puad_status usual_write(safetensors *file, const char *name, const float *usual, size_t columns)
{
    size_t sizes[2] = {USUAL_FIGURES, columns};
    return usual ? safetensors_add(file, name, TENSOR_F32, usual, 2, sizes) : PUAD_OK;
}

puad_status usual_read(float **out, arena *memory, const safetensors *file, const char *name, size_t columns)
{
    size_t sizes[2] = {USUAL_FIGURES, columns};
    const stored_tensor *stored;
    *out = NULL;
    if (!safetensors_find(file, name)) return PUAD_OK; /* an image model */
    TRY(safetensors_require(&stored, file, name, TENSOR_F32, 2, sizes));
    TRY(arena_new(memory, out, stored->count, sizeof **out));
    memcpy(*out, stored->data, stored->bytes);
    for (size_t i = 0; i < stored->count; i++)
        if (!isfinite((*out)[i])) FAIL(PUAD_FORMAT, "%s: value %zu is not finite", name, i);
    return PUAD_OK;
}
