/* Loads one CSV file into a table. */
#ifndef TABLE_CSV_TABLE_CSV_LOAD_H
#define TABLE_CSV_TABLE_CSV_LOAD_H

#include "dataset/data_options.h"
#include "dataset/dataset.h"
#include "table/csv/csv.h"
#include "table/encoding/table_columns.h"

typedef struct csv_part { /* one of the files, and its settings */
    const char *path;
    const int8_t *label; /* the label of all its rows, or NULL */
    csv_decimal decimal;
} csv_part;

/* Appends one file; the first one creates the table. `decided` has the column types if they are known
 * (true for categories); NULL guesses them from the first block. Notes and ids go to `out`. */
puad_status table_load_csv(table **into, const csv_part *part, const data_options *options,
                           const bool *decided, dataset *out);

#endif
