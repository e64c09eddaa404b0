/* The destination of scores: CSV or JSON lines, on standard output or in a file that appears completely or
 * not at all. */
#ifndef CLI_SCORE_SCORE_SINK_H
#define CLI_SCORE_SCORE_SINK_H

#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>

typedef struct score_sink {
    FILE *to;
    file_output file;
    char delimiter; /* for CSV and TSV */
    bool json, terminal;
    bool whole;  /* JSON: one object with all rows instead of one per line */
    bool any;    /* at least one row has been written */
    bool header; /* write names instead of values */
    bool begun;  /* a field of the row has been written */
    int reason;  /* errno of the first failed write; 0: none */
} score_sink;

/* NULL is standard output; the format is csv, tsv, jsonl or json. */
puad_status score_sink_open(score_sink *out, const char *path, const char *format);

/* The fields of a row, in order. In CSV the first row has only names: `header` is true while it is
 * written. */
void score_sink_number(score_sink *to, const char *name, int digits, double value);
void score_sink_whole(score_sink *to, const char *name, size_t value);
void score_sink_text(score_sink *to, const char *name, const char *text); /* NULL: empty */
void score_sink_raw(score_sink *to, const char *fields);                  /* the result of score_sink_field */
void score_sink_end(score_sink *to);

/* Appends one field, formatted for output, to a growing string. */
typedef struct field_text {
    char *text;
    size_t used, capacity;
} field_text;
puad_status score_sink_field(field_text *out, const score_sink *to, const char *name, const char *text,
                             size_t length);

puad_status score_sink_flush(score_sink *to);  /* fails if a row could not be written */
puad_status score_sink_finish(score_sink *to); /* call after the last row */
void score_sink_close(score_sink *owner);      /* {0} is fine; removes an unfinished file */

#endif
