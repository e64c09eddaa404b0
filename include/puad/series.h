/* Time series: times, windows and intervals of flagged rows.
 *
 *     puad_dataset_open(&data, "new.csv", model, NULL);
 *     puad_scorer_run(scorer, scores, rows, data);
 *     puad_intervals_find(&found, &count, data, scores, threshold, 16);
 *     for (size_t i = 0; i < count; i++) printf("%zu to %zu\n", found[i].first, found[i].last);
 *
 * puad_dataset_info returns the times of rows and where segments begin. */
#ifndef PUAD_SERIES_H
#define PUAD_SERIES_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a time as a string: "2024-01-31 10:00:00", or the number.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_detector_time_text(const puad_detector *model, char *text, size_t capacity,
                                             double time);

/* Writes the numbers of a column of the file in `count` rows from `first` on, as puad_dataset_numbers does.
 * data: encoded for the model.
 * Errors: PUAD_INVALID if the column is not a number. */
PUAD_API puad_status puad_detector_numbers(const puad_detector *model, size_t column, double *out,
                                           size_t first, size_t count, const puad_dataset *data);

/* Writes the `columns` values that the model takes for a row: the encoded row, or the window of a time series
 * around it. puad/explain.h and puad_decider_known take these values.
 * columns: of puad_detector_info.
 * data: encoded for the model.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_scorer_take(puad_scorer *scorer, float *out, size_t columns,
                                      const puad_dataset *data, size_t row);

/* Writes the first and the last row of the window around a row.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_detector_window(const puad_detector *model, const puad_dataset *data, size_t row,
                                          size_t *out_first, size_t *out_last);

typedef struct puad_interval {
    size_t first, last; /* first and last flagged row */
    size_t flagged;     /* rows that score at least the threshold */
    size_t peak;        /* the row with the largest score; its score */
    float score;
} puad_interval;

/* Joins rows that score at least `threshold` into intervals: two of them belong to one interval if they are
 * in the same segment with fewer than `join` other rows between them. Intervals are in row order.
 * scores: of all rows of `data`.
 * Errors: PUAD_INVALID, PUAD_MEMORY.
 * Ownership: *out is freed by puad_intervals_free. */
PUAD_API puad_status puad_intervals_find(puad_interval **out, size_t *out_count, const puad_dataset *data,
                                         const float *scores, double threshold, size_t join);

PUAD_API void puad_intervals_free(puad_interval *intervals);

#ifdef __cplusplus
}
#endif
#endif
