/* Shared printing of CSV cells, and of notes about an input. */
#ifndef CLI_COMMON_CSV_PRINT_H
#define CLI_COMMON_CSV_PRINT_H

#include "cli/common/command.h"

#include <puad/dataset.h>
#include <puad/stream.h>

/* Replaces control characters by '?' if standard output is a terminal. */
int shown_byte(char byte);

/* Prints a string as a CSV cell, quoted only if necessary; NULL is an empty cell. */
void print_cell(const char *text);

/* The same for a file that is opened in a spreadsheet: a string that it would run as a formula gets an
 * apostrophe, which files of answers may have. */
void print_spreadsheet_cell(const char *text);

/* Whether a spreadsheet would run the string as a formula: it begins like one and is not a number. */
bool is_formula(const char *text, size_t length);

/* Prints one line per note on standard error, unless --quiet. */
void print_notes(const invocation *call, const puad_dataset *data);
void print_stream_notes(const invocation *call, puad_stream *stream);

#endif
