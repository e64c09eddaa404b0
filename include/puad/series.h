/* Time series: the times of rows, where stretches begin, what a model sees of a row, and flagged intervals.
 *
 *     puad_dataset_open(&data, "new.csv", model, NULL);
 *     puad_scorer_run(scorer, scores, rows, data);
 *     puad_intervals_find(&found, &count, data, scores, threshold, 16);
 *     for (size_t i = 0; i < count; i++) printf("%zu to %zu\n", found[i].first, found[i].last);
 *
 * Ownership: the caller frees *out; what is returned by pointer is borrowed from the dataset or the model.
 * Threads: as the dataset and the model. Texts are UTF-8. */
#ifndef PUAD_SERIES_H
#define PUAD_SERIES_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A time as text[room]: "2024-01-31 10:00:00", or the number. */
PUAD_API puad_status puad_detector_time_text(char *text, size_t room, const puad_detector *model,
                                             double time);

/* The numbers of a column of the file in rows first ... first + count - 1 of a dataset that was encoded for
 * the model: as far as the encoding keeps them, NaN where missing. PUAD_INVALID for a column that is no
 * number. */
PUAD_API puad_status puad_detector_numbers(const puad_detector *model, size_t column, double *out,
                                           size_t first, size_t count, const puad_dataset *data);

/* What the model takes for a row of a dataset that was encoded for it, `columns` (its fact "columns") values:
 * the row itself, or of a series the window around it. It can be explained (puad/explain.h), and told known
 * from new kinds (puad/decision.h). */
PUAD_API puad_status puad_scorer_take(puad_scorer *scorer, float *out, size_t columns,
                                      const puad_dataset *data, size_t row);

/* The rows *out_first to *out_last that the window around a row has. */
PUAD_API puad_status puad_detector_window(const puad_detector *model, const puad_dataset *data, size_t row,
                                          size_t *out_first, size_t *out_last);

typedef struct puad_interval {
    size_t first, last; /* rows, both of which are flagged */
    size_t flagged;     /* rows that score at least the threshold */
    size_t peak;        /* the row with the largest score, and that score */
    float score;
} puad_interval;

/* Rows that score at least `threshold`, put together: those of one stretch with fewer than `join` others
 * between them are one interval. In the order of the rows; *out is freed by puad_intervals_free. `scores` are
 * those of all rows of `data`. */
PUAD_API puad_status puad_intervals_find(puad_interval **out, size_t *out_count, const puad_dataset *data,
                                         const float *scores, double threshold, size_t join);
PUAD_API void puad_intervals_free(puad_interval *intervals); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
