/* Columns in a caller's memory: float or double numbers at any stride, strings for categories. */
#include "input/memory_table.h"

#include "base/number.h"
#include "input/input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 1 << 20 };

puad_status puad_table_new(puad_table **out, size_t rows)
{
    NEED(out);
    *out = NULL;
    TRY(memory_new(out, 1, sizeof **out, "a table"));
    (*out)->rows = rows;
    return PUAD_OK;
}

void puad_table_free(puad_table *table)
{
    if (!table) return;
    free(table->columns);
    dictionary_free(&table->names);
    arena_free(&table->memory);
    free(table);
}

static puad_status add(puad_table *table, const char *name, memory_kind kind, const void *values,
                       ptrdiff_t stride)
{
    char made[32];
    uint32_t code;
    if (table->column_count == table->column_room) {
        size_t capacity = table->column_room ? 2 * table->column_room : 16;
        TRY(memory_grow(&table->columns, capacity, sizeof *table->columns, "columns"));
        table->column_room = capacity;
    }
    if (table->column_count == COLUMNS_MAX) FAIL(PUAD_INVALID, "more than %d columns", COLUMNS_MAX);
    snprintf(made, sizeof made, "column_%zu", table->column_count + 1);
    table->named |= name != NULL;
    if (!name) name = made;
    const char *copy = arena_text(&table->memory, name);
    if (!copy) FAIL(PUAD_MEMORY, "no memory for column names");
    TRY(dictionary_add(&code, &table->names, (text_view){name, strlen(name)}));
    if (code != table->column_count) FAIL(PUAD_INVALID, "two columns are named '%s'", name);
    table->columns[table->column_count++] = (memory_column){copy, kind, values, stride};
    return PUAD_OK;
}

puad_status puad_table_add_doubles(puad_table *table, const char *name, const double *values,
                                   ptrdiff_t stride)
{
    NEED(table);
    if (table->rows) NEED(values);
    return add(table, name, MEMORY_DOUBLE, values, stride ? stride : (ptrdiff_t)sizeof *values);
}

puad_status puad_table_add_floats(puad_table *table, const char *name, const float *values, ptrdiff_t stride)
{
    NEED(table);
    if (table->rows) NEED(values);
    return add(table, name, MEMORY_FLOAT, values, stride ? stride : (ptrdiff_t)sizeof *values);
}

puad_status puad_table_add_texts(puad_table *table, const char *name, const char *const *texts,
                                 ptrdiff_t stride)
{
    NEED(table);
    if (table->rows) NEED(texts);
    return add(table, name, MEMORY_TEXT, texts, stride ? stride : (ptrdiff_t)sizeof *texts);
}

static puad_status add_matrix(puad_table *table, const char *const *names, memory_kind kind,
                              const void *values, size_t size, size_t columns, ptrdiff_t row_stride,
                              ptrdiff_t column_stride)
{
    size_t before = table->column_count;
    bool named = table->named;
    puad_status status = PUAD_OK;
    if (columns > COLUMNS_MAX) FAIL(PUAD_INVALID, "more than %d columns", COLUMNS_MAX);
    if (!column_stride) column_stride = (ptrdiff_t)size;
    if (!row_stride) row_stride = (ptrdiff_t)(columns * size);
    for (size_t i = 0; i < columns && status == PUAD_OK; i++)
        status = add(table, names ? names[i] : NULL, kind,
                     (const char *)values + (ptrdiff_t)i * column_stride, row_stride);
    if (status == PUAD_OK) return PUAD_OK;
    for (; table->column_count > before; table->column_count--) dictionary_drop_last(&table->names);
    table->named = named;
    return status;
}

puad_status puad_table_add_double_matrix(puad_table *table, const char *const *names, const double *values,
                                         size_t columns, ptrdiff_t row_stride, ptrdiff_t column_stride)
{
    NEED(table);
    if (table->rows) NEED(values);
    return add_matrix(table, names, MEMORY_DOUBLE, values, sizeof *values, columns, row_stride,
                      column_stride);
}

puad_status puad_table_add_float_matrix(puad_table *table, const char *const *names, const float *values,
                                        size_t columns, ptrdiff_t row_stride, ptrdiff_t column_stride)
{
    NEED(table);
    if (table->rows) NEED(values);
    return add_matrix(table, names, MEMORY_FLOAT, values, sizeof *values, columns, row_stride, column_stride);
}

puad_status puad_table_set_labels(puad_table *table, const int8_t *labels)
{
    NEED(table);
    for (size_t i = 0; labels && i < table->rows; i++)
        if (labels[i] < -1 || labels[i] > 1)
            FAIL(PUAD_INVALID, "labels[%zu] is %d, expected 1 (anomaly), 0 (unlabeled) or -1 (normal)", i,
                 labels[i]);
    table->labels = labels;
    return PUAD_OK;
}

double memory_number(const memory_column *column, size_t row)
{
    const char *at = (const char *)column->values + (ptrdiff_t)row * column->stride;
    double wide;
    float narrow;
    if (column->kind == MEMORY_DOUBLE) {
        memcpy(&wide, at, sizeof wide);
        return number_bounded(wide);
    }
    memcpy(&narrow, at, sizeof narrow);
    return number_bounded((double)narrow);
}

/* Branch-free, so that it vectorizes: x - x is NaN if x is not finite. */
static bool all_finite(const double *values, size_t count)
{
    int64_t odd = 0;
    for (size_t i = 0; i < count; i++) odd |= (int64_t)(values[i] - values[i] != 0);
    return !odd;
}

const double *memory_numbers(double *buffer, const memory_column *column, size_t first, size_t rows)
{
    const double *side_by_side = column->values;
    if (column->kind == MEMORY_DOUBLE && column->stride == sizeof(double) &&
        (uintptr_t)side_by_side % sizeof(double) == 0 && all_finite(side_by_side + first, rows))
        return side_by_side + first;
    for (size_t i = 0; i < rows; i++) buffer[i] = memory_number(column, first + i);
    return buffer;
}

/* A number as a CSV file would write it, into `buffer`; "" if it is missing. */
text_view memory_text(char buffer[NUMBER_TEXT], const memory_column *column, size_t row)
{
    if (column->kind == MEMORY_TEXT) {
        const char *text;
        memcpy(&text, (const char *)column->values + (ptrdiff_t)row * column->stride, sizeof text);
        return text ? view_trimmed((text_view){text, strlen(text)}) : (text_view){"", 0};
    }
    double value = memory_number(column, row);
    if (isnan(value)) return (text_view){"", 0};
    number_text(buffer, column->kind == MEMORY_FLOAT ? number_of_float((float)value) : value);
    return (text_view){buffer, strlen(buffer)};
}

puad_status memory_take_rest(dataset *out, const puad_table *source)
{
    out->name = arena_text(&out->memory, "a table in memory");
    if (!out->name) FAIL(PUAD_MEMORY, "no memory for a name");
    if (source->labels && !out->labels) TRY(arena_new(&out->memory, &out->labels, source->rows, 1));
    if (source->labels && source->rows) memcpy(out->labels, source->labels, source->rows);
    return PUAD_OK;
}
