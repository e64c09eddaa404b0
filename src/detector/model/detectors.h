/* The list of detectors: each is a score head x an objective (x noise in training), one row of
 * detectors.def. */
#ifndef DETECTOR_MODEL_DETECTORS_H
#define DETECTOR_MODEL_DETECTORS_H

#include <puad/objective.h>
#include <stdbool.h>

typedef struct detector_kind {
    const char *name;  /* "pusvdd" */
    const char *title; /* one line for the user */
    const char *head; /* "reconstruction", "distance", "logit", "logistic", "icl", "neutral", "rot"; without a
                         network "forest", "trees", "nearest", "principal", "committee" */
    const char *objective; /* a name in objectives.def */
    double noise;          /* standard deviation of the noise added to the input in training; 0 for none */
} detector_kind;

/* By name or index; NULL if there is none. */
const detector_kind *detector_kind_find(const char *name);
const detector_kind *detector_kind_at(size_t index);

/* Every name, separated by ", ", for messages; NUL-terminated. */
const char *detector_kind_names(void);

bool detector_kind_has_network(const detector_kind *kind);
unsigned detector_kind_parts(const detector_kind *kind); /* PART_... of ensemble.h; 0 with a network */
const puad_objective *detector_kind_objective(const detector_kind *kind);
const puad_loss_pair *detector_kind_losses(const detector_kind *kind); /* NULL without a network */

/* The note about given labels that this detector cannot use; false and "" if it can use all of them. */
bool detector_kind_unused_labels(char *text, size_t capacity, const detector_kind *kind, size_t anomalies,
                                 size_t normals);

#endif
