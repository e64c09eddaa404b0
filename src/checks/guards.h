/* Is the trained model any good? Checks after every fit that need no truth: collapse, degeneracy, training
 * that went nowhere. Each finding says in plain language what was seen and what to do. */
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

/* What is known after a fit; members that are not known stay 0 and are not judged. */
typedef struct guard_evidence {
    size_t rows;
    const float *inputs; /* rows x columns, what the network was fed */
    size_t columns;
    const float *scores;     /* rows */
    const float *embeddings; /* rows x embedding_columns, or NULL */
    size_t embedding_columns;
    size_t steps, negative_steps; /* of training; with a negative risk of the unlabeled rows */
    size_t epochs, best_epoch;    /* best_epoch counts from 0 */
    double first_loss, best_loss; /* of validation */
    bool network;                 /* there is one to train: epochs of 0 are a finding */
    const float *labeled_scores;  /* of labeled anomalies that a method was trained with, or NULL */
    size_t labeled;
    bool classifier; /* scores are logits */
} guard_evidence;

/* What is known before a fit. */
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

/* Before training; nothing can go wrong in looking. */
guard_report guards_check_labels(const guard_labels *labels);

puad_status guards_check(guard_report *out, const guard_evidence *evidence);

/* Columns of a table that say more, or less, than they should: leaks of the label, identifiers, times, values
 * that all labeled anomalies share; and labels that contradict each other. Warnings go to the caller and to
 * `list`. Nothing is looked at where the rows are no table. */
puad_status guards_check_columns(const puad_options *options, warning_list *list, const dataset *rows,
                                 const int8_t *labels);

/* For a fit without labels: warns of features that look like the label column, the likeliest first. If the
 * name of one is clear too, it fails instead where `refuse` is set. */
puad_status guards_check_label_column(const puad_options *options, warning_list *list, const dataset *rows,
                                      bool refuse);

/* Labels that rows with exactly the same values contradict. */
puad_status guards_check_rows(const puad_options *options, warning_list *list, const dataset *rows,
                              const int8_t *labels);

const char *guard_label(guard_name name); /* "scores_collapsed" */

/* Warns the caller whom the options belong to, with the figures that the text of the guard takes (double),
 * and adds the warning to `list` where there is one. `column` may be NULL; the text then names none. */
puad_status guard_warn(const puad_options *options, warning_list *list, const char *column, guard_name name,
                       ...);

#endif
