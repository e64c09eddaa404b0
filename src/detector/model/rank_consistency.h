/* Checks that all ranks run the same version, options and data. */
#ifndef DETECTOR_MODEL_RANK_CONSISTENCY_H
#define DETECTOR_MODEL_RANK_CONSISTENCY_H

#include "detector/model/model.h"
#include "detector/network/trainer.h"

/* Before any work: fails unless the method trains by gradient steps, the only work that can be divided.
 * `ranks` may be NULL. */
puad_status agreement_check_method(const detector_kind *kind, const puad_ranks *ranks);

/* Compares version, instruction set, options (a string of the caller's) and rows with those of rank 0; on
 * a difference every rank fails. Called before alpha is estimated jointly, and again with all settings
 * before the first step. */
puad_status agreement_check_rows(rank_group *all, const char *options, const train_rows *rows);
puad_status agreement_check(trainer *state, const puad_detector *model);

#endif
