/* Which cells to run: lists of choices expanded into cells, in an order in which neighbours share their data,
 * split and pre-training; and the paper's own lists. */
#ifndef LAB_RUN_PLAN_H
#define LAB_RUN_PLAN_H

#include "cli/library_values.h"
#include "lab/run/experiment.h"

#include <puad/options.h>

/* In a sweep over the hidden anomalies alpha may follow them: their share of the training rows, labeled ones
 * included, or of the unlabeled rows. */
typedef enum alpha_source { ALPHA_FROM_VARIANT, ALPHA_FROM_ALL, ALPHA_FROM_UNLABELED } alpha_source;

/* Texts are lists with commas; NULL or "" means the standard: all normal classes of the set, the paper's ten
 * methods, seeds 0 to 4, alpha and hidden anomalies as the variants have them. */
typedef struct plan_request {
    const char *datasets, *methods, *normals, *seeds, *alphas, *hidden;
    alpha_source alpha_from;
    const lab_cell *variants; /* everything else: the cells are run with each of these, one after the other */
    size_t variant_count;
} plan_request;

typedef struct cell_list {
    arena memory; /* owns the cells and their texts */
    lab_cell *cells;
    size_t count, room;
    void *keys; /* of the cells, as a tree of search.h */
} cell_list;

/* Adds the request's cells, settled; one that is there already is not added again. */
puad_status plan_expand(cell_list *out, const plan_request *request);

/* The parts of a text between commas, in `memory`. */
puad_status parts_of(const char ***out, size_t *out_count, arena *memory, const char *text);

/* A whole number within bounds. */
#define PLAN_SEED_MOST ((long long)option_at(puad_option_find("seed")).max)
puad_status plan_whole(long long *out, const char *text, long long min, long long max);

/* NAME=VALUE[,VALUE...]: each variant once with each value, all in `memory`. Values of `extra` and `unseen`
 * have commas of their own and are one; what a request has lists for is refused. */
puad_status plan_vary(lab_cell **variants, size_t *count, const char *text, arena *memory);

/* Adds the cells of a plan of plans.def, or of "all" of them. Seeds and variants are those of `common`, and
 * so are the lists that it has; where a plan varies an option, only those of its own methods are left that
 * the list of `common` has. */
puad_status plan_paper(cell_list *out, const char *name, const plan_request *common);

void cell_list_free(cell_list *owner); /* {0} is fine */
#define AUTO_CELLS __attribute__((cleanup(cell_list_free)))

#endif
