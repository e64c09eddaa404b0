/* Which columns of a CSV file feed a model, and what is known about the file while its rows are scored. */
#ifndef INPUT_CSV_SCORING_H
#define INPUT_CSV_SCORING_H

#include "input/format.h"
#include "series/time_axis.h"
#include "table/csv/csv.h"

/* The rows of a parsed block as the model takes them. */
typedef struct encoded_block {
    float *values;
    size_t room; /* values */
    bool within; /* no number is beyond its column's bounds */
} encoded_block;

/* A CSV file whose rows are scored. */
typedef struct csv_scoring {
    const transform *how;
    data_options options;
    csv_reader *reader;
    arena memory;
    size_t *number_place,
        *text_place;       /* per column of the transform: where the reader gives it; SIZE_MAX if not */
    size_t *number_column; /* and back, for numbers */
    size_t number_count, text_count, label_text, id_text;
    size_t label_feature; /* the transform's column that is the label here; SIZE_MAX for none */
    size_t *unseen, *odd; /* per column of the transform */
    bool *absent;         /* the same */
    const char **added;   /* columns that the training file had not */
    size_t added_count;
    bool *at_once;   /* the same: numbers that are encoded when a block has been parsed */
    bool others;     /* some columns are not */
    double *before;  /* the dates of the row before, per column of the transform */
    axis_cells axis; /* of a time series */
    extreme_rows beyond;
    csv_block *blocks;
    encoded_block encoded[CSV_BLOCKS_MOST];
    size_t block_count, block, row; /* the next row to hand out */
    bool ended;
    size_t short_rows;
    int8_t *labels; /* room for `room` rows */
    const char **ids;
    char *id_pool;
    size_t id_room, room;
} csv_scoring;

/* Opens the file and plans what the reader gives; `how` and `options` of the job are set. */
puad_status csv_scoring_open(csv_scoring *job, const char *path);

#endif
