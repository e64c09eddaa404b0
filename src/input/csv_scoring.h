/* A CSV file that is being scored: which of its columns feed the model, and facts about the file. */
#ifndef INPUT_CSV_SCORING_H
#define INPUT_CSV_SCORING_H

#include "input/format.h"
#include "series/time_axis.h"
#include "table/csv/csv.h"

/* The rows of a parsed block, encoded. */
typedef struct encoded_block {
    float *values;
    size_t capacity; /* values */
    bool within;     /* all numbers are within their columns' bounds */
} encoded_block;

/* A CSV file whose rows are scored. */
typedef struct csv_scoring {
    const transform *encoding;
    data_options options;
    csv_reader *reader;
    arena memory;
    size_t *number_place,
        *text_place;       /* per column of the encoding: its index in the reader; SIZE_MAX if none */
    size_t *number_column; /* the reverse, for numbers */
    size_t number_count, text_count, label_text, id_text;
    size_t label_feature; /* the encoding's column that is the label here; SIZE_MAX if none */
    size_t *unseen, *odd; /* per column of the encoding */
    bool *absent;         /* per column of the encoding */
    const char **added;   /* columns that the training file lacks */
    size_t added_count;
    bool *at_once;   /* per column of the encoding: a number that is encoded as soon as a block is parsed */
    bool others;     /* some columns are encoded later */
    double *before;  /* the dates of the previous row, per column of the encoding */
    axis_cells axis; /* of a time series */
    extreme_rows beyond;
    csv_block *blocks;
    encoded_block encoded[CSV_BLOCKS_MAX];
    size_t block_count, block, row; /* the next row to deliver */
    bool ended;
    size_t short_rows;
    int8_t *labels; /* capacity: `capacity` rows */
    const char **ids;
    char *id_pool;
    size_t id_room, capacity;
} csv_scoring;

/* Opens the file and plans reading; `encoding` and `options` of the job must be set. */
puad_status csv_scoring_open(csv_scoring *job, const char *path);

#endif
