/* Which experiments to run: lists of choices expanded in an order in which neighbors share data, split and
 * pretraining; and the paper's plans. */
#ifndef LAB_RUN_PLAN_H
#define LAB_RUN_PLAN_H

#include "cli/library_values.h"
#include "lab/run/experiment.h"

#include <puad/options.h>

/* In a sweep over the hidden anomalies alpha may follow them: their fraction of the training rows, labeled
 * ones included, or of the unlabeled rows. */
typedef enum alpha_source { ALPHA_FROM_VARIANT, ALPHA_FROM_ALL, ALPHA_FROM_UNLABELED } alpha_source;

/* Strings are lists separated by commas; NULL or "" means the default: all normal classes of the set, the
 * paper's ten methods, seeds 0 to 4, alpha and hidden anomalies as in the variants. */
typedef struct plan_request {
    const char *datasets, *methods, *normals, *seeds, *alphas, *hidden;
    alpha_source alpha_from;
    const lab_cell *variants; /* all other options: experiments are run with each of these in order */
    size_t variant_count;
} plan_request;

typedef struct cell_list {
    arena memory; /* owns the experiments and their strings */
    lab_cell *cells;
    size_t count, capacity;
    void *keys; /* of the experiments, as a tree of search.h */
} cell_list;

/* Adds the request's experiments, settled; duplicates are not added again. */
puad_status plan_expand(cell_list *out, const plan_request *request);

/* The parts of a string between commas, in `memory`. */
puad_status parts_of(const char ***out, size_t *out_count, arena *memory, const char *text);

/* An integer within bounds. */
#define PLAN_SEED_MAX ((long long)option_at(puad_option_find("seed")).max)
puad_status plan_whole(long long *out, const char *text, long long min, long long max);

/* NAME=VALUE[,VALUE...]: each variant once with each value, all in `memory`. Values of `extra` and
 * `unseen` contain commas and are single values; options for which a request has lists are rejected. */
puad_status plan_vary(lab_cell **variants, size_t *count, const char *text, arena *memory);

/* Adds the experiments of a plan of plans.def, or of "all" plans. Seeds, variants and lists are those of
 * `common`; if a plan varies an option, only those of its methods remain that are in the list of `common`. */
puad_status plan_paper(cell_list *out, const char *name, const plan_request *common);

void cell_list_free(cell_list *owner); /* {0} is fine */
#define AUTO_CELLS __attribute__((cleanup(cell_list_free)))

#endif
