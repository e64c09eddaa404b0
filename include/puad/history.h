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

/* Fills *out with epoch `index`; puad_detector_info has the numbers of epochs that were run.
 * Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_detector_epoch(const puad_detector *model, puad_epoch *out, puad_phase phase,
                                         size_t index);

#ifdef __cplusplus
}
#endif
#endif
