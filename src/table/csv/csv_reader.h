/* Inside the CSV reader: what csv.c (bytes and slices) shares with csv_parse.c (cells). */
#ifndef TABLE_CSV_CSV_READER_H
#define TABLE_CSV_CSV_READER_H

#include "io/stream.h"
#include "table/csv/csv.h"

typedef struct csv_buffer {
    char *bytes; /* room + NUMBER_PADDING of them */
    size_t room, used;
    size_t limit; /* how far it is to be filled */
    bool last;    /* the file ends here */
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
    cell_form *forms; /* of each column; NULL where all are plain */
    csv_buffer buffers[2], *current, *other;
    size_t start; /* first byte of `current` not handed out */
    size_t slices_most;
    csv_block blocks[CSV_BLOCKS_MOST];
    size_t rows;         /* handed out */
    uint64_t skipped;    /* lines above the table */
    uint64_t lines;      /* in all bytes handed out */
    bool filled;         /* `other` holds what follows `current` */
    puad_status filling; /* how reading ahead went */
    char filling_message[400];
    csv_work *work;
    void *context;
};

/* Parses the bytes from block->begin to block->end; failures are left in the block. */
void csv_parse(const csv_reader *reader, csv_block *block);

#endif
