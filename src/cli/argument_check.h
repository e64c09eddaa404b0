/* Models where rows are expected, and rows where a model is. */
#ifndef CLI_ARGUMENT_CHECK_H
#define CLI_ARGUMENT_CHECK_H

#include "cli/command.h"

/* Fails where files among the arguments are of the wrong kind or in the wrong order; shows the right order.
 * Runs before every command. Pipes are not read. */
puad_status argument_check(const invocation *call);

#endif
