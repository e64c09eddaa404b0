/* Figure 1 of the paper: four detectors trained on points in the plane, and their scores over the plane. */
#ifndef LAB_DEMO_TOY_STUDY_H
#define LAB_DEMO_TOY_STUDY_H

#include "lab/run/run_experiment.h"
#include "plot/plot.h"

enum {
    TOY_METHODS = 4,
    TOY_GRID = 61, /* points along each side of the drawn plane */
};

typedef struct toy_options {
    uint64_t seed;
    size_t epochs; /* of each training */
    team *workers; /* borrowed */
    /* Called often; `done` goes from 0 to 1. NULL for none. */
    void (*progress)(void *context, double done, const char *what);
    void *context;
} toy_options;

typedef struct toy_method {
    const char *method, *title;
    size_t best_epoch;
    lab_result result; /* only the three AUROC values */
    history training;
    double *field;  /* TOY_GRID x TOY_GRID scores, the lowest row first */
    bool logarithm; /* base-10 logarithm of the scores, if they cannot be negative */
} toy_method;

typedef struct toy_study {
    toy_options options;
    arena memory;
    split parts;
    toy_method methods[TOY_METHODS];
} toy_study;

puad_status toy_run(toy_study *out, const toy_options *options);
void toy_free(toy_study *owner); /* {0} is fine */

/* Four panels, all in `memory`: the study may be freed. */
puad_status toy_figure(plot_figure *out, arena *memory, const toy_study *study);

#endif
