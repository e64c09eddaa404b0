/* Training rows of a table between reading and encoding: numbers as floats near zero, categories as codes,
 * in blocks that are freed as soon as they are encoded, so that a table is never in memory twice. */
#ifndef TABLE_ENCODING_TABLE_COLUMNS_H
#define TABLE_ENCODING_TABLE_COLUMNS_H

#include "base/threads.h"
#include "dataset/data_options.h"
#include "dataset/dataset.h"
#include "table/cells/column_format.h"
#include "table/encoding/transform.h"

/* A column is numeric if at least nine of ten non-missing cells are numbers; the others then count as
 * missing. */
bool column_is_number(size_t numbers, size_t others);

enum { WORDS_MAX = 1 << 20 }; /* maximum number of distinct strings per column */

typedef struct table_column {
    const char *name;
    size_t place;          /* index in the first file */
    bool category, forced; /* forced: the user has set the type */
    bool listed;           /* declared a category by the user */
    bool numeric;          /* declared a number by the user */
    form_choice choice;    /* format of its cells */
    date_part part;        /* part of a date */
    bool begins;           /* a date of birth or of another beginning, from which an age is counted */
    size_t parts; /* number of table columns made from the same cells; 0 except for the first of them */
    size_t slot;  /* index among the numbers, or among the categories */
    double pivot, factor; /* see transform.h */
    bool spread_known;    /* the factor makes the spread of the first rows about 1 */
    size_t present, missing, odd, broken;
    size_t main_present, present_before, odd_before; /* see table_part_begin */
    double sum, squares;                             /* of the held values */
    float min, max;
    size_t odd_decorated; /* odd cells that are numbers in another format */
    char odd_text[40];    /* the first cell that is not a number, and its place */
    size_t odd_row;
    dictionary words;
    size_t beyond,
        beyond_numbers; /* cells with strings beyond the dictionary's limit; how many are numbers */
} table_column;

typedef struct table_block {
    size_t rows;
    size_t first_row;  /* of the input */
    uint64_t *numbers; /* rows: of a sample, their numbers in the input; NULL: consecutive from first_row */
    void *pages;       /* owns the memory below */
    size_t bytes;
    float *held;     /* rows x numbers, NaN if missing */
    uint32_t *codes; /* rows x categories, CODE_MISSING and CODE_REST */
    int8_t *labels;  /* one per row */
} table_block;

/* The choice of option 'derive'. */
typedef struct derive_wish {
    bool no;                 /* no derived columns */
    bool named;              /* the columns have names given by the user */
    const char *const *list; /* the listed ones, or NULL for an automatic choice */
    size_t count;
} derive_wish;

derive_wish derive_wish_of(const data_options *options, bool named);

/* See table_sample.h. */
enum { TABLE_LABELS = 3 };
typedef struct table_sample {
    size_t rows_max; /* of each label; 0: all rows are kept */
    uint64_t seed;
    bool thinned; /* not all rows are kept */
    size_t kept[TABLE_LABELS];
    uint64_t key_max[TABLE_LABELS]; /* rows with larger keys are not kept */
} table_sample;

typedef struct table {
    arena memory;
    table_sample sample;
    derive_wish derive;
    table_column *columns;
    size_t column_count, number_count, category_count;
    table_block *blocks;
    size_t block_count, block_room;
    size_t rows, seen;   /* kept, and read: sums and counts of columns are over all rows read */
    size_t main_rows;    /* read from the first file */
    size_t file_columns; /* of the first file */
    bool labeled;
    char decimal;      /* of the first file, for strings that turn out to be numbers */
    bool decimal_seen; /* its numbers have that mark, and it is not the delimiter */
    const char **ids;  /* one per row, or NULL; owned; the strings are in *id_memory */
    size_t id_room;
    arena *id_memory;
    char *id_pool;
    size_t id_pool_left;
} table;

puad_status table_new(table **out, size_t columns);
void table_free(table *owner); /* NULL is fine */

/* Numbers the slots; call after `category` is decided for each column. */
void table_place(table *owner);

/* Chooses pivot and factor of a number column from some of its values (NaN if missing); reorders them. */
void table_column_center(table_column *column, double *values, size_t count);

/* Sets the parts of a date, `count` columns from the first one, given the dates of some consecutive rows. */
void table_column_set_parts(table_column *column, size_t count, const double *dates, size_t rows);

/* A block for that many rows, in the pages of *out if they suffice; with numbers for rows of a sample. Labels are 0. */
puad_status table_block_new(table_block *out, const table *owner, size_t rows, bool numbered);
puad_status table_append(table *owner, table_block block);
void table_block_free(table_block *block);

/* Sums over some held values of a number column, and adding them to the column. */
typedef struct column_sums {
    size_t present, missing, broken; /* broken: not integers */
    double sum, squares;
    float min, max;
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
    if (sums->present++ == 0) sums->min = sums->max = held;
    sums->sum += (double)held;
    sums->squares += (double)held * (double)held;
    if (held < sums->min) sums->min = held;
    if (held > sums->max) sums->max = held;
}
void table_column_add(table_column *column, const column_sums *sums);

/* Call before and after the rows of a further file, all of which have one label. A column that these rows
 * lack while most rows of the first file have it is an error: its absence would equal the label. `there`
 * says which columns the file has; NULL for all. */
void table_part_begin(table *owner);
puad_status table_part_end(const table *owner, const char *file, const bool *there);

/* Held values between which numbers are used unchanged; others are clipped. And the sums over the clipped
 * values, with the number of clipped ones. */
typedef struct column_bounds {
    double low, high;
} column_bounds;
column_bounds table_column_bounds(const table *owner, const table_column *column);
void table_column_sum_within(column_sums *out, size_t *out_beyond, const table *owner,
                             const table_column *column, column_bounds bounds);

/* The reason why a number column is an identifier (it counts the rows, or is nearly unique and named like
 * an id); else NULL. */
const char *table_column_is_id(const table *owner, const table_column *column);

/* A cell of a category column without a value. "none" is a string until table_settle_none(), which counts
 * those cells as missing unless they are frequent. */
bool table_text_is_missing(text_view text);
size_t table_count_none(const table_column *column);
void table_settle_none(table *owner);

/* Learns the encoding from the rows. Notes, such as dropped columns, are added to `messages`. */
puad_status table_learn(transform **out, const table *owner, notes *messages);

/* Encodes the rows, and frees the blocks on the way. */
puad_status table_encode(dataset *out, table *owner, const transform *encoding, team *workers);

#endif
