/* Checks after every fit that need no ground truth: collapse, degeneracy, training without effect. Each
 * finding states the problem and a remedy in plain language. */
#ifndef CHECKS_GUARDS_H
#define CHECKS_GUARDS_H

#include "dataset/dataset.h"
#include "options/warnings.h"

typedef enum guard_name {
#define GUARD(name, fatal, text) GUARD_##name,
#include "checks/guards.def"
#undef GUARD
    GUARD_COUNT
} guard_name;

/* The facts after a fit; fields that stay 0 are not checked. */
typedef struct guard_evidence {
    size_t rows;
    const float *inputs; /* rows x columns, the network's input */
    size_t columns;
    const float *scores;     /* rows */
    const float *embeddings; /* rows x embedding_columns, or NULL */
    size_t embedding_columns;
    size_t steps, negative_steps; /* of training; those with a negative risk of the unlabeled rows */
    size_t epochs, best_epoch;    /* best_epoch counts from 0 */
    double first_loss, best_loss; /* of validation */
    bool network;                 /* a network is trained: 0 epochs are a finding */
    const float *labeled_scores;  /* of labeled anomalies used in training, or NULL */
    size_t labeled;
    bool classifier; /* scores are logits */
} guard_evidence;

/* The facts before a fit. */
typedef struct guard_labels {
    size_t unlabeled, anomalies, normals;
    bool needs_unlabeled, uses_anomalies, few_are_enough;
    bool uses_alpha; /* as the weight of the labeled anomalies */
    double alpha;
} guard_labels;

typedef struct guard_finding {
    guard_name name;
    bool fatal;
    char text[512];
} guard_finding;

typedef struct guard_report {
    size_t count;
    bool useless; /* at least one finding is fatal */
    guard_finding findings[GUARD_COUNT];
} guard_report;

/* Checks before training. */
guard_report guards_check_labels(const guard_labels *labels);

puad_status guards_check(guard_report *out, const guard_evidence *evidence);

/* Checks the columns of a table for leaks of the label, identifiers, times, and values that all labeled
 * anomalies share; and checks labels for contradictions. Warnings go to the caller and to `list`. Does
 * nothing if the rows are not a table. */
puad_status guards_check_columns(const puad_options *options, warning_list *list, const dataset *rows,
                                 const int8_t *labels);

/* For a fit without labels: warns about features that look like the label column, the likeliest first. If
 * the evidence is strong and includes the name, it fails instead if `refuse` is set. */
puad_status guards_check_label_column(const puad_options *options, warning_list *list, const dataset *rows,
                                      bool refuse);

/* Warns about labels that contradict rows with identical values. */
puad_status guards_check_rows(const puad_options *options, warning_list *list, const dataset *rows,
                              const int8_t *labels);

const char *guard_label(guard_name name); /* "scores_collapsed" */

/* Calls the owner's warning callback with the numbers for the guard's text (double), and adds the warning
 * to `list` if it is not NULL. `column` may be NULL; the text then names none. */
puad_status guard_warn(const puad_options *options, warning_list *list, const char *column, guard_name name,
                       ...);

#endif
