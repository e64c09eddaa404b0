/* The state of an interrupted training, which continues with the same bits: weights, Adam's moments, the
 * best weights so far, the position. */
#ifndef DETECTOR_NETWORK_CHECKPOINT_H
#define DETECTOR_NETWORK_CHECKPOINT_H

#include "detector/model/model.h"

/* Writes the file completely or not at all. Without `sync` it survives the end of the process, but perhaps
 * not a failure of the machine. */
puad_status checkpoint_write(const char *path, const trainer *state, const puad_detector *model, bool sync);

/* Continues a checkpoint; a missing file leaves the initial state. PUAD_INVALID if it belongs to other
 * data or options (the number of epochs may differ). */
puad_status checkpoint_read(const char *path, trainer *state, puad_detector *model);

#endif
