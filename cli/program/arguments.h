/* Parses a command line into options by the command's table, and arguments. */
#ifndef CLI_PROGRAM_ARGUMENTS_H
#define CLI_PROGRAM_ARGUMENTS_H

#include "cli/common/command.h"

/* Fills `values` (one per option) and `arguments` (at most COMMAND_ARGUMENTS_MAX) of `call`, whose
 * command is set. */
puad_status arguments_parse(invocation *call, const char **arguments, char **words, int count);

/* Joins the paths of several inputs to one string, in the form of <puad/dataset.h>; the caller frees *out. */
puad_status arguments_join(char **out, invocation *call, const char **arguments);

#endif
