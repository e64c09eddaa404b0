/* A job of one process, for programs without MPI. */
#include "base/threads.h"
#include "cli/common/job.h"

const bool job_is_mpi = false;

puad_status job_begin(job_place *out)
{
    if (job_launched() > 1)
        FAIL(PUAD_IO,
             "one of %d processes, but built without MPI; build with libopenmpi-dev, or set PUAD_MPI=0",
             job_launched());
    *out = (job_place){.rank = 0, .ranks = 1, .threads = threads_available()};
    return PUAD_OK;
}

void job_end(puad_status with)
{
    (void)with;
}

puad_status job_ranks(const puad_ranks **out)
{
    *out = NULL;
    return PUAD_OK;
}
