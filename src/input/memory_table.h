/* Internals of puad_table: borrowed columns in a caller's memory. */
#ifndef INPUT_MEMORY_TABLE_H
#define INPUT_MEMORY_TABLE_H

#include "base/number.h"
#include "input/dataset_api.h"
#include "series/time_axis.h"
#include "table/encoding/dictionary.h"

typedef enum memory_kind { MEMORY_DOUBLE, MEMORY_FLOAT, MEMORY_TEXT } memory_kind;

typedef struct memory_column {
    const char *name;
    memory_kind kind;
    const void *values;
    ptrdiff_t stride; /* bytes from row to row */
} memory_column;

struct puad_table {
    arena memory;
    size_t rows;
    memory_column *columns;
    size_t column_count, column_room;
    dictionary names; /* index by name */
    bool named;       /* at least one column has a name from the caller */
    const int8_t *labels;
};

double memory_number(const memory_column *column, size_t row); /* NaN if missing; not for strings */
/* All numbers of a column: the caller's array if it can be used directly, else copied into `buffer`. */
const double *memory_numbers(double *buffer, const memory_column *column, size_t first, size_t rows);
text_view memory_text(char buffer[NUMBER_TEXT], const memory_column *column, size_t row); /* of any kind */

/* Encodes the rows of a table for a model: the caller's column for each of the model's (NULL if there is
 * none), and counts of odd cells (not numbers, or categories not seen in training). */
typedef struct table_reader {
    const transform *encoding;
    const memory_column **found;
    size_t *odd_numbers, *unseen;
} table_reader;

/* Which of the model's columns the table lacks, except dropped ones; allocated in `memory`. */
puad_status table_reader_absent(bool **out, arena *memory, const table_reader *reader);

/* `memory` owns the reader's data. Notes on columns are added at once (to NULL: none); notes on cells
 * when all rows have been read. */
puad_status table_reader_open(table_reader *out, arena *memory, notes *messages, const puad_table *source,
                              const transform *encoding);
void table_reader_rows(table_reader *reader, float *out, size_t first, size_t rows);
puad_status table_reader_tell(notes *messages, const table_reader *reader);

/* The axis of a time series: memory_axis_learn learns it from a table if the options name its columns; the
 * other computes the breaks and times of a table for a model with this axis. */
puad_status memory_axis_learn(dataset *into, const puad_table *source, const data_options *options);
puad_status memory_axis_breaks(uint8_t *breaks, double *times, axis_clock *clock, const puad_table *source,
                               const time_axis *axis);

/* Adds labels, ids and a name for messages. */
puad_status memory_take_rest(dataset *out, const puad_table *source);

#endif
