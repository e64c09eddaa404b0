/* Distributes the experiments of a run over processes. One process, rank 0, writes the ledger; all of them
 * run experiments. */
#ifndef LAB_RUN_SCHEDULE_H
#define LAB_RUN_SCHEDULE_H

#include "lab/run/cost_estimate.h"
#include "lab/run/run_experiment.h"

/* Every rank passes the same experiments; all functions except `started` are called only on rank 0. */
typedef struct schedule_job {
    const lab_cell *cells;
    const cell_cost *costs; /* of each experiment, on rank 0; zero if it is done */
    size_t count;
    lab_bench *bench;
    /* false: done, or claimed by another run */
    puad_status (*claim)(void *context, bool *out_run, size_t cell);
    void (*started)(void *context, size_t cell); /* this process starts to run it */
    puad_status (*finish)(void *context, size_t cell, const lab_result *result);
    void (*fail)(void *context, size_t cell); /* releases the claim, reports which experiment it was */
    bool (*go_on)(void *context);             /* called between experiments, and while only others work */
    void *context;
} schedule_job;

/* Runs every experiment that can be claimed. Ends at the first failure on any rank. */
puad_status schedule_run(const schedule_job *job);       /* one process */
puad_status schedule_run_ranks(const schedule_job *job); /* the ranks of an MPI job: schedule_mpi.c */

/* Work that is assigned as a whole: experiments that share a pretraining, or one experiment. */
typedef struct schedule_unit {
    const size_t *cells;
    size_t count;
    double cost;
} schedule_unit;

/* All experiments as units, the largest first; ties in the order of the experiments. In `memory`. */
puad_status schedule_units(schedule_unit **out, size_t *out_count, arena *memory, const lab_cell *cells,
                           const cell_cost *costs, size_t count);

/* Seconds until the last unit is done if each unit goes to the first idle process, as in an MPI job. */
puad_status schedule_seconds(double *out, const schedule_unit *units, size_t count, int ranks);

/* For the remaining time: the cost of each experiment, with a shared pretraining divided among the
 * experiments that still need it, in `memory`; and the total. */
puad_status schedule_shares(double **out, double *out_all, arena *memory, const lab_cell *cells,
                            const cell_cost *costs, size_t count);

#endif
