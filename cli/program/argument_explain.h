/* Detects models passed in place of rows, and rows in place of a model. */
#ifndef CLI_PROGRAM_ARGUMENT_EXPLAIN_H
#define CLI_PROGRAM_ARGUMENT_EXPLAIN_H

#include "cli/common/command.h"

/* After a command has failed with `status`: if files among its arguments are of the wrong kind or in the
 * wrong order, replaces the message by one that shows the right order. Pipes are not read. */
puad_status argument_explain(const invocation *call, puad_status status);

#endif
