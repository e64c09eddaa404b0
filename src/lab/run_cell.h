/* Running one cell: the split, the training, the figures. */
#ifndef LAB_RUN_CELL_H
#define LAB_RUN_CELL_H

#include "detector/model.h"
#include "lab/cell.h"
#include "sets/split.h"

/* What the cells of one process share: a data set is read once, a split is made once for cells that follow
 * each other, and so is a pre-training. Set folder, workers and progress; the rest begins as zeros. */
typedef struct lab_bench {
    const char *folder; /* of the data sets, borrowed */
    team *workers;      /* borrowed */
    puad_answer (*progress)(void *context, const puad_progress *now);
    void *context;
    char *set_key, *split_key, *pretraining_key; /* what lies on the bench */
    raw_set raw;
    split parts;
    shared_pretraining pretraining;
} lab_bench;

void lab_bench_clear(lab_bench *bench);

/* Texts of the result go into `memory`. */
puad_status lab_run_cell(lab_result *out, const lab_cell *cell, lab_bench *bench, arena *memory);

#endif
