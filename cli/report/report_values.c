/* Decodes the values of sampled rows and counts them. */
#include "cli/report/report_values.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_CAPACITY = 200 };

bool column_is_numeric(const report *self, size_t index)
{
    puad_column column = {.struct_size = sizeof column};
    return puad_detector_column(self->model, &column, index) == PUAD_OK && !isnan(column.typical.low);
}

bool column_cell(puad_reason *out, const report *self, size_t column, const float *values)
{
    *out = (puad_reason){.struct_size = sizeof *out};
    return puad_detector_cell(self->model, out, column, values, self->columns) == PUAD_OK;
}

void column_text(char *text, size_t capacity, const report *self, size_t column, const float *values)
{
    puad_reason cell;
    text[0] = 0;
    if (column_cell(&cell, self, column, values)) puad_reason_text(&cell, text, capacity, PUAD_REASON_VALUE);
}

double column_number(const report *self, size_t column, const float *values)
{
    puad_reason cell;
    bool known = column_cell(&cell, self, column, values) && !isnan(cell.typical.low);
    return known && isfinite(cell.value) ? cell.value : (double)NAN;
}

static int frequent_first(const void *left, const void *right)
{
    const value_count *a = left, *b = right;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return strcmp(a->text, b->text);
}

static void count_text(column_values *to, report *self, const char *text)
{
    for (size_t i = 0; i < to->text_count; i++)
        if (strcmp(to->texts[i].text, text) == 0) {
            to->texts[i].count++;
            return;
        }
    if (to->text_count < TEXTS_MAX)
        to->texts[to->text_count++] = (value_count){report_text(self, "%s", text), 1};
}

puad_status column_values_read(column_values *out, report *self, const report_input *about, size_t column)
{
    *out = (column_values){.numeric = column_is_numeric(self, column), .rows = about->sampled};
    TRY(arena_new(&self->memory, &out->texts, TEXTS_MAX, sizeof *out->texts));
    TRY(arena_new(&self->memory, &out->numbers, about->sampled, sizeof *out->numbers));
    for (size_t i = 0; i < about->sampled; i++) {
        const float *values = about->sample + i * self->columns;
        char text[VALUE_CAPACITY];
        double number = out->numeric ? column_number(self, column, values) : (double)NAN;
        if (!isnan(number)) {
            out->numbers[out->number_count++] = number;
            continue;
        }
        column_text(text, sizeof text, self, column, values);
        count_text(out, self, text);
    }
    if (out->number_count) sort_doubles(out->numbers, out->number_count);
    if (out->text_count) qsort(out->texts, out->text_count, sizeof *out->texts, frequent_first);
    return PUAD_OK;
}

double column_values_share(const column_values *values, const char *text)
{
    for (size_t i = 0; i < values->text_count; i++)
        if (strcmp(values->texts[i].text, text) == 0)
            return (double)values->texts[i].count / (double)values->rows;
    return 0;
}

double column_values_quantile(const column_values *values, double fraction)
{
    if (!values->number_count) return NAN;
    return values->numbers[(size_t)(fraction * (double)(values->number_count - 1) + 0.5)];
}
