/* What a model remembers of the input it was trained on, see data/options_json.h. */
#ifndef DETECTOR_MODEL_ORIGIN_H
#define DETECTOR_MODEL_ORIGIN_H

#include "base/json.h"
#include "detector/model.h"

/* All it says, as JSON; NULL where it says nothing. */
puad_status model_origin(cJSON **out, const puad_detector *model);

/* Adds " --labels FILE" as one types it in a shell. */
puad_status model_add_label_file(const char **text, const char *file, arena *memory);

/* The files of answers the model was trained with, as "--labels FILE --labels FILE", without those that are
 * in `but`; "" without any. */
puad_status model_label_files(const char **out, const puad_detector *model, const char *const *but,
                                size_t but_count, arena *memory);

/* The id column the model was trained with; NULL without one. */
puad_status model_id_column(const char **out, const puad_detector *model, arena *memory);

#endif
