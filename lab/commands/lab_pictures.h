/* Figures of 'puad lab' that are not drawn from the ledger, for 'figure' and 'report'. */
#ifndef LAB_COMMANDS_LAB_PICTURES_H
#define LAB_COMMANDS_LAB_PICTURES_H

#include "cli/common/command.h"
#include "lab/demo/toy_study.h"
#include "lab/results/example_images.h"

/* Trains on the toy set with --epochs, --seed-list (its first seed) and --threads, showing progress. */
puad_status lab_run_toy(toy_study *out, const invocation *call);

/* EXAMPLE_PARTS panels of a dataset, with the class of --normal-class, else its first class. */
puad_status lab_draw_examples(plot_panel *out, arena *memory, const invocation *call, const char *set);

#endif
