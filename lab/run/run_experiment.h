/* Running one cell: the split, the training, the figures. */
#ifndef LAB_RUN_RUN_EXPERIMENT_H
#define LAB_RUN_RUN_EXPERIMENT_H

#include "detector/model/model.h"
#include "lab/run/experiment.h"
#include "lab/sets/split.h"

/* What the cells of one process share: a data set is read once, a split is made once for cells that follow
 * each other, and so is a pre-training. Set folder, workers, test_most and progress; the rest begins as
 * zeros. */
typedef struct lab_bench {
    const char *folder; /* of the data sets, borrowed */
    team *workers;      /* borrowed */
    size_t test_most;   /* rows of each group of the test part; 0 for the paper's sizes */
    bool curve;         /* results have the AUROC after each epoch in their history */
    puad_answer (*progress)(void *context, const puad_progress *now);
    void *context;
    char *set_key, *split_key, *pretraining_key; /* what lies on the bench */
    raw_set raw;
    split parts;
    shared_pretraining pretraining;
} lab_bench;

void lab_bench_clear(lab_bench *bench);

/* Puts a cell's data set and split (`parts`) on the bench, where they may lie already. */
puad_status lab_bench_load(lab_bench *bench, const lab_cell *cell);

/* Distance cells of one key share a pre-training: data, split, network, seed and budget. On the heap. */
puad_status lab_pretraining_key(char **out, const lab_cell *cell);

/* Whether a cell can be run, as far as its options tell: fails with what is wrong. */
puad_status lab_check_cell(const lab_cell *cell);

/* Fails where a user's file has too few rows for a cell, and says what would fit. */
puad_status lab_check_sizes(const lab_cell *cell);

/* Fails where the cell's objective is of a library that
 * is not loaded: such a cell can be shown but not run. */
puad_status lab_check_objective(const lab_cell *cell);

/* Texts of the result go into `memory`. */
puad_status lab_run_cell(lab_result *out, const lab_cell *cell, lab_bench *bench, arena *memory);

/* Sets the figures of a detector on the test part of a split: the three AUROC and the average precision. */
puad_status lab_judge(lab_result *out, const puad_detector *model, const split *parts, team *workers);

#endif
