/* Comma-separated text (RFC 4180) as the laboratory writes and reads it. */
#ifndef LAB_LEDGER_CSV_TEXT_H
#define LAB_LEDGER_CSV_TEXT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One value, quoted where it must be; `first` in its line. */
void sheet_write(FILE *stream, const char *text, bool first);

/* Reads from text in memory, which it changes. */
typedef struct sheet_reader {
    char *at, *end;
    const char *name; /* of the file, for messages */
    size_t line;      /* of the row that was read last, from 1 */
    size_t next_line;
} sheet_reader;

sheet_reader sheet_begin(char *text, size_t size, const char *name);

/* The values of the next row, pointing into the text;
 * *out_count 0 at the end. Empty lines are passed over. */
puad_status sheet_next(char **values, size_t room, size_t *out_count, sheet_reader *from);

#endif
