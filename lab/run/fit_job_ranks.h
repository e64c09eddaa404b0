/* The processes of an MPI job as the ranks of one fit (puad_ranks of <puad/options.h>). As with schedule.h
 * there are two implementations: ranks_local.c in puad, ranks_mpi.c in puad-mpi alone. */
#ifndef LAB_RUN_FIT_JOB_RANKS_H
#define LAB_RUN_FIT_JOB_RANKS_H

#include <puad/options.h>

/* After schedule_begin, until schedule_end. *out is borrowed; NULL where there is one process. */
puad_status ranks_of_job(const puad_ranks **out);

#endif
