/* Started by a launcher of MPI programs, the plain program hands over to the one that knows MPI. */
#ifndef CLI_COMMON_EXEC_PROGRAM_H
#define CLI_COMMON_EXEC_PROGRAM_H

#include "cli/common/command.h"

/* When a launcher (mpirun, srun) has started several processes, and PUAD_MPI=0 does not say otherwise:
 * becomes puad-mpi, with the same arguments. Comes back when there is nothing to do, or fails when there is
 * no puad-mpi. */
puad_status launch_under_mpi(const invocation *call);

#endif
