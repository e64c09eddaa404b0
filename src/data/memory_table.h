/* The inside of puad_table: columns that a caller has in memory, borrowed. */
#ifndef DATA_MEMORY_TABLE_H
#define DATA_MEMORY_TABLE_H

#include "data/dictionary.h"
#include "data/number.h"
#include "data/public.h"

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
text_view memory_text(char room[NUMBER_TEXT], const memory_column *column, size_t row); /* of any kind */

/* Labels, ids and a name for messages. */
puad_status memory_take_rest(dataset *out, const puad_table *from);

#endif
