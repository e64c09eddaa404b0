/* Datasets that have a name belong to the laboratory: puad-lab lists and describes them. */
#ifndef CLI_EXEC_SETS_H
#define CLI_EXEC_SETS_H

#include "cli/common/command.h"

/* Runs 'puad-lab sets [NAME]' with the options --json, --data-dir and --preview of this call as far as the
 * command has them. Returns only if that fails. */
puad_status exec_sets(const invocation *call, const char *name);

#endif
