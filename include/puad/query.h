/* Queries: which rows a reviewer should label next, and the labels that come back.
 *
 *     puad_options_set(options, "reread", "yes");        keeps the rows, to compare them with the answers
 *     puad_options_add(options, "answers", "answers.csv");     earlier rounds
 *     puad_dataset_open(&data, "train.csv", model, options);
 *     puad_query_choose(model, chosen, 20, &count, data, options);
 *
 * Threads: adding answers changes the dataset. */
#ifndef PUAD_QUERY_H
#define PUAD_QUERY_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds answers: labels[i] is the puad_label of row rows[i], PUAD_LABEL_UNLABELED if unknown. Files of
 * answers that `puad query` wrote are read by puad_dataset_open (option "answers").
 * Errors: PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_dataset_add_answers(puad_dataset *data, const size_t *rows, const int8_t *labels,
                                              size_t count);

/* Writes at most `count` rows to ask about. Rows that have a label or an answer, that the model held out, or
 * that it was trained on with an answer are not chosen. In a time series the chosen windows share no row;
 * each is represented by the row in its middle (puad_detector_window).
 * data: opened with `model`, with labels if there are any.
 * options: "goal" ("find" or "learn"), "seed", "threads". The note callback reports answers that were not
 * found again.
 * Errors: PUAD_INVALID, PUAD_CANCELLED, PUAD_MEMORY. */
PUAD_API puad_status puad_query_choose(const puad_detector *model, size_t *chosen, size_t count,
                                       size_t *out_count, puad_dataset *data, const puad_options *options);

/* The original cells of some rows of a CSV file, without the label and id columns. It has no columns if the
 * input is not a CSV file or cannot be read again. */
typedef struct puad_cells puad_cells;

/* Reads the cells of `count` rows.
 * Errors: PUAD_IO, PUAD_FORMAT, PUAD_MEMORY. */
PUAD_API puad_status puad_cells_read(puad_cells **out, const puad_dataset *data, const size_t *rows,
                                     size_t count);

/* Returns the number of columns. */
PUAD_API size_t puad_cells_columns(const puad_cells *cells);

/* Return the name of a column, and a cell; `row` counts the rows that were asked for. NULL past the end. */
PUAD_API const char *puad_cells_name(const puad_cells *cells, size_t column);
PUAD_API const char *puad_cells_text(const puad_cells *cells, size_t row, size_t column);

PUAD_API void puad_cells_free(puad_cells *cells);

#ifdef __cplusplus
}
#endif
#endif
