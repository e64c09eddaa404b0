/* The inside of puad_table: columns that a caller has in memory, borrowed. */
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
    dictionary names; /* by their place */
    bool named;       /* the caller gave at least one name */
    const int8_t *labels;
    const char *const *ids;
    const char *id_name;
};

double memory_number(const memory_column *column, size_t row); /* NaN where missing; not of texts */
/* The same of many: the caller's own where all of them are there, otherwise copied into `room`. */
const double *memory_numbers(double *room, const memory_column *column, size_t first, size_t rows);
text_view memory_text(char room[NUMBER_TEXT], const memory_column *column, size_t row); /* of any kind */

/* The rows of a table on their way to a model: the caller's column for each of the model's (NULL where there
 * is none), and how many cells were odd, no numbers where the model has numbers or categories that it has not
 * seen. */
typedef struct table_reader {
    const transform *how;
    const memory_column **found;
    size_t *odd_numbers, *unseen;
} table_reader;

/* Which of the model's columns the table lacks, dropped ones aside; allocated in `memory`. */
puad_status table_reader_absent(bool **out, arena *memory, const table_reader *reader);

/* `memory` holds what the reader needs. What is odd about the columns is told at once, about the cells when
 * all have been read. */
puad_status table_reader_open(table_reader *out, arena *memory, notes *told, const puad_table *from,
                              const transform *how);
void table_reader_rows(table_reader *from, float *out, size_t first, size_t rows);
puad_status table_reader_tell(notes *told, const table_reader *reader);

/* The axis of a time series: learned from a table, where the options name its columns, and the breaks and
 * times of one that is read for a model with this axis. */
puad_status memory_axis_learn(dataset *into, const puad_table *from, const data_options *options);
puad_status memory_axis_breaks(uint8_t *breaks, double *times, axis_clock *clock, const puad_table *from,
                               const time_axis *axis);

/* Labels, ids and a name for messages. */
puad_status memory_take_rest(dataset *out, const puad_table *from);

#endif
