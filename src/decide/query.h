/* Which rows to ask a person about next.
 *
 * To find anomalies: nineteen in twenty rows are those with the highest scores. The others are drawn one after another
 * with probability proportional to the squared distance to the nearest row asked about, times a weight of the
 * score (diverse queries, after SOEL, Li et al. 2023), so that kinds of anomaly that no label shows are seen.
 * To learn: half of the rows lie around the rank at which anomalies are expected to end, where the model is
 * least certain, and half are random. */
#ifndef DECIDE_QUERY_H
#define DECIDE_QUERY_H

#include "base/memory.h"
#include "base/threads.h"
#include "input/answer_file.h"

/* The values of input/answer_file.h, for rows that a query draws from. */
enum {
    QUERY_FREE = ANSWER_NONE,
    QUERY_ASKED = ANSWER_GIVEN, /* the label is known already */
    QUERY_BARRED = ANSWER_OPEN, /* not to be asked about, and nothing is known about it */
};

typedef enum query_goal { QUERY_FIND, QUERY_LEARN, QUERY_DIVERSE } query_goal;

typedef struct query_rows {
    const float *embeddings; /* rows x columns, finite: where the detector sees each row */
    size_t rows, columns;
    const float *scores; /* rows, larger = more anomalous; NULL: all rows weigh the same */
    double share; /* of anomalies among the rows, about: the weight of a score falls off behind twice that */
    const uint8_t *asked; /* rows of QUERY_...; NULL: none was asked about */
    query_goal goal;      /* QUERY_DIVERSE: all rows are drawn by distance */
} query_rows;

/* The numbers of `count` different rows, in the order drawn, into `chosen`; fewer when fewer are left to ask.
 * The first one, where nothing has been asked yet, is the row with the highest score. Without scores all are
 * drawn by distance. */
puad_status query_choose(size_t *chosen, size_t *out_count, const query_rows *from, size_t count,
                         uint64_t seed, team *workers);

#endif
