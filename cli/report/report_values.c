/* Decodes the values of sampled rows and counts them. */
#include "cli/report/report_values.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_ROOM = 200 };

bool column_is_numeric(const report *of, size_t index)
{
    puad_column column = {.struct_size = sizeof column};
    return puad_detector_column(of->model, &column, index) == PUAD_OK && !isnan(column.typical.low);
}

bool column_cell(puad_reason *out, const report *of, size_t column, const float *values)
{
    *out = (puad_reason){.struct_size = sizeof *out};
    return puad_detector_cell(of->model, out, column, values, of->columns) == PUAD_OK;
}

void column_text(char *text, size_t room, const report *of, size_t column, const float *values)
{
    puad_reason cell;
    text[0] = 0;
    if (column_cell(&cell, of, column, values)) puad_reason_text(&cell, text, room, PUAD_REASON_VALUE);
}

double column_number(const report *of, size_t column, const float *values)
{
    puad_reason cell;
    bool known = column_cell(&cell, of, column, values) && !isnan(cell.typical.low);
    return known && isfinite(cell.value) ? cell.value : (double)NAN;
}

static int frequent_first(const void *left, const void *right)
{
    const value_count *a = left, *b = right;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return strcmp(a->text, b->text);
}

static void count_text(column_values *to, report *of, const char *text)
{
    for (size_t i = 0; i < to->text_count; i++)
        if (strcmp(to->texts[i].text, text) == 0) {
            to->texts[i].count++;
            return;
        }
    if (to->text_count < TEXTS_MAX)
        to->texts[to->text_count++] = (value_count){report_text(of, "%s", text), 1};
}

puad_status column_values_read(column_values *out, report *of, const report_input *about, size_t column)
{
    *out = (column_values){.numeric = column_is_numeric(of, column), .rows = about->sampled};
    TRY(arena_new(&of->memory, &out->texts, TEXTS_MAX, sizeof *out->texts));
    TRY(arena_new(&of->memory, &out->numbers, about->sampled, sizeof *out->numbers));
    for (size_t i = 0; i < about->sampled; i++) {
        const float *values = about->sample + i * of->columns;
        char text[VALUE_ROOM];
        double number = out->numeric ? column_number(of, column, values) : (double)NAN;
        if (!isnan(number)) {
            out->numbers[out->number_count++] = number;
            continue;
        }
        column_text(text, sizeof text, of, column, values);
        count_text(out, of, text);
    }
    if (out->number_count) sort_doubles(out->numbers, out->number_count);
    if (out->text_count) qsort(out->texts, out->text_count, sizeof *out->texts, frequent_first);
    return PUAD_OK;
}

double column_values_share(const column_values *of, const char *text)
{
    for (size_t i = 0; i < of->text_count; i++)
        if (strcmp(of->texts[i].text, text) == 0) return (double)of->texts[i].count / (double)of->rows;
    return 0;
}

double column_values_quantile(const column_values *of, double fraction)
{
    if (!of->number_count) return NAN;
    return of->numbers[(size_t)(fraction * (double)(of->number_count - 1) + 0.5)];
}
