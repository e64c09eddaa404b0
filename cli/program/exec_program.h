/* Replaces this process by another program of the package: puad-mpi or puad-lab. */
#ifndef CLI_PROGRAM_EXEC_PROGRAM_H
#define CLI_PROGRAM_EXEC_PROGRAM_H

#include "base/status.h"

/* Runs `name` with these words (argv, NULL-terminated) from the folder of this program or ../libexec/puad.
 * Returns only on failure; `advice` says how to get the program. */
puad_status exec_program(const char *name, char *const *words, const char *advice);

/* If a launcher has started several processes and this program was built without MPI: runs puad-mpi. */
puad_status exec_under_mpi(char *const *words);

#endif
