/* The schedule of one process: the cells in their order, in which neighbours share data, split and
 * pre-training. Each is claimed just before it is run, so that several such runs can share a ledger.
 *
 * puad-mpi has schedule_mpi.c in this file's place: it defines the same names, and the linker takes a member
 * of a library only for names that nobody has defined. So nothing else belongs in here. */
#include "lab/run/schedule.h"

const bool schedule_is_mpi = false;

puad_status schedule_begin(schedule_place *out)
{
    *out = (schedule_place){.rank = 0, .ranks = 1, .threads = threads_available()};
    return PUAD_OK;
}

void schedule_end(puad_status with)
{
    (void)with;
}

static puad_status run_one(const schedule_job *job, size_t cell)
{
    AUTO_ARENA arena memory = {0};
    lab_result result;
    bool run;
    TRY(job->claim(job->context, &run, cell));
    if (!run) return PUAD_OK;
    job->started(job->context, cell);
    puad_status status = lab_run_cell(&result, &job->cells[cell], job->bench, &memory);
    if (status != PUAD_OK) {
        job->fail(job->context, cell);
        return status;
    }
    return job->finish(job->context, cell, &result);
}

puad_status schedule_run(const schedule_job *job)
{
    for (size_t i = 0; i < job->count && job->go_on(job->context); i++) TRY(run_one(job, i));
    return PUAD_OK;
}
