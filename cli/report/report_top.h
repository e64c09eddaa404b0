/* The rows with the largest scores of a stream, and the distribution of all scores, in constant memory. */
#ifndef CLI_REPORT_REPORT_TOP_H
#define CLI_REPORT_REPORT_TOP_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct report_row {
    float score;
    size_t input, row;
    bool known;    /* similar to labeled anomalies */
    char *id;      /* or NULL; owned */
    float *values; /* the model's input, or NULL; owned */
    char **cells;  /* of the file, or NULL; one owned block */
} report_row;

void report_row_free(report_row *owner); /* frees the fields that it owns */

typedef struct report_top report_top;
puad_status report_top_new(report_top **out, size_t capacity);
void report_top_free(report_top *owner); /* NULL is fine */

/* Whether a row with this score would be kept now. */
bool report_top_takes(const report_top *top, const report_row *row);
/* Adds a row and takes ownership of its fields. *out receives the row that is dropped, which may be the
 * row itself; false if none is. */
bool report_top_add(report_row *out, report_top *to, report_row row);
/* After the last row: sorts by descending score, then by input and row. */
void report_top_sort(report_top *top);
size_t report_top_count(const report_top *top);
const report_row *report_top_at(const report_top *top, size_t rank);

/* Counts of scores by their 18 leading bits: intervals of at most 1/256 of the score. */
typedef struct score_sketch {
    uint64_t *counts; /* NULL if empty */
    size_t total;
    float min, max;
} score_sketch;

puad_status score_sketch_add(score_sketch *to, const float *scores, size_t count);
puad_status score_sketch_merge(score_sketch *to, const score_sketch *sketch);
void score_sketch_free(score_sketch *owner);
/* approximately the rank-th largest score, from 0 */
double score_sketch_at(const score_sketch *sketch, size_t rank);
/* approximate number of scores that reach it */
size_t score_sketch_above(const score_sketch *sketch, double threshold);
/* Counts by equal intervals from `start` to `to`; outliers are counted in the first and the last. */
void score_sketch_bins(double *out, size_t bins, double start, double to, const score_sketch *sketch);

#endif
