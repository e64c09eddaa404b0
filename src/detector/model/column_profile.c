/* Learns and stores the distribution of columns. */
#include "detector/model/column_profile.h"

#include "base/sort.h"

#include <math.h>
#include <puad/puad.h>
#include <stdlib.h>
#include <string.h>

bool profile_marks(const transform_column *column, size_t encoded, float value)
{
    bool number = column->type == COLUMN_NUMBER && encoded == column->first;
    return number ? value == 0 : value != 0;
}

bool profile_has_value(const transform_column *column, const float *row)
{
    return column->type != COLUMN_NUMBER || !column->indicator || row[column->first + 1] == 0;
}

typedef struct row_sample {
    float *values;
    size_t count, columns;
} row_sample;

/* Takes evenly spaced rows, encoded for the model: all, or only those that a label of 0 marks. */
static puad_status take_rows(row_sample *out, arena *memory, const transform *table, const float *values,
                             const int8_t *labels, size_t rows)
{
    size_t columns = table->encoded, all = 0, seen = 0;
    for (size_t i = 0; i < rows; i++) all += !labels || labels[i] == PUAD_LABEL_UNLABELED;
    size_t wanted = all < PROFILED_MAX ? all : PROFILED_MAX;
    *out = (row_sample){.columns = columns};
    TRY(arena_new(memory, &out->values, wanted * columns, sizeof *out->values));
    for (size_t i = 0; i < rows && out->count < wanted; i++) {
        if (labels && labels[i] != PUAD_LABEL_UNLABELED) continue;
        if (seen++ != out->count * all / wanted) continue;
        float *row = out->values + out->count++ * columns;
        memcpy(row, values + i * columns, columns * sizeof *row);
        transform_second_step(row, table);
    }
    return PUAD_OK;
}

static void learn_edges(float *edges, float *scratch, const transform_column *column,
                        const row_sample *sample, size_t encoded)
{
    size_t present = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const float *row = sample->values + i * sample->columns;
        if (profile_has_value(column, row)) scratch[present++] = row[encoded];
    }
    sort_floats(scratch, present);
    for (size_t k = 0; k < PROFILE_EDGES && present; k++)
        edges[k] = scratch[(2 * k + 1) * (present - 1) / (2 * PROFILE_EDGES)];
}

static void learn_shares(float *through, float *marked, const float *edges, const transform_column *column,
                         const row_sample *sample, size_t encoded)
{
    double at_most[PROFILE_EDGES] = {0}, present = 0, marks = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const float *row = sample->values + i * sample->columns;
        marks += profile_marks(column, encoded, row[encoded]);
        if (!profile_has_value(column, row)) continue;
        present++;
        for (size_t k = 0; k < PROFILE_EDGES; k++) at_most[k] += row[encoded] <= edges[k];
    }
    for (size_t k = 0; k < PROFILE_EDGES; k++) through[k] = present > 0 ? (float)(at_most[k] / present) : 0;
    *marked = (float)(marks / (double)sample->count);
}

puad_status column_profile_learn(column_profile *out, arena *memory, const transform *table,
                                 const float *values, const int8_t *labels, size_t rows)
{
    AUTO_ARENA arena scratch = {0};
    row_sample samples[PROFILE_PARTS];
    float *sorted;
    size_t columns = table->encoded;
    *out = (column_profile){0};
    for (int part = 0; part < PROFILE_PARTS; part++)
        TRY(take_rows(&samples[part], &scratch, table, values, part == PROFILE_ALL ? NULL : labels, rows));
    if (!samples[PROFILE_UNLABELED].count) return PUAD_OK;
    TRY(arena_new(&scratch, &sorted, PROFILED_MAX, sizeof *sorted));
    TRY(arena_new(memory, &out->edges, columns * PROFILE_EDGES, sizeof *out->edges));
    for (int part = 0; part < PROFILE_PARTS; part++) {
        TRY(arena_new(memory, &out->through[part], columns * PROFILE_EDGES, sizeof **out->through));
        TRY(arena_new(memory, &out->marked[part], columns, sizeof **out->marked));
    }
    for (size_t i = 0; i < table->column_count; i++) {
        const transform_column *column = &table->columns[i];
        for (size_t c = column->first; c < column->first + column->width; c++) {
            float *edges = out->edges + c * PROFILE_EDGES;
            learn_edges(edges, sorted, column, &samples[PROFILE_UNLABELED], c);
            for (int part = 0; part < PROFILE_PARTS; part++)
                learn_shares(out->through[part] + c * PROFILE_EDGES, out->marked[part] + c, edges, column,
                             &samples[part], c);
        }
    }
    out->rows = (uint32_t)samples[PROFILE_UNLABELED].count;
    return PUAD_OK;
}

/* The tensors of a profile, for reading and writing: names, pointers and whether they have one value per
 * edge. */
enum { PROFILE_TENSORS = 5 };
static const struct {
    const char *name;
    bool edges;
} tensors[PROFILE_TENSORS] = {{"profile.edges", true},
                              {"profile.unlabeled", true},
                              {"profile.all", true},
                              {"profile.marked_unlabeled", false},
                              {"profile.marked_all", false}};

puad_status column_profile_write(safetensors *file, const column_profile *profile, size_t columns)
{
    const float *data[PROFILE_TENSORS] = {profile->edges, profile->through[0], profile->through[1],
                                          profile->marked[0], profile->marked[1]};
    size_t sizes[2] = {columns, PROFILE_EDGES}, one = 1;
    if (!profile->rows) return PUAD_OK;
    TRY(safetensors_add(file, "profile.rows", TENSOR_U32, &profile->rows, 1, &one));
    for (int i = 0; i < PROFILE_TENSORS; i++)
        TRY(safetensors_add(file, tensors[i].name, TENSOR_F32, data[i], tensors[i].edges ? 2 : 1, sizes));
    return PUAD_OK;
}

puad_status column_profile_read(column_profile *out, arena *memory, const safetensors *file, size_t columns)
{
    float **data[PROFILE_TENSORS] = {&out->edges, &out->through[0], &out->through[1], &out->marked[0],
                                     &out->marked[1]};
    size_t sizes[2] = {columns, PROFILE_EDGES}, one = 1;
    const stored_tensor *stored;
    uint32_t rows;
    *out = (column_profile){0};
    if (!safetensors_find(file, "profile.rows")) return PUAD_OK; /* an image model */
    TRY(safetensors_require(&stored, file, "profile.rows", TENSOR_U32, 1, &one));
    memcpy(&rows, stored->data, sizeof rows);
    for (int i = 0; i < PROFILE_TENSORS; i++) {
        TRY(safetensors_require(&stored, file, tensors[i].name, TENSOR_F32, tensors[i].edges ? 2 : 1, sizes));
        TRY(arena_new(memory, data[i], stored->count, sizeof(float)));
        memcpy(*data[i], stored->data, stored->bytes);
        for (size_t k = 0; k < stored->count; k++)
            if (!isfinite((*data[i])[k]) || (i && !((*data[i])[k] >= 0 && (*data[i])[k] <= 1)))
                FAIL(PUAD_FORMAT, "%s: value %zu is %g", tensors[i].name, k, (double)(*data[i])[k]);
    }
    out->rows = rows;
    return PUAD_OK;
}
