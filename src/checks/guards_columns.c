/* Checks each column before a fit: does it reveal the label (guards_leaks.c), or is it useless for new
 * rows? */
#include "checks/guards_columns.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MIN = 100, PART_ROWS = 4096 };
/* fraction of steps in one direction or zero; at least half must be non-zero */
#define ORDERED_MIN 0.99
#define DISTINCT_MIN 0.99      /* fraction of distinct values of a numeric identifier */
#define TEXTS_MIN 0.9          /* of a string identifier */
#define TIME_FIRST 946684800.0 /* the year 2000 */
#define TIME_LAST 2208988800.0 /* the year 2040 */

int floats_rising(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

static size_t count_distinct(float *values, size_t count)
{
    size_t distinct = count > 0;
    qsort(values, count, sizeof *values, floats_rising);
    for (size_t i = 1; i < count; i++) distinct += values[i] != values[i - 1];
    return distinct;
}

/* If some of the first values repeat, the column cannot have distinct values, so most columns need no full
 * sort. */
static bool all_differ(column_look *look, size_t present, double *out_distinct)
{
    float part[PART_ROWS];
    size_t count = present < PART_ROWS ? present : PART_ROWS;
    for (size_t i = 0; i < count; i++) part[i] = look->sorted[i * present / count];
    if ((double)count_distinct(part, count) < DISTINCT_MIN * (double)count) return false;
    *out_distinct = (double)count_distinct(look->sorted, present);
    return *out_distinct >= DISTINCT_MIN * (double)present;
}

static puad_status check_number(column_look *look, const transform_column *column)
{
    if (column->part != PART_VALUE) return PUAD_OK; /* the hour or the weekday of a date */
    size_t rows = look->rows->rows, present = 0, up = 0, down = 0;
    double low = INFINITY, high = -INFINITY, distinct;
    float before = 0;
    for (size_t i = 0; i < rows; i++) {
        const float *cells = cells_of(look, i, column);
        if (is_missing(cells, column)) continue;
        up += present && cells[0] > before;
        down += present && cells[0] < before;
        look->sorted[present++] = before = cells[0];
        low = fmin(low, (double)before);
        high = fmax(high, (double)before);
    }
    if (present < ROWS_MIN) return PUAD_OK;
    double steps = (double)(present - 1), max = (double)(up > down ? up : down),
           min = (double)(up > down ? down : up);
    if (min <= (1 - ORDERED_MIN) * steps && max >= 0.5 * steps) {
        WARN(look, column, GUARD_ordered_column, max, steps);
        return PUAD_OK;
    }
    if (!column->whole) return PUAD_OK;
    double first = transform_decoded(column, (float)low), last = transform_decoded(column, (float)high);
    bool seconds = first > TIME_FIRST && last < TIME_LAST;
    bool thousandths = first > 1e3 * TIME_FIRST && last < 1e3 * TIME_LAST;
    if (seconds || thousandths)
        WARN(look, column, GUARD_time_column, first, last);
    else if (all_differ(look, present, &distinct))
        WARN(look, column, GUARD_identifier_column, distinct, (double)present);
    return PUAD_OK;
}

static puad_status check_text(column_look *look, const transform_column *column)
{
    size_t present = 0;
    for (size_t i = 0; i < look->rows->rows; i++) present += !is_missing(cells_of(look, i, column), column);
    if (present >= ROWS_MIN && (double)column->distinct >= TEXTS_MIN * (double)present)
        WARN(look, column, GUARD_identifier_column, (double)column->distinct, (double)present);
    return PUAD_OK;
}

static puad_status check_column(column_look *look, const transform_column *column)
{
    if (column->type == COLUMN_DROPPED) return PUAD_OK;
    TRY(leaks_check_column(look, column));
    return column->type == COLUMN_NUMBER ? check_number(look, column) : check_text(look, column);
}

puad_status guards_check_columns(const puad_options *options, warning_list *list, const dataset *rows,
                                 const int8_t *labels)
{
    AUTO_ARENA arena memory = {0};
    uint32_t *anomalies;
    column_look look = {.options = options, .list = list, .rows = rows, .labels = labels};
    if (!transform_of_table(rows->transform) || rows->rows == 0) return PUAD_OK;
    TRY(arena_new(&memory, &anomalies, rows->rows, sizeof *anomalies));
    TRY(arena_new(&memory, &look.sorted, rows->rows, sizeof *look.sorted));
    TRY(arena_new(&memory, &look.leaks, rows->transform->column_count + 1, sizeof *look.leaks));
    for (size_t i = 0; i < rows->rows; i++) {
        if (labels[i] == PUAD_LABEL_ANOMALY) anomalies[look.anomaly_count++] = (uint32_t)i;
        look.unlabeled_count += labels[i] == PUAD_LABEL_UNLABELED;
    }
    look.anomalies = anomalies;
    for (size_t i = 0; i < rows->transform->input_count; i++)
        TRY(check_column(&look, &rows->transform->columns[i]));
    for (size_t i = 0; i < rows->transform->derived.count; i++) TRY(leaks_check_derived(&look, i));
    if (look.warned > WARNINGS_SHOWN_MAX)
        return guard_warn(options, list, NULL, GUARD_more_columns,
                          (double)(look.warned - WARNINGS_SHOWN_MAX));
    return PUAD_OK;
}
