/* Internal: the lists of objectives, loss pairs and their options, and functions for training beyond
 * <puad/objective.h>. */
#ifndef OBJECTIVE_OBJECTIVE_H
#define OBJECTIVE_OBJECTIVE_H

#include "options/option_row.h"

#include <puad/objective.h>

/* The option table, in the order of objective_options.def; shared by the command line and by model files. */
extern const option objective_options[];
extern const size_t objective_option_count;

/* By index; NULL past the end. */
const puad_objective *objective_at(size_t index);
const puad_loss_pair *loss_pair_at(size_t index);

/* Sets one option from a string, checked against the option table. PUAD_INVALID for an option that the
 * objective does not use, and for an invalid value. */
puad_status objective_option_set(puad_objective_options *options, const puad_objective *objective,
                                 const char *name, const char *text);

/* Whether the objective uses the option. */
bool objective_takes(const puad_objective *objective, const char *name);

/* The value of an option as a string that objective_option_set accepts; "" for eta from variances. */
puad_status objective_option_text(char *text, size_t capacity, const puad_objective_options *options,
                                  const char *name);

/* Checks that every field is within its range. */
puad_status objective_options_check(const puad_objective_options *options);

/* The weight of the positive-unlabeled risk in pnu: as set, or the one with minimum variance. */
double objective_eta(const puad_objective_options *options);

/* puad_objective_evaluate for floats: same workspace, double precision inside. */
puad_status objective_step(double *out_loss, float *gradient, const puad_criterion *criterion,
                           const float *scores, const int8_t *labels, size_t rows, void *workspace);

/* The labels present in the training set that the objective cannot use: bits of PUAD_USES_ANOMALIES and
 * PUAD_USES_NORMALS. If there are any, `text` becomes a sentence for the user that begins with `who`; else
 * "". */
unsigned objective_unused_labels(char *text, size_t capacity, const char *who,
                                 const puad_objective *objective, size_t anomalies, size_t normals);

#endif
