/* Chooses rows for review.
 *
 * To find anomalies: nineteen in twenty rows are those with the highest scores. The others are drawn one
 * at a time with probability proportional to the squared distance to the nearest reviewed row, times a
 * weight of the score (diverse queries, after SOEL, Li et al. 2023), to discover kinds of anomaly without
 * labels. To learn: half of the rows are around the rank at which anomalies are expected to end, where the
 * model is least certain, and half are random. */
#ifndef DECIDE_QUERY_H
#define DECIDE_QUERY_H

#include "base/memory.h"
#include "base/threads.h"
#include "input/answer_file.h"

/* The values of input/answer_file.h, for candidate rows. */
enum {
    QUERY_FREE = ANSWER_NONE,
    QUERY_ASKED = ANSWER_GIVEN, /* the label is already known */
    QUERY_BARRED = ANSWER_OPEN, /* excluded from review; its label is unknown */
};

typedef enum query_goal { QUERY_FIND, QUERY_LEARN, QUERY_DIVERSE } query_goal;

typedef struct query_rows {
    const float *embeddings; /* rows x columns, finite: the embedding of each row */
    size_t rows, columns;
    const float *scores; /* one per row, larger = more anomalous; NULL: equal weights */
    /* approximate fraction of anomalies among the rows: the weight of a score decreases below twice that
     * rank */
    double share;
    const uint8_t *asked; /* QUERY_... per row; NULL: none was reviewed */
    query_goal goal;      /* QUERY_DIVERSE: all rows are drawn by distance */
} query_rows;

/* Writes the indices of `count` different rows to `chosen` in the order drawn; fewer if fewer candidates
 * are left. If nothing has been reviewed yet, the first one is the row with the highest score. Without
 * scores all are drawn by distance. */
puad_status query_choose(size_t *chosen, size_t *out_count, const query_rows *rows, size_t count,
                         uint64_t seed, team *workers);

#endif
