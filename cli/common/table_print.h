/* The result of a command as JSON or as a table: --format text|csv|tsv|jsonl|json, --json, -o. */
#ifndef CLI_COMMON_TABLE_PRINT_H
#define CLI_COMMON_TABLE_PRINT_H

#include "base/json.h"
#include "cli/common/command.h"

/* The options of commands whose result is a table; `.prints` of the command makes --output work. */
#define OUTPUT_OPTION                                                                                        \
    {                                                                                                        \
        .name = "output", .letter = 'o', .type = OPTION_TEXT, .value = "FILE",                               \
        .help = "write to FILE instead of standard output; it appears when it is complete"                   \
    }
#define FORMAT_OPTION                                                                                        \
    {                                                                                                        \
        .name = "format", .type = OPTION_CHOICE, .standard = "text", .choices = "text|csv|tsv|jsonl|json",   \
        .help = "text to read, a table of the same values, or JSON; see docs/reference/output.md"            \
    }

/* True if neither --json nor a format other than text is given. */
bool prints_text(const invocation *call);

/* Prints `object` as one line of JSON that begins with "schema", or its rows as a table: the objects of
 * the array `rows`, or if NULL the object itself as one row. In a table an object {"value", "low", "high"}
 * named x becomes the columns x, x_low and x_high. Other nested objects become x.key in a single row and
 * are omitted from several; arrays are omitted. */
puad_status result_print(const invocation *call, const cJSON *object, const char *rows);

/* Prints a string as a CSV cell; with `guarded`, so that no spreadsheet runs it. */
void print_cell(const char *text, char delimiter, bool guarded);

#endif
