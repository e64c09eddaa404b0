/* Which values of a row its score is made of.
 *
 * Ownership: the caller owns what it hands in; names are borrowed from the scorer. Threads: as the scorer. */
#ifndef PUAD_EXPLAIN_H
#define PUAD_EXPLAIN_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the detector can tell; one without a network cannot. */
PUAD_API int puad_scorer_can_explain(const puad_scorer *scorer);

/* Shares that sum to 1, one for each of the `columns` values of an encoded row (puad_dataset_values,
 * puad_stream_values): the reconstruction head's part of the squared error, or the size of gradient x input
 * for the others. */
PUAD_API puad_status puad_scorer_explain(puad_scorer *scorer, float *shares, const float *row,
                                         size_t columns);

/* The same in words: "amount 0.52; hour 0.21", at most `most` columns (of images: pixels) with the largest
 * shares, as far as they fit into text[room]. */
PUAD_API puad_status puad_scorer_because(puad_scorer *scorer, char *text, size_t room, size_t most,
                                         const float *row, size_t columns);

/* What an encoded column is called: "country=home", or "x3 y4" for a pixel; into text[room]. */
PUAD_API puad_status puad_scorer_column_name(puad_scorer *scorer, char *text, size_t room, size_t column);

#ifdef __cplusplus
}
#endif
#endif
