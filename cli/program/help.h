/* --help, -h and the man page of a command, generated from its table of options. */
#ifndef CLI_PROGRAM_HELP_H
#define CLI_PROGRAM_HELP_H

#include "cli/common/command.h"

/* -h: usage, two examples and the common options; --help: everything. Lines are as wide as the terminal. */
void command_help(const command *which, bool full);

/* 'puad help input': the options of every command that reads rows; `which` has their group. */
void command_help_input(const command *which);

/* In roff. */
void command_man(const command *which);

/* Columns of the terminal, or $COLUMNS, limited to 60 to 120; 80 if neither is known. */
int help_width(void);

/* Prints the words of `text` within `width` columns; lines after the first begin with `indent` blanks, and
 * `before_break` ends the others, such as " \\" in a shell command. */
void help_wrap(const char *text, int indent, int width, const char *before_break);

/* Length of the first clause of a help text, which -h shows. */
size_t help_clause(const char *help);

/* "-o, --output FILE" */
void help_option_heading(char *out, size_t capacity, const option *row);

/* "0 done, 1 failed, ..." */
const char *help_exit_statuses(const command *which);

#endif
