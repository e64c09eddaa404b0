/* The processes of an MPI job that share a fit or a run of the laboratory. There are two implementations:
 * job_local.c for programs without MPI, job_mpi.c for programs with it. */
#ifndef CLI_COMMON_JOB_H
#define CLI_COMMON_JOB_H

#include <puad/options.h>
#include <stdbool.h>

typedef struct job_place {
    int rank, ranks;
    /* this process's part of the processors, shared with other ranks that may use the same ones */
    int threads;
} job_place;

/* The number of processes that a launcher (mpirun, srun) has started; 1 without a launcher, and with
 * PUAD_MPI=0 in the environment, which declares that the processes are independent. */
int job_launched(void);

/* Call before and after all other work. On failure a rank exits without MPI_Finalize; the launcher kills
 * the rest. */
puad_status job_begin(job_place *out);
void job_end(puad_status with);

/* Between job_begin and job_end. *out is borrowed; NULL if there is only one process. */
puad_status job_ranks(const puad_ranks **out);

extern const bool job_is_mpi; /* whether the program was built with MPI */

#endif
