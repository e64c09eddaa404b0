/* Internal to the checks of columns: shared by guards_columns.c and guards_leaks.c. */
#ifndef CHECKS_GUARDS_COLUMNS_H
#define CHECKS_GUARDS_COLUMNS_H

#include "checks/guards.h"
#include "table/encoding/transform.h"

enum { WARNINGS_SHOWN_MAX = 8 }; /* maximum number of warnings about columns */

typedef struct column_look {
    const puad_options *options;
    warning_list *list;
    const dataset *rows;
    const int8_t *labels;
    const uint32_t *anomalies; /* their row indices */
    size_t anomaly_count, unlabeled_count, warned;
    float *sorted;      /* a buffer for one value per row */
    const char **leaks; /* columns of the file that leak; their other parts are not checked */
    size_t leak_count;
} column_look;

#define WARN(look, column, ...)                                                                              \
    do {                                                                                                     \
        if ((look)->warned++ < WARNINGS_SHOWN_MAX)                                                           \
            TRY(guard_warn((look)->options, (look)->list, (column)->source, __VA_ARGS__));                   \
    } while (0)

static inline const float *cells_of(const column_look *look, size_t row, const transform_column *column)
{
    return look->rows->values + row * look->rows->columns + column->first;
}

/* Whether a row has no value in the column. */
static inline bool is_missing(const float *cells, const transform_column *column)
{
    return column->indicator && cells[column->width - 1] != 0;
}

/* The number with this encoding, in the units of the column's bounds. */
static inline double held_number(const transform_column *column, double encoded)
{
    return encoded / column->scale * column->sd + column->mean;
}

int floats_rising(const void *left, const void *right);

/* Checks for leaks of the label, and for values that all labeled anomalies share; for tables with labeled
 * anomalies and unlabeled rows. */
puad_status leaks_check_column(column_look *look, const transform_column *column);

/* The same for derived column `index`. The warning names the first of its input columns; there is none if
 * one of them was found to leak. */
puad_status leaks_check_derived(column_look *look, size_t index);

#endif
