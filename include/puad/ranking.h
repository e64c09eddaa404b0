/* Rows of one or several datasets in the order of their scores, the largest first.
 *
 *     puad_ranking_new(&ranking);
 *     puad_ranking_add(ranking, scores, NULL, rows);              of each dataset in turn
 *     puad_ranked_row top = {.struct_size = sizeof top};
 *     for (k = 0; k < 20 && puad_ranking_at(ranking, &top, k) == PUAD_OK; k++)
 *         printf("%zu %g\n", top.row, top.score);
 *
 * Rows of the same score keep their order: that of the datasets, then that of the rows. A rank counts from 0.
 *
 * Ownership: the caller frees *out; scores are copied. Threads: a ranking to which nothing is added does not
 * change, and any number of threads may read it. */
#ifndef PUAD_RANKING_H
#define PUAD_RANKING_H

#include <puad/puad.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_ranking puad_ranking;

PUAD_API puad_status puad_ranking_new(puad_ranking **out);
PUAD_API void puad_ranking_free(puad_ranking *ranking); /* NULL is fine */

/* Adds the rows of one more dataset. Rows whose label is PUAD_LABEL_ANOMALY, which are known already, are
 * left out; `labels` may be NULL. PUAD_NUMERIC for a score that is no number. */
PUAD_API puad_status puad_ranking_add(puad_ranking *ranking, const float *scores, const int8_t *labels,
                                      size_t count);

PUAD_API size_t puad_ranking_count(const puad_ranking *ranking);

typedef struct puad_ranked_row {
    size_t struct_size;
    size_t part, row; /* the dataset in the order of adding, and the row in it */
    float score;
} puad_ranked_row;

/* Fills *out with the row at a rank. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_ranking_at(const puad_ranking *ranking, puad_ranked_row *out, size_t rank);

/* How many rows score at least `threshold`. */
PUAD_API size_t puad_ranking_above(const puad_ranking *ranking, double threshold);

/* Numbers of rows from 1 to half of all, evenly on a scale of ratios, as many as out_rows[most] has room for
 * and differ; returns how many. */
PUAD_API size_t puad_ranking_steps(size_t *out_rows, size_t most, const puad_ranking *ranking);

/* How many rows score in each of `bins` equal intervals from *out_from to *out_to, which reach over all
 * scores and over `marks` (may be NULL). */
PUAD_API puad_status puad_ranking_bins(size_t *out_counts, size_t bins, double *out_from, double *out_to,
                                       const puad_ranking *ranking, const float *marks, size_t mark_count);

#ifdef __cplusplus
}
#endif
#endif
