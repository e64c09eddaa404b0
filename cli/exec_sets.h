/* Named datasets belong to the laboratory: puad-lab lists and describes them. */
#ifndef CLI_EXEC_SETS_H
#define CLI_EXEC_SETS_H

#include "cli/common/command.h"

/* Runs 'puad-lab sets [NAME]' with those of the options --json, --data-dir and --preview that this command
 * has. Returns only on failure. */
puad_status exec_sets(const invocation *call, const char *name);

#endif
