/* puad fit as one of the processes of an MPI job: rank 0 speaks and writes for all of them. */
#ifndef CLI_FIT_RANKS_H
#define CLI_FIT_RANKS_H

#include "cli/common/command.h"
#include "cli/common/job.h"

typedef struct fit_ranks {
    job_place place;
    const puad_ranks *ranks; /* borrowed; NULL for a process alone */
    int speech;              /* standard error of a rank that is silent; else -1 */
} fit_ranks;

/* Becomes puad-mpi where a launcher has started several processes, and joins them. Ranks but 0 are silent
 * from here on. */
puad_status fit_ranks_begin(fit_ranks *out, const invocation *call);

/* Once the options are there: shares the fit, and the processors of a machine. `checkpoint` is what rank 0
 * names when the launcher ends it; it must outlive the fit. */
puad_status fit_ranks_share(const fit_ranks *all, puad_options *options, const invocation *call,
                            const char *checkpoint);

static inline bool fit_ranks_is_first(const fit_ranks *all)
{
    return all->place.rank == 0;
}

/* Leaves the job. A rank that failed alone says so. */
void fit_ranks_end(fit_ranks *all, const invocation *call, puad_status status);

#endif
