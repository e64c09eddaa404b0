/* Inside the library: the lists of objectives, loss pairs and their options, and what training needs beyond
 * <puad/objective.h>. */
#ifndef OBJECTIVE_OBJECTIVE_H
#define OBJECTIVE_OBJECTIVE_H

#include "options/option_row.h"

#include <puad/objective.h>

/* The option table, in the order of options.def; shared by the command line and by model files. */
extern const option objective_options[];
extern const size_t objective_option_count;

/* Whether the objective takes the option. */
bool objective_takes(const puad_objective *objective, const char *name);

/* The value of an option as text that puad_objective_option_set reads back; "" for eta from variances. */
puad_status objective_option_text(char *text, size_t room, const puad_objective_options *options,
                                  const char *name);

/* Every field is within its range. */
puad_status objective_options_check(const puad_objective_options *options);

/* The share pnu gives the positive-unlabeled risk: as set, or the one of least variance. */
double objective_eta(const puad_objective_options *options);

/* puad_objective_evaluate for a network's floats: same workspace, double precision inside. */
puad_status objective_step(double *out_loss, float *gradient, const puad_criterion *criterion,
                           const float *scores, const int8_t *labels, size_t rows, void *workspace);

/* Which of the labels given (counts over the training set) the objective cannot use: bits of
 * PUAD_USES_ANOMALIES and PUAD_USES_NORMALS. Where there are any, `text` becomes a sentence for people that
 * begins with `who`; else "". */
unsigned objective_unused_labels(char *text, size_t room, const char *who, const puad_objective *objective,
                                 size_t anomalies, size_t normals);

#endif
