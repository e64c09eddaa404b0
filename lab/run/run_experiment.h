/* Runs one experiment: the split, the training, the results. */
#ifndef LAB_RUN_RUN_EXPERIMENT_H
#define LAB_RUN_RUN_EXPERIMENT_H

#include "detector/model/model.h"
#include "lab/run/experiment.h"
#include "lab/sets/split.h"

/* Data shared by the experiments of one process: a dataset is read once, and consecutive experiments share
 * a split and a pretraining. Set folder, workers, test_most and progress; zero the rest. */
typedef struct lab_bench {
    const char *folder; /* of the datasets, borrowed */
    team *workers;      /* borrowed */
    size_t test_most;   /* rows per group of the test part; 0 for the paper's sizes */
    bool curve;         /* record the AUROC after each epoch in the history */
    puad_answer (*progress)(void *context, const puad_progress *now);
    void *context;
    char *set_key, *split_key, *pretraining_key; /* what is currently loaded */
    raw_set raw;
    split parts;
    shared_pretraining pretraining;
} lab_bench;

void lab_bench_clear(lab_bench *bench);

/* Loads an experiment's dataset and split (`parts`) unless they are already loaded. */
puad_status lab_bench_load(lab_bench *bench, const lab_cell *cell);

/* Distance experiments with equal keys share a pretraining: data, split, network, seed and budget. On the
 * heap. */
puad_status lab_pretraining_key(char **out, const lab_cell *cell);

/* Fails with the reason if an experiment cannot be run, as far as its options show. */
puad_status lab_check_cell(const lab_cell *cell);

/* Fails if a user's file has too few rows for an experiment, and states possible sizes. */
puad_status lab_check_sizes(const lab_cell *cell);

/* Fails if the experiment's objective is in a library that is not loaded: its results can be shown, but it
 * cannot be run. */
puad_status lab_check_objective(const lab_cell *cell);

/* Strings of the result go into `memory`. */
puad_status lab_run_cell(lab_result *out, const lab_cell *cell, lab_bench *bench, arena *memory);

/* Sets the metrics of a detector on the test part of a split: the three AUROC values and the average
 * precision. */
puad_status lab_judge(lab_result *out, const puad_detector *model, const split *parts, team *workers);

#endif
