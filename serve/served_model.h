/* The model that a service scores with. It is loaded again when its file changes, without interruption:
 * running requests keep the model they began with.
 *
 * Threads: all calls may come from any thread. */
#ifndef SERVE_SERVED_MODEL_H
#define SERVE_SERVED_MODEL_H

#include "base/status.h"

#include <puad/advanced.h>
#include <stdbool.h>

typedef struct model_version model_version;
typedef struct served_model served_model;

/* Loads `path` and checks that `options` (threshold, flag rate) are valid for it. Both are borrowed. */
puad_status served_model_open(served_model **out, const char *path, const puad_options *options);
void served_model_free(served_model *self);

/* The current version; return it with served_model_release. */
model_version *served_model_acquire(served_model *self);
void served_model_release(served_model *self, model_version *version);

/* Loads the file again if it has changed, or if `always`. If the new file is unusable, the old model stays
 * and the call fails. *out_changed: a new version is served. */
puad_status served_model_refresh(served_model *self, bool always, bool *out_changed);

const puad_detector *version_detector(const model_version *version);
/* computes p-values, probabilities, flags */
const puad_decider *version_decider(const model_version *version);
unsigned long version_number(const model_version *version); /* 1 for the first */

/* A scorer of this version for one request; return it afterwards. */
puad_status version_scorer_acquire(puad_scorer **out, model_version *version);
void version_scorer_release(model_version *version, puad_scorer *scorer);

#endif
