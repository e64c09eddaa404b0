/* The losses and times of each epoch of a training.
 *
 * Threads: a model does not change. */
#ifndef PUAD_HISTORY_H
#define PUAD_HISTORY_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum puad_phase { PUAD_PHASE_PRETRAINING, PUAD_PHASE_TRAINING } puad_phase;

typedef struct puad_epoch {
    size_t struct_size;
    size_t epoch;      /* from 0 */
    double train_loss; /* mean over the mini-batches of the epoch */
    double valid_loss; /* over the whole validation part; NaN without one */
    double seconds;    /* NaN of a model from a file, which does not keep times */
} puad_epoch;

/* Returns the number of epochs that were run; 0 for a phase that the detector does not have. */
PUAD_API size_t puad_detector_epoch_count(const puad_detector *model, puad_phase phase);

/* Fills *out with an epoch. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_detector_epoch(const puad_detector *model, puad_epoch *out, puad_phase phase,
                                         size_t index);

#ifdef __cplusplus
}
#endif
#endif
