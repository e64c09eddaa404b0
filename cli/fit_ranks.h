/* puad fit as one of the processes of an MPI job: rank 0 prints and writes for all of them. */
#ifndef CLI_FIT_RANKS_H
#define CLI_FIT_RANKS_H

#include "cli/common/command.h"
#include "cli/common/job.h"

typedef struct fit_ranks {
    job_place place;
    const puad_ranks *ranks; /* borrowed; NULL for a single process */
    int speech;              /* saved stderr of a rank whose output is suppressed, or -1 */
} fit_ranks;

/* Runs puad-mpi if a launcher has started several processes, and joins them. All ranks except 0 are silent
 * from here on. */
puad_status fit_ranks_begin(fit_ranks *out, const invocation *call);

/* Divides the fit and the processors of a machine; call when the options are complete. `checkpoint` is
 * named by rank 0 when the launcher ends it; it must outlive the fit. */
puad_status fit_ranks_share(const fit_ranks *all, puad_options *options, const invocation *call,
                            const char *checkpoint);

static inline bool fit_ranks_is_first(const fit_ranks *all)
{
    return all->place.rank == 0;
}

/* Leaves the job. A rank that failed alone prints its message. */
void fit_ranks_end(fit_ranks *all, const invocation *call, puad_status status);

#endif
