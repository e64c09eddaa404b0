/* Internal: shared by csv.c (bytes and slices) and csv_parse.c (cells). */
#ifndef TABLE_CSV_CSV_READER_H
#define TABLE_CSV_CSV_READER_H

#include "io/stream.h"
#include "table/csv/csv.h"

typedef struct csv_buffer {
    char *bytes; /* allocated with capacity + NUMBER_PADDING bytes */
    size_t capacity, used;
    size_t limit; /* how many bytes to fill */
    bool last;    /* the end of the file is in this buffer */
} csv_buffer;

struct csv_reader {
    arena memory;
    stream source;
    const char *name;
    team *workers;
    csv_dialect dialect;
    size_t columns, number_columns, text_columns;
    const char **column_names;
    cell_kind *kinds;
    cell_form *forms; /* of each column; NULL if all are plain */
    csv_buffer buffers[2], *current, *other;
    size_t start; /* first byte of `current` not delivered yet */
    size_t slices_most;
    csv_block blocks[CSV_BLOCKS_MAX];
    size_t rows;         /* delivered */
    uint64_t skipped;    /* lines above the table */
    uint64_t lines;      /* in all bytes delivered */
    bool filled;         /* `other` holds the bytes after `current` */
    puad_status filling; /* status of reading ahead */
    char filling_message[400];
    csv_work *work;
    void *context;
};

/* Parses the bytes from block->begin to block->end; errors are stored in the block. */
void csv_parse(const csv_reader *reader, csv_block *block);

#endif
