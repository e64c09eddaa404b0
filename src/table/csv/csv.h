/* CSV and TSV files of any length, parsed by several threads in constant memory.
 *
 * The bytes are cut into slices that end at record ends. The cuts depend only on the file, so sums
 * computed per block and combined in order do not depend on the number of threads. Each slice becomes a
 * block: the numbers of its number columns, views of its string columns, and the odd cells of number
 * columns.
 *
 * Missing cells at the end of a row become missing values and are counted; surplus cells are an error
 * unless they are empty. Empty lines are skipped. Bytes that are not UTF-8 are read as Latin-1. */
#ifndef TABLE_CSV_CSV_H
#define TABLE_CSV_CSV_H

#include "base/threads.h"
#include "base/utf8.h"
#include "io/csv_dialect.h"
#include "io/stream.h"
#include "table/cells/cell_format.h"

typedef enum cell_kind { CELL_SKIP, CELL_NUMBER, CELL_TEXT } cell_kind;

typedef struct odd_cell { /* a cell of a number column that is neither a number nor missing */
    uint32_t row;         /* within the block */
    uint32_t number;      /* which of the number columns */
    text_view view;
} odd_cell;

typedef struct csv_block {
    size_t rows;
    size_t first_row; /* rows of the file before this block */
    size_t short_rows;
    double *numbers;  /* rows x number columns; NaN where missing, odd or not finite */
    text_view *texts; /* rows x string columns; valid until the next csv_next */
    odd_cell *odd;
    size_t odd_count;
    /* private to the parser */
    const char *begin, *end;
    size_t lines;
    uint64_t first_line; /* lines of the file before this block */
    size_t number_room, text_room, odd_room, scratch_room, scratch_used;
    char *scratch;
    puad_status status; /* of parsing this block */
    char message[400];
} csv_block;

typedef struct csv_reader csv_reader;

/* Opens a file or "-", guesses its dialect and reads its header. A NULL team parses in the caller. */
puad_status csv_open(csv_reader **out, const char *path, const csv_settings *settings, team *workers);
void csv_close(csv_reader *reader); /* NULL is fine */

/* The decimal mark from all cells of a file, for settings.decimal. 0, the guess, if the delimiter is a
 * comma or the file is standard input, which can be read only once. */
typedef struct csv_decimal {
    char mark;
    bool seen; /* some number has it, or it is set explicitly */
} csv_decimal;
puad_status csv_decimal_settle(csv_decimal *out, const char *path, const csv_settings *settings,
                               team *workers);

const char *csv_name(const csv_reader *reader);                  /* for messages */
stream_place csv_place(const csv_reader *reader, uint64_t line); /* the same, of a line */
uint64_t csv_skipped(const csv_reader *reader);                  /* lines above the table, such as titles */
csv_dialect csv_dialect_of(const csv_reader *reader);
const char *const *csv_columns(const csv_reader *reader,
                               size_t *out_count); /* borrowed; generated if there is no header */

/* Sets how each column is read from here on; initially CELL_NUMBER. */
puad_status csv_plan(csv_reader *reader, const cell_kind *kinds);

/* Sets the cell format of each column from here on; NULL, the initial value, means plain numbers. */
puad_status csv_set_forms(csv_reader *reader, const cell_form *forms);

/* Returns the first block without advancing; only before csv_next. */
puad_status csv_peek(csv_reader *reader, const csv_block **out);

/* Parses the next blocks; none at the end. `work` (may be NULL) is called for each block in the thread
 * that parsed it; a status other than PUAD_OK stops at that block with the message in block->message. The
 * blocks are valid until the next call. */
typedef puad_status csv_work(void *context, csv_block *block, size_t index, int thread);
puad_status csv_next(csv_block **out_blocks, size_t *out_count, csv_reader *reader, csv_work *work,
                     void *context);
enum { CSV_BLOCKS_MAX = 16 }; /* maximum number that csv_next returns at once */

/* The line of the file (from 1) at which a row of a block begins. */
uint64_t csv_line(const csv_reader *reader, const csv_block *block, size_t row);

#endif
