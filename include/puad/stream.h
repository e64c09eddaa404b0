/* Scoring an input of any length, block by block, in constant memory.
 *
 *     puad_stream *stream = NULL;
 *     puad_stream_open(&stream, model, "new.csv", NULL);
 *     while (puad_stream_next(stream) == PUAD_OK && puad_stream_rows(stream) > 0)
 *         for (size_t i = 0; i < puad_stream_rows(stream); i++)
 *             printf("%zu,%g\n", puad_stream_first_row(stream) + i, (double)puad_stream_scores(stream)[i]);
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

/* The next rows and their scores; puad_stream_rows is 0 behind the last. There the rows have been compared
 * with those of the training, and the callback of puad_options_set_warning is told where they differ. Errors
 * name the row of the file. */
PUAD_API puad_status puad_stream_next(puad_stream *stream);
PUAD_API size_t puad_stream_rows(const puad_stream *stream);
PUAD_API size_t puad_stream_rows_most(const puad_stream *stream); /* of any block */
PUAD_API size_t puad_stream_first_row(const puad_stream *stream);
PUAD_API const float *puad_stream_scores(const puad_stream *stream);
PUAD_API const int8_t *puad_stream_labels(const puad_stream *stream);       /* or NULL */
PUAD_API const char *puad_stream_id(const puad_stream *stream, size_t row); /* of the block; or NULL */
PUAD_API const char *puad_stream_id_name(const puad_stream *stream);

/* What the model takes for a row of the block, `columns` values: the encoded row, or of a series the window
 * around it (puad_scorer_take). */
PUAD_API puad_status puad_stream_take(puad_stream *stream, float *out, size_t columns, size_t row);

/* The rows of the block as the model takes them, rows x columns, NULL of a series; and the scorer, to explain
 * them. */
PUAD_API const float *puad_stream_values(const puad_stream *stream);
PUAD_API size_t puad_stream_columns(const puad_stream *stream);
PUAD_API puad_scorer *puad_stream_scorer(puad_stream *stream);

/* With the option "keep_cells": the texts of a CSV file's cells, as they stand there, by row of the block and
 * column of the file; not ended by NUL. And the names of these columns, NULL behind the last; none for other
 * inputs. */
PUAD_API const char *puad_stream_cell(const puad_stream *stream, size_t row, size_t column,
                                      size_t *out_length);
PUAD_API const char *puad_stream_cell_name(const puad_stream *stream, size_t column);

/* What was odd about the rows so far: missing columns, unseen categories, cells that are no numbers. Complete
 * behind the last row. */
PUAD_API size_t puad_stream_note_count(puad_stream *stream);
PUAD_API const char *puad_stream_note(puad_stream *stream, size_t index);

#ifdef __cplusplus
}
#endif
#endif
