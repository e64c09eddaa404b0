/* What several commands print: cells of CSV, and notes about an input. */
#ifndef CLI_COMMON_CSV_PRINT_H
#define CLI_COMMON_CSV_PRINT_H

#include "cli/common/command.h"

#include <puad/dataset.h>
#include <puad/stream.h>

/* The byte as it may be printed: control characters become '?' on a terminal. */
int shown_byte(char byte);

/* A text as a cell of CSV on standard output, quoted only where it must be; NULL is an empty one. */
void print_cell(const char *text);

/* The same for a file that people open in a spreadsheet: a text that it would run as a formula has an
 * apostrophe before it, which a file of answers may have. */
void print_spreadsheet_cell(const char *text);

/* Whether a spreadsheet would run the text as a formula: it begins like one and is no number. */
bool is_formula(const char *text, size_t length);

/* One line each on standard error, unless --quiet. */
void print_notes(const invocation *call, const puad_dataset *data);
void print_stream_notes(const invocation *call, puad_stream *stream);

#endif
