/* Chooses rows for review.
 *
 * To find anomalies: nine in ten rows are those with the highest scores. The others are chosen one at a
 * time among the next ranks, down to three times the number of rows: always the row that is farthest from
 * the nearest reviewed or chosen one, so that kinds of anomaly without labels are seen. To learn: half of
 * the rows are around the rank at which anomalies are expected to end, where the model is least certain,
 * and half are random. */
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

typedef enum query_goal { QUERY_FIND, QUERY_LEARN } query_goal;

typedef struct query_rows {
    const float *embeddings; /* rows x columns, finite: the embedding of each row */
    size_t rows, columns;
    const float *scores;  /* one per row, larger = more anomalous */
    double share;         /* approximate fraction of anomalies among the rows */
    const uint8_t *asked; /* QUERY_... per row; NULL: none was reviewed */
    query_goal goal;
} query_rows;

/* Writes the indices of `count` different rows to `chosen`; fewer if fewer candidates are left. */
puad_status query_choose(size_t *chosen, size_t *out_count, const query_rows *rows, size_t count,
                         uint64_t seed, team *workers);

#endif
