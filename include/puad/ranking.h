/* Rows of one or several datasets, ordered by score, largest first.
 *
 *     puad_ranking_new(&ranking);
 *     puad_ranking_add(ranking, scores, NULL, rows);              once for each dataset
 *     puad_ranked_row top = {.struct_size = sizeof top};
 *     for (k = 0; k < 20 && puad_ranking_at(ranking, &top, k) == PUAD_OK; k++)
 *         printf("%zu %g\n", top.row, top.score);
 *
 * Rows with equal scores keep their order. Ranks count from 0.
 *
 * Ownership: scores are copied. Threads: a ranking changes only in puad_ranking_add. */
#ifndef PUAD_RANKING_H
#define PUAD_RANKING_H

#include <puad/puad.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_ranking puad_ranking;

/* Creates an empty ranking.
 * Errors: PUAD_MEMORY. */
PUAD_API puad_status puad_ranking_new(puad_ranking **out);

PUAD_API void puad_ranking_free(puad_ranking *ranking);

/* Adds the rows of one more dataset. Rows labeled PUAD_LABEL_ANOMALY are left out; `labels` may be NULL.
 * Errors: PUAD_NUMERIC if a score is NaN; PUAD_MEMORY. */
PUAD_API puad_status puad_ranking_add(puad_ranking *ranking, const float *scores, const int8_t *labels,
                                      size_t count);

/* Returns the number of ranked rows. */
PUAD_API size_t puad_ranking_count(const puad_ranking *ranking);

typedef struct puad_ranked_row {
    size_t struct_size;
    size_t part, row; /* index of the dataset, in the order of adding; row in it */
    float score;
} puad_ranked_row;

/* Fills *out with the row at a rank. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_ranking_at(const puad_ranking *ranking, puad_ranked_row *out, size_t rank);

/* Returns the number of rows that score at least `threshold`. */
PUAD_API size_t puad_ranking_above(const puad_ranking *ranking, double threshold);

/* Writes distinct, log-spaced row counts between 1 and half of all rows, at most `most`, and returns how
 * many. */
PUAD_API size_t puad_ranking_steps(size_t *out_rows, size_t most, const puad_ranking *ranking);

/* Counts the rows in `bins` equal intervals of the score. The range *out_from to *out_to covers all scores
 * and `marks`, which may be NULL.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_ranking_bins(size_t *out_counts, size_t bins, double *out_from, double *out_to,
                                       const puad_ranking *ranking, const float *marks, size_t mark_count);

#ifdef __cplusplus
}
#endif
#endif
