/* What happened in each epoch of a training.
 *
 * Threads: a model does not change. */
#ifndef PUAD_HISTORY_H
#define PUAD_HISTORY_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum puad_phase { PUAD_PHASE_PRETRAINING, PUAD_PHASE_TRAINING } puad_phase;

/* Epochs that were run; 0 for a phase the detector does not have. */
PUAD_API size_t puad_history_count(const puad_detector *model, puad_phase phase);

/* Of the row `index`, NaN behind the last. The epoch counts from 0; the training loss is the mean over the
 * epoch's mini-batches, the validation loss is over the whole validation part, NaN without one. */
PUAD_API double puad_history_epoch(const puad_detector *model, puad_phase phase, size_t index);
PUAD_API double puad_history_train_loss(const puad_detector *model, puad_phase phase, size_t index);
PUAD_API double puad_history_valid_loss(const puad_detector *model, puad_phase phase, size_t index);
/* NaN of a model from a file, which does not keep times. */
PUAD_API double puad_history_seconds(const puad_detector *model, puad_phase phase, size_t index);

#ifdef __cplusplus
}
#endif
#endif
