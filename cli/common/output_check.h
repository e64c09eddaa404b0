/* Refuses to overwrite an input file, even through a link, and to write to a folder that does not exist.
 * Directories and stdin are exempt. */
#ifndef CLI_COMMON_OUTPUT_CHECK_H
#define CLI_COMMON_OUTPUT_CHECK_H

#include "cli/common/command.h"

/* Fails if an option names an output that an argument or another option names as an input. Runs before
 * every command. */
puad_status output_check_all(const invocation *call);

/* The same for one more file that a command writes. */
puad_status output_check(const invocation *call, const char *path);

#endif
