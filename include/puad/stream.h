/* Scoring an input of any length, block by block, in constant memory.
 *
 *     puad_stream *stream = NULL;
 *     puad_stream_open(&stream, model, "new.csv", NULL);
 *     puad_block block = {.struct_size = sizeof block};
 *     while (puad_stream_next(stream) == PUAD_OK && puad_stream_block(stream, &block) == PUAD_OK && block.rows)
 *         for (size_t i = 0; i < block.rows; i++)
 *             printf("%zu,%g\n", block.first_row + i, block.scores[i]);
 *     puad_stream_free(stream);
 *
 * Ownership: the model must outlive the stream; what the calls return is valid until the next
 * puad_stream_next. Threads: a stream belongs to one thread. Texts are UTF-8. */
#ifndef PUAD_STREAM_H
#define PUAD_STREAM_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_stream puad_stream;

/* Opens an input (see puad_dataset_open) to be scored by the model. The options of the group INPUT tell what
 * is known about it; labels are read where they name them. */
PUAD_API puad_status puad_stream_open(puad_stream **out, const puad_detector *model, const char *path,
                                      const puad_options *options);
PUAD_API void puad_stream_free(puad_stream *stream); /* NULL is fine */

/* Reads and scores the next rows. After the last row the block is empty, and the rows have been compared with
 * those of the training: the callback of puad_options_set_warning gets the differences. Errors name the row
 * of the file. */
PUAD_API puad_status puad_stream_next(puad_stream *stream);

/* The rows read last. */
typedef struct puad_block {
    size_t struct_size;
    size_t first_row, rows; /* rows is 0 at the end of the input */
    size_t capacity;        /* the largest number of rows of any block */
    size_t columns;         /* values of a row */
    const float *scores;
    const float *values;  /* rows x columns; NULL of a time series */
    const int8_t *labels; /* or NULL */
    const char *id_name;  /* of the id column; or NULL */
} puad_block;
PUAD_API puad_status puad_stream_block(const puad_stream *stream, puad_block *out);

/* Returns the id of a row of the block; NULL without an id column. */
PUAD_API const char *puad_stream_id(const puad_stream *stream, size_t row);

/* What the model takes for a row of the block, `columns` values: the encoded row, or of a series the window
 * around it (puad_scorer_take). */
PUAD_API puad_status puad_stream_take(puad_stream *stream, float *out, size_t columns, size_t row);

/* Returns the scorer of the stream, to explain rows. */
PUAD_API puad_scorer *puad_stream_scorer(puad_stream *stream);

/* With the option "keep_cells": the texts of a CSV file's cells, as they stand there, by row of the block and
 * column of the file; not ended by NUL. And the names of these columns, NULL behind the last; none for other
 * inputs. */
PUAD_API const char *puad_stream_cell(const puad_stream *stream, size_t row, size_t column,
                                      size_t *out_length);
PUAD_API const char *puad_stream_cell_name(const puad_stream *stream, size_t column);

/* Returns a note about the rows so far: missing columns, unseen categories, cells that are not numbers. */
PUAD_API const char *puad_stream_note(puad_stream *stream, size_t index); /* NULL past the end */

#ifdef __cplusplus
}
#endif
#endif
