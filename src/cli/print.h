/* What several commands print: cells of CSV, and notes about an input. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include "data/dataset.h"

/* A cell of CSV on standard output, quoted only where it must be. */
void print_cell(const char *text, size_t length);

/* The same for a file that people open in a spreadsheet: a text that it would run as a formula has an apostrophe before
 * it, which label_file_apply overlooks. */
void print_spreadsheet_cell(const char *text, size_t length);

/* One line each on standard error. */
void print_notes(const char *who, const notes *list);

#endif
