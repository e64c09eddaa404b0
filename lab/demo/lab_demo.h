/* The demonstration of the laboratory on generated data within about a minute.
 *
 * Two parts: the toy set in the plane, where the score at every point can be drawn (figure 1 of the
 * paper), and a comparison of six detectors on drawn characters with a small budget. Both are on one page. */
#ifndef LAB_DEMO_LAB_DEMO_H
#define LAB_DEMO_LAB_DEMO_H

#include "lab/demo/toy_study.h"
#include "plot/page.h"

enum { DEMO_METHODS = 6 };

typedef struct demo_options {
    uint64_t seed;
    team *workers;     /* borrowed */
    size_t toy_epochs; /* of each training on the toy set */
    size_t epochs;     /* of each training on the characters, and of pretraining */
    size_t rows;       /* number of training characters */
    /* Called often; `done` goes from 0 to 1. NULL for none. */
    void (*progress)(void *context, double done, const char *what);
    void *context;
} demo_options;

typedef struct demo_method {
    const char *method, *title;
    lab_result result;
    history training;
} demo_method;

typedef struct demo {
    demo_options options;
    arena memory; /* of strings */
    toy_study toy;
    lab_bench bench; /* holds the split */
    lab_cell cell;   /* without a method */
    char normal[32]; /* the name of the normal class */
    demo_method methods[DEMO_METHODS];
    double seconds;
    double behind, cost; /* fractions of the work: done before the current training, and of this one */
} demo;

puad_status demo_run(demo *out, const demo_options *options);

/* Writes the page. */
puad_status demo_write(const demo *what, const char *path);
void demo_free(demo *owner); /* {0} is fine */

#endif
