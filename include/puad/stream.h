/* Scores an input of any length, block by block, in constant memory.
 *
 *     puad_stream *stream = NULL;
 *     puad_stream_open(&stream, model, "new.csv", NULL);
 *     puad_block block = {.struct_size = sizeof block};
 *     while (puad_stream_next(stream) == PUAD_OK && puad_stream_block(stream, &block) == PUAD_OK && block.rows)
 *         for (size_t i = 0; i < block.rows; i++)
 *             printf("%zu,%g\n", block.first_row + i, block.scores[i]);
 *     puad_stream_free(stream);
 *
 * Ownership: the model must outlive the stream; results are valid until the next puad_stream_next. */
#ifndef PUAD_STREAM_H
#define PUAD_STREAM_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_stream puad_stream;

/* Opens an input (see puad_dataset_open) to be scored by the model.
 * options: those of the group INPUT; labels are read if they name them.
 * Errors: as puad_dataset_open. */
PUAD_API puad_status puad_stream_open(puad_stream **out, const puad_detector *model, const char *path,
                                      const puad_options *options);

PUAD_API void puad_stream_free(puad_stream *stream);

/* Reads and scores the next rows. At the end of the input the block is empty, and the rows have been compared
 * with those of training: the warning callback (puad_options_set_warning) gets the differences.
 * Errors: as puad_dataset_open and puad_scorer_run, with the row of the file. */
PUAD_API puad_status puad_stream_next(puad_stream *stream);

/* A block of rows. */
typedef struct puad_block {
    size_t struct_size;
    size_t first_row, rows; /* rows is 0 at the end of the input */
    size_t capacity;        /* the largest number of rows of any block */
    size_t columns;         /* values of a row */
    const float *scores;
    const float *values;  /* rows x columns; NULL for a time series */
    const int8_t *labels; /* or NULL */
    const unsigned char
        *segment_starts; /* of a time series: 1 for each row that starts a segment; else NULL */
    const char *id_name; /* of the id column; or NULL */
} puad_block;

/* Fills *out with the block read last.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_stream_block(const puad_stream *stream, puad_block *out);

/* Returns the id of a row of the block; NULL without an id column. */
PUAD_API const char *puad_stream_id(const puad_stream *stream, size_t row);

/* Writes the `columns` values that the model takes for a row of the block: the encoded row, or the window of
 * a time series around it (puad_scorer_take).
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_stream_take(puad_stream *stream, float *out, size_t columns, size_t row);

/* Returns the scorer of the stream, to explain rows. */
PUAD_API puad_scorer *puad_stream_scorer(puad_stream *stream);

/* Return the original cell of a row of the block and a column of a CSV file, not terminated by NUL; and the
 * name of the column. NULL past the end, for other inputs and without the option "keep_cells". */
PUAD_API const char *puad_stream_cell(const puad_stream *stream, size_t row, size_t column,
                                      size_t *out_length);
PUAD_API const char *puad_stream_cell_name(const puad_stream *stream, size_t column);

/* Returns a note about the rows so far: missing columns, unseen categories, cells that are not numbers; NULL
 * past the end. */
PUAD_API const char *puad_stream_note(puad_stream *stream, size_t index);

#ifdef __cplusplus
}
#endif
#endif
