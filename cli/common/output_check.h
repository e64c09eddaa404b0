/* What stands between a command and the files of its user: an output that is one of the inputs is refused,
 * by whatever name or link it goes, and so is one in a folder that is not there. Folders and standard input
 * are no matter. */
#ifndef CLI_COMMON_OUTPUT_CHECK_H
#define CLI_COMMON_OUTPUT_CHECK_H

#include "cli/common/command.h"

/* Fails where an option that names an output names a file that an argument or an option says to read. Runs
 * before every command. */
puad_status output_check_all(const invocation *call);

/* The same for one more file that a command writes. */
puad_status output_check(const invocation *call, const char *path);

#endif
