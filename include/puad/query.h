/* Which rows to ask a person about next, and what was answered.
 *
 *     puad_options_set(options, "reread", "yes");        rows are compared with the answers
 *     puad_dataset_open(&data, "train.csv", model, options);
 *     puad_dataset_add_answers(data, "answers.csv");     earlier rounds
 *     puad_query_choose(chosen, &count, 20, model, data, options);
 *
 * Ownership: the caller frees *out; texts are borrowed from it. Threads: adding answers changes the dataset.
 * Texts are UTF-8. */
#ifndef PUAD_QUERY_H
#define PUAD_QUERY_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads answers from a CSV file with the columns "row" (from 0) and "label" (1 an anomaly, -1 normal, nothing
 * where unknown), as `puad query` writes it and a person fills it in. Fails where a row is not one of
 * the dataset's, where its id or its cells are others (as far as both files have them), or where it is
 * answered in two ways. */
PUAD_API puad_status puad_dataset_add_answers(puad_dataset *data, const char *path);

/* The same from memory: labels[i] of row rows[i], a puad_label; unlabeled where unknown. */
PUAD_API puad_status puad_dataset_add_answer_list(puad_dataset *data, const size_t *rows,
                                                  const int8_t *labels, size_t count);

/* Rows whose label is known, from the input or from answers. */
PUAD_API size_t puad_dataset_answered(const puad_dataset *data);

/* At most `count` rows into chosen[count], by the option "goal": "find" or "learn".
 * `data` is encoded for the model (puad_dataset_open with the model) with labels where there are
 * any; rows with a label or an answer, rows the model held out, and rows it was trained with answers for are
 * not asked about. Of a series windows that share no row are chosen, each by the row in its middle
 * (puad_detector_window has its rows). Takes "goal", "seed" and "threads". What is not found again goes to the note
 * callback. */
PUAD_API puad_status puad_query_choose(size_t *chosen, size_t *out_count, size_t count,
                                       const puad_detector *model, puad_dataset *data,
                                       const puad_options *options);

/* Some rows of a CSV file as they stand there, without labels and ids. No columns where the input is no CSV
 * or cannot be read again. */
typedef struct puad_cells puad_cells;
PUAD_API puad_status puad_cells_read(puad_cells **out, const puad_dataset *data, const size_t *rows,
                                     size_t count);
PUAD_API size_t puad_cells_columns(const puad_cells *cells);
PUAD_API const char *puad_cells_name(const puad_cells *cells, size_t column);
PUAD_API const char *puad_cells_text(const puad_cells *cells, size_t row, size_t column); /* or NULL */
PUAD_API void puad_cells_free(puad_cells *cells);                                         /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
