/* The training rows of a table on their way from files to a dataset: numbers
 * as floats near zero, categories as codes, in blocks that are given back as
 * soon as they are encoded, so that a table is never held twice. */
#ifndef TABLE_ENCODING_TABLE_COLUMNS_H
#define TABLE_ENCODING_TABLE_COLUMNS_H

#include "base/threads.h"
#include "dataset/data_options.h"
#include "dataset/dataset.h"
#include "table/cells/column_format.h"
#include "table/encoding/transform.h"

/* A column is a number when at least nine of ten cells with a value are numbers; the others then count as
 * missing. */
bool column_is_number(size_t numbers, size_t others);

enum { WORDS_MOST = 1 << 20 }; /* distinct texts of one column that are told apart */

typedef struct table_column {
    const char *name;
    size_t place;          /* in the first file */
    bool category, forced; /* forced: whatever its cells look like */
    bool listed;           /* the user says it is a category */
    bool numeric;          /* the user says it is a number, whatever it looks like */
    form_choice choice;    /* how its cells are written */
    date_part part;        /* of a date */
    bool begins;           /* a date of birth or of another beginning, from which an age counts */
    size_t parts; /* columns from here on that are made of the same cells; 0 but for the first of them */
    size_t slot;  /* its place among the numbers, or among the categories */
    double pivot, factor; /* see transform.h */
    bool spread_known;    /* the factor makes the spread of the first rows about 1 */
    size_t present, missing, odd, broken;
    size_t main_present, present_before, odd_before; /* see table_part_begin */
    double sum, squares;                             /* of the held values */
    float least, most;
    size_t odd_decorated; /* of the odd cells: those that are numbers in another form */
    char odd_text[40];    /* the first cell that is no number, and where */
    size_t odd_row;
    dictionary words;
    size_t beyond,
        beyond_numbers; /* cells with texts that the dictionary did not take; how many are numbers */
} table_column;

typedef struct table_block {
    size_t rows;
    void *pages; /* everything below */
    size_t bytes;
    float *held;     /* rows x numbers, NaN where missing */
    uint32_t *codes; /* rows x categories, CODE_MISSING and CODE_REST */
    int8_t *labels;  /* rows */
} table_block;

/* What option 'derive' asks for. */
typedef struct derive_wish {
    bool no;                 /* no derived columns */
    bool named;              /* the columns have names that a person gave */
    const char *const *list; /* those that are listed, or NULL for the choice by evidence */
    size_t count;
} derive_wish;

derive_wish derive_wish_of(const data_options *options, bool named);

typedef struct table {
    arena memory;
    derive_wish derive;
    table_column *columns;
    size_t column_count, number_count, category_count;
    table_block *blocks;
    size_t block_count, block_room;
    size_t rows, main_rows; /* main: of the first file */
    size_t file_columns;    /* of the first file */
    bool labeled;
    char decimal;      /* of the first file, for texts that are numbers after all */
    bool decimal_seen; /* its numbers have that mark, which cells are not separated by */
    const char **ids;  /* rows of them, or NULL; owned; their texts lie in *id_memory */
    size_t id_room;
    arena *id_memory;
    char *id_pool;
    size_t id_pool_left;
} table;

puad_status table_new(table **out, size_t columns);
void table_free(table *owner); /* NULL is fine */

/* Numbers the slots once `category` of each column is decided. */
void table_place(table *owner);

/* Chooses pivot and factor of a number column from some of
 * its values (NaN where missing), which it reorders. */
void table_column_centre(table_column *column, double *values, size_t count);

/* The parts of a date, `count` of them from the first on, whose dates in some rows in their order are `dates`. */
void table_column_set_parts(table_column *column, size_t count, const double *dates, size_t rows);

/* An empty block for so many rows, at the end of the table. */
puad_status table_block_new(table_block *out, const table *owner, size_t rows);
puad_status table_append(table *owner, table_block block);
void table_block_free(table_block *block);

/* Sums over some held values of one number column, and adding them to it. */
typedef struct column_sums {
    size_t present, missing, broken; /* broken: not whole */
    double sum, squares;
    float least, most;
} column_sums;
static inline bool number_is_broken(double value)
{
    return fabs(value) < 9e15 && (double)(int64_t)value != value;
}
static inline void column_sums_add(column_sums *sums, float held)
{
    if (held != held) {
        sums->missing++;
        return;
    }
    if (sums->present++ == 0) sums->least = sums->most = held;
    sums->sum += (double)held;
    sums->squares += (double)held * (double)held;
    if (held < sums->least) sums->least = held;
    if (held > sums->most) sums->most = held;
}
void table_column_add(table_column *column, const column_sums *sums);

/* Around the rows of a further file, all of which have one label. A column in which they have no value while
 * most rows of the first file have one is an error: being without it would be the label. `there` says which
 * columns the file has; NULL for all of them. */
void table_part_begin(table *owner);
puad_status table_part_end(const table *owner, const char *file, const bool *there);

/* Held values of a number column between which numbers are taken as they are; those beyond count as the
 * nearest bound. And the sums over its values so moved, with the number of those beyond. */
typedef struct column_bounds {
    double low, high;
} column_bounds;
column_bounds table_column_bounds(const table *owner, const table_column *column);
void table_column_sum_within(column_sums *out, size_t *out_beyond, const table *owner,
                             const table_column *column, column_bounds bounds);

/* Whether a number column counts the rows, or has its own number in nearly every row and the name of an id;
 * else NULL. */
const char *table_column_is_id(const table *owner, const table_column *column);

/* What the rows teach. Dropped columns and the like go into `told`. */
puad_status table_learn(transform **out, const table *owner, notes *told);

/* Encodes the rows; the blocks are freed on the way. */
puad_status table_encode(dataset *out, table *owner, const transform *how, team *workers);

#endif
