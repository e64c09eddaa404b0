/* Which values of a row its score is made of, and which would be usual.
 *
 * Ownership: the caller owns what it hands in; names are borrowed from the scorer. Threads: as the scorer. */
#ifndef PUAD_EXPLAIN_H
#define PUAD_EXPLAIN_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Shares that sum to 1, one for each of the `columns` values that the model takes for a row
 * (puad_scorer_take, puad_stream_take; of a series the window around it): the reconstruction head's part of
 * the squared error, the size of gradient x input for other networks, and without a network how far the score
 * moves when the value becomes a typical one, or a typical row takes over the value. All 0 where no value
 * says more than another. */
PUAD_API puad_status puad_scorer_explain(puad_scorer *scorer, float *shares, const float *row,
                                         size_t columns);

/* The same by columns of the file, dropped ones included: shares[count] with count
 * puad_detector_column_count. PUAD_INVALID for images. */
PUAD_API puad_status puad_scorer_explain_columns(puad_scorer *scorer, float *shares, size_t count,
                                                 const float *row, size_t columns);

/* What an encoded row has in a column of the file, as text[room]: "9120", "9120 or more" where
 * the encoding takes larger numbers for this one, "home", "(other)" for a text that is rare or
 * was not seen in training, "(missing)"; "" for a dropped column. Of a window the mean. */
PUAD_API puad_status puad_detector_cell(char *text, size_t room, const puad_detector *model, size_t column,
                                        const float *row, size_t columns);

/* What is usual in a column among the unlabeled training rows: "80 (12 to 340)", the median and where 90% of
 * them lie, or the most frequent texts, "home 62%, office 30%"; "" where the model does not know. */
PUAD_API puad_status puad_detector_usual(char *text, size_t room, const puad_detector *model, size_t column);
typedef enum puad_usual { PUAD_USUAL_LOW, PUAD_USUAL_MEDIAN, PUAD_USUAL_HIGH } puad_usual;
PUAD_API double puad_detector_usual_number(const puad_detector *model, size_t column,
                                           puad_usual which); /* NaN where it is no number */

/* The shares in words: "amount=9120 (usual 12 to 340) 0.520; country=abroad (usual home 62%, office 30%)
 * 0.210", at most `most` columns with the largest shares, as far as they fit into text[room]; of images
 * pixels, "x3 y4 0.052"; of a window what about a column it is, "heat level=67.1 (usual 71.5 to 99.8) 0.52;
 * noise amplitude=0.3 0.2; flow shape, most at step 12 of 32 0.11". */
PUAD_API puad_status puad_scorer_because(puad_scorer *scorer, char *text, size_t room, size_t most,
                                         const float *row, size_t columns);

/* What an encoded column is called: "country=home", "x3 y4" for a pixel, "heat step 3" or "heat level" in a
 * window; into text[room]. */
PUAD_API puad_status puad_scorer_column_name(puad_scorer *scorer, char *text, size_t room, size_t column);

#ifdef __cplusplus
}
#endif
#endif
