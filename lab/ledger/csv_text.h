/* Reads and writes the laboratory's comma-separated files (RFC 4180). */
#ifndef LAB_LEDGER_CSV_TEXT_H
#define LAB_LEDGER_CSV_TEXT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes one value, quoted if necessary; `first` in its line. */
void sheet_write(FILE *stream, const char *text, bool first);

/* Reads from a string in memory, which it modifies. */
typedef struct sheet_reader {
    char *at, *end;
    const char *name; /* of the file, for messages */
    size_t line;      /* of the last row read, from 1 */
    size_t next_line;
} sheet_reader;

sheet_reader sheet_begin(char *text, size_t size, const char *name);

/* The values of the next row, pointing into the string; *out_count is 0 at the end. Empty lines are
 * skipped. */
puad_status sheet_next(char **values, size_t capacity, size_t *out_count, sheet_reader *reader);

#endif
