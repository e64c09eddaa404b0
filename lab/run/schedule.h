/* Spreads the experiments of a run over processes. One process, rank 0, keeps the ledger; all of them run
 * experiments. */
#ifndef LAB_RUN_SCHEDULE_H
#define LAB_RUN_SCHEDULE_H

#include "lab/run/cost_estimate.h"
#include "lab/run/run_experiment.h"

/* Every rank brings the same cells; the functions are called on rank 0 alone, but `started`. */
typedef struct schedule_job {
    const lab_cell *cells;
    const cell_cost *costs; /* of each cell, on rank 0; zeros for one that is done */
    size_t count;
    lab_bench *bench;
    puad_status (*claim)(void *context, bool *out_run, size_t cell); /* false: done, or others are at it */
    void (*started)(void *context, size_t cell);                     /* this process begins to run it */
    puad_status (*finish)(void *context, size_t cell, const lab_result *result);
    void (*fail)(void *context, size_t cell); /* gives the claim back, says which cell it was */
    bool (*go_on)(void *context);             /* asked between cells, and while only others work */
    void *context;
} schedule_job;

/* Runs every cell that can be claimed. Ends at the first failure, whoever has it. */
puad_status schedule_run(const schedule_job *job);       /* one process */
puad_status schedule_run_ranks(const schedule_job *job); /* the ranks of an MPI job: schedule_mpi.c */

/* What is handed out in one piece: cells that share a pre-training, or one cell. */
typedef struct schedule_unit {
    const size_t *cells;
    size_t count;
    double cost;
} schedule_unit;

/* All cells as units, the largest first; those that cost
 * the same in the order of their cells. In `memory`. */
puad_status schedule_units(schedule_unit **out, size_t *out_count, arena *memory, const lab_cell *cells,
                           const cell_cost *costs, size_t count);

/* Seconds until the last of the units is done when each goes to the process that is free first, as the ranks
 * of an MPI job take them. */
puad_status schedule_seconds(double *out, const schedule_unit *units, size_t count, int ranks);

/* What the time left is told by: the cost of each cell, a shared pre-training divided among the cells that
 * still need it, in `memory`; and all of it. */
puad_status schedule_shares(double **out, double *out_all, arena *memory, const lab_cell *cells,
                            const cell_cost *costs, size_t count);

#endif
