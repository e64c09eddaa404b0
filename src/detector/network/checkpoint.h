/* What a stopped training needs to go on to the same bits: weights, Adam's moments, the best weights so far,
 * the place. */
#ifndef DETECTOR_NETWORK_CHECKPOINT_H
#define DETECTOR_NETWORK_CHECKPOINT_H

#include "detector/model/model.h"

/* Written whole or not at all. Without `sync` it survives the end of the process, but not that of the
 * machine. */
puad_status checkpoint_write(const char *path, const trainer *state, const puad_detector *model, bool sync);

/* Takes up a checkpoint; a file that is not there leaves everything at the start. PUAD_INVALID when it
 * belongs to other data or options (the number of epochs may differ). */
puad_status checkpoint_read(const char *path, trainer *state, puad_detector *model);

#endif
