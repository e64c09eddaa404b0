/* Losses and times of each epoch of a training; stored in the model file and drawn by `puad inspect
 * --plot`. */
#ifndef DETECTOR_NETWORK_HISTORY_H
#define DETECTOR_NETWORK_HISTORY_H

#include "base/json.h"
#include "base/status.h"

#include <stdbool.h>

#include <stddef.h>

enum { HISTORY_ROWS_MAX = 1000000 };

typedef struct history_row {
    int epoch;         /* from 0 */
    double train_loss; /* mean over the epoch's mini-batches */
    double valid_loss; /* over the whole validation part; NaN without one */
    double seconds;    /* of this epoch; NaN if not stored */
} history_row;

typedef struct history {
    history_row *rows; /* in ascending order of epochs */
    size_t count, capacity;
} history;

/* Appends a row; its epoch must be above the last one's. */
puad_status history_add(history *owner, const history_row *row);

double history_seconds(const history *owner); /* of all epochs */

/* An object of four lists of equal length, {"epoch": [..], "train_loss": [..], ...}; NaN becomes null.
 * Numbers have enough digits to be read back with the same bits. The caller deletes *out. */
puad_status history_to_json(cJSON **out, const history *source, bool times);

/* From parsed JSON; the message of a failure begins with "history". */
puad_status history_from_json(history *out, const cJSON *json);

void history_free(history *owner); /* {0} is fine */
#define AUTO_HISTORY __attribute__((cleanup(history_free)))

#endif
