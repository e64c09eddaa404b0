/* Rows on their way to the output of `puad score`: those that wait for the last row in a temporary file, so
 * that memory does not grow with the input, and those of --top. */
#ifndef CLI_SCORE_SCORE_SPOOL_H
#define CLI_SCORE_SCORE_SPOOL_H

#include "base/memory.h"

#include <stdio.h>

/* Texts and values are borrowed. */
typedef struct scored_row {
    float score;
    size_t row;
    const char *id, *kept; /* or NULL; kept: its cells as they will be written */
    const float *values;   /* to explain its score, or NULL */
    bool known;            /* lies where labeled anomalies lie */
} scored_row;

typedef struct row_spool {
    FILE *file;
    char *texts; /* of the row read last */
    size_t room;
} row_spool;

/* Keeps rows, and gives them back in order; *out_more is false at the end. */
puad_status row_spool_open(row_spool *out);
puad_status row_spool_keep(row_spool *to, const scored_row *row, size_t columns);
puad_status row_spool_rewind(row_spool *from);
puad_status row_spool_take(bool *out_more, scored_row *out, row_spool *from);
void row_spool_close(row_spool *owner); /* {0} is fine */

/* The rows with the largest scores, which own their texts and values; the heap has the smallest score on top,
 * of equals the later row. */
typedef struct top_rows {
    scored_row *heap;
    size_t count, most; /* 0: all rows are printed */
} top_rows;

bool top_rows_want(const top_rows *top, const scored_row *row);
puad_status top_rows_keep(top_rows *top, const scored_row *row, size_t columns);
void top_rows_sort(top_rows *top); /* largest first; no more can be kept */
void top_rows_free(top_rows *owner);

#endif
