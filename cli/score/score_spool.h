/* Rows waiting for output by `puad score`: in a temporary file, so that memory does not grow with the
 * input; and those of --top in memory. */
#ifndef CLI_SCORE_SCORE_SPOOL_H
#define CLI_SCORE_SCORE_SPOOL_H

#include "base/memory.h"

#include <stdio.h>

/* Strings and values are borrowed. */
typedef struct scored_row {
    float score;
    size_t row;
    const char *id, *kept; /* or NULL; kept: its cells formatted for output */
    const float *values;   /* for explaining its score, or NULL */
    bool known;            /* similar to labeled anomalies */
} scored_row;

typedef struct row_spool {
    FILE *file;
    char *texts; /* of the last row read */
    size_t capacity;
} row_spool;

/* Stores rows, and returns them in order; *out_more is false at the end. */
puad_status row_spool_open(row_spool *out);
puad_status row_spool_keep(row_spool *to, const scored_row *row, size_t columns);
puad_status row_spool_rewind(row_spool *spool);
puad_status row_spool_take(bool *out_more, scored_row *out, row_spool *spool);
void row_spool_close(row_spool *owner); /* {0} is fine */

/* The rows with the largest scores, which own their strings and values; the heap's root has the smallest
 * score, among equal ones the later row. */
typedef struct top_rows {
    scored_row *heap;
    size_t count, max; /* 0: print all rows */
} top_rows;

bool top_rows_want(const top_rows *top, const scored_row *row);
puad_status top_rows_keep(top_rows *top, const scored_row *row, size_t columns);
void top_rows_sort(top_rows *top); /* largest first; no rows may be added afterwards */
void top_rows_free(top_rows *owner);

#endif
