/* Scores of the rows of a time series from the scores of windows, as the rows arrive: the same result for
 * all rows at once and row by row, in constant memory.
 *
 * A window ends at every stride rows of a segment. A row's score is the mean over the windows that contain
 * it, plus a score of the row itself, and is known when the last of them is complete: within one window. Rows after the last window of a
 * segment, fewer than a stride, get the score of a window that ends with the segment. A segment shorter
 * than a window is mirrored at its ends to fill one, and gets its score. */
#ifndef SERIES_ROW_SCORES_H
#define SERIES_ROW_SCORES_H

#include "series/window.h"

/* Scores `count` encoded windows. */
typedef puad_status window_score(void *context, float *scores, const float *windows, size_t count);
/* What a row adds to the mean over its windows; `before` is the previous row of the segment, or the row. */
typedef float row_score(void *context, const float *row, const float *before);

typedef struct row_scores row_scores;
puad_status row_scores_new(row_scores **out, const window_plan *plan, window_score *score, row_score *own,
                           void *context);
void row_scores_free(row_scores *owner); /* NULL is fine */

/* Adds the next row; `begins`: it starts a new segment. */
puad_status row_scores_push(row_scores *into, const float *row, bool begins);
/* Scores the complete windows, so that as many rows as possible are ready. */
puad_status row_scores_flush(row_scores *scores);
/* No more rows follow: all become ready. */
puad_status row_scores_end(row_scores *scores);

/* The number of rows whose scores are known, and taking the first of them. */
size_t row_scores_ready(const row_scores *scores);
size_t row_scores_take(row_scores *source, float *scores, size_t max);

#endif
