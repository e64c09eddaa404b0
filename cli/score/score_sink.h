/* Where scores go: CSV or JSON lines, on standard output or in a file that appears whole or not at all. */
#ifndef CLI_SCORE_SCORE_SINK_H
#define CLI_SCORE_SCORE_SINK_H

#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>

typedef struct score_sink {
    FILE *to;
    file_output file;
    char delimiter; /* of CSV and TSV */
    bool json, terminal;
    bool whole;  /* JSON: one object with all rows, not one per line */
    bool any;    /* a row has been written */
    bool header; /* names are written instead of values */
    bool begun;  /* a field of the row has been written */
    int reason;  /* errno of the first row that could not be written; 0: none */
} score_sink;

/* A path of NULL is standard output; the format is csv, tsv, jsonl or json. */
puad_status score_sink_open(score_sink *out, const char *path, const char *format);

/* The fields of a row, in order. In CSV the first row is of names alone: `header` is true while it is
 * written. */
void score_sink_number(score_sink *to, const char *name, int digits, double value);
void score_sink_whole(score_sink *to, const char *name, size_t value);
void score_sink_text(score_sink *to, const char *name, const char *text); /* NULL: nothing */
void score_sink_raw(score_sink *to, const char *fields); /* what score_sink_field has written before */
void score_sink_end(score_sink *to);

/* One more field as it would be written, at the end of a text that grows. */
typedef struct field_text {
    char *text;
    size_t used, room;
} field_text;
puad_status score_sink_field(field_text *out, const score_sink *to, const char *name, const char *text,
                             size_t length);

puad_status score_sink_flush(score_sink *to);  /* fails when a row could not be written */
puad_status score_sink_finish(score_sink *to); /* after the last row */
void score_sink_close(score_sink *owner);      /* {0} is fine; a file that is not finished is removed */

#endif
