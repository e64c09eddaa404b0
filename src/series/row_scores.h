/* Scores of the rows of a time series, from those of the windows over them, as the rows come: the same in one
 * go and row by row, in constant memory.
 *
 * A window ends at every stride rows of a stretch. A row's score is the mean of the windows that hold it, and
 * is known when the last of them is full: within one window. Rows behind the last window of a stretch, fewer
 * than a stride, have the score of the window that ends with the stretch; a stretch shorter than a window has
 * one score, of the window it fills when it is mirrored at its ends. */
#ifndef SERIES_ROW_SCORES_H
#define SERIES_ROW_SCORES_H

#include "series/window.h"

/* Scores `count` encoded windows. */
typedef puad_status window_score(void *context, float *scores, const float *windows, size_t count);

typedef struct row_scores row_scores;
puad_status row_scores_new(row_scores **out, const window_plan *plan, window_score *score, void *context);
void row_scores_free(row_scores *owner); /* NULL is fine */

/* The next row; `begins`: a new stretch begins with it. */
puad_status row_scores_push(row_scores *into, const float *row, bool begins);
/* Scores the windows that are full, so that all rows are ready that can be. */
puad_status row_scores_flush(row_scores *by);
/* No more rows: all become ready. */
puad_status row_scores_end(row_scores *by);

/* Rows whose scores are known, and taking the first of them. */
size_t row_scores_ready(const row_scores *by);
size_t row_scores_take(row_scores *from, float *scores, size_t most);

#endif
