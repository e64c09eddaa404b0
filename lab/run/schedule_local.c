/* The schedule of one process: the experiments in order, so that neighbors share data, split and
 * pretraining. Each is claimed just before it is run, so that several such runs can share a ledger. */
#include "lab/run/schedule.h"

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
