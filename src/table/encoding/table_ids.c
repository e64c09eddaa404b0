/* Detects number columns that identify rows and are therefore not features. */
#include "base/sort.h"
#include "table/cells/column_names.h"
#include "table/encoding/table_columns.h"

#include <math.h>

enum { ROWS_MIN = 30, SAMPLE_MAX = 1024 };

/* From one row to the next the numbers grow as the row numbers do, in the first file. */
static bool counts_rows(const table *owner, const table_column *column)
{
    size_t rows = owner->main_rows ? owner->main_rows : owner->seen, last = SIZE_MAX;
    float before = 0;
    for (size_t b = 0; b < owner->block_count; b++) {
        const table_block *block = &owner->blocks[b];
        const float *held = block->held + column->slot;
        for (size_t r = 0; r < block->rows; r++, held += owner->number_count) {
            size_t row = block->numbers ? block->numbers[r] : block->first_row + r;
            double size = fmax(fabs((double)*held), fabs((double)before));
            if (row >= rows) return true;
            if (*held != *held) return false;
            double step = column->factor * (double)(row - last);
            if (last != SIZE_MAX && !(fabs((double)*held - (double)before - step) <= 2e-7 * size))
                return false;
            before = *held;
            last = row;
        }
    }
    return true;
}

static bool all_differ(const table *owner, const table_column *column)
{
    float values[SAMPLE_MAX];
    size_t stride = owner->rows / SAMPLE_MAX + 1, next = 0, first = 0, count = 0, same = 0;
    for (size_t b = 0; b < owner->block_count; first += owner->blocks[b++].rows)
        for (; next - first < owner->blocks[b].rows && count < SAMPLE_MAX; next += stride) {
            float held = owner->blocks[b].held[(next - first) * owner->number_count + column->slot];
            if (held == held) values[count++] = held;
        }
    sort_floats(values, count);
    for (size_t i = 1; i < count; i++) same += values[i] == values[i - 1];
    return count >= ROWS_MIN && 100 * same <= count;
}

const char *table_column_is_id(const table *owner, const table_column *column)
{
    if (column->numeric || column->missing || column->part != PART_VALUE || owner->rows < ROWS_MIN)
        return NULL;
    if (column->choice.form.kind != FORM_PLAIN) return NULL;
    bool named = name_is_id(column->name);
    if ((named || column->place == 0) && counts_rows(owner, column)) /* an index is the first column */
        return "it counts the rows (option 'numeric' keeps it)";
    if (named && all_differ(owner, column))
        return "it is an id: every row has a different number (option 'numeric' keeps it)";
    return NULL;
}
