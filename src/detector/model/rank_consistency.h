/* Whether several processes can share a fit, and whether they have the same one in mind. */
#ifndef DETECTOR_MODEL_RANK_CONSISTENCY_H
#define DETECTOR_MODEL_RANK_CONSISTENCY_H

#include "detector/model/model.h"
#include "detector/network/trainer.h"

/* Before any work: only what is trained by gradient steps can be divided. `by` may be NULL. */
puad_status agreement_check_method(const detector_kind *kind, const puad_ranks *by);

/* Version, instruction set, options (in words of the caller's) and rows are those of rank 0 on all ranks;
 * else every rank fails. Before alpha is estimated together, and with all that is settled before the first
 * step. */
puad_status agreement_check_rows(rank_group *all, const char *options, const train_rows *rows);
puad_status agreement_check(trainer *state, const puad_detector *model);

#endif
