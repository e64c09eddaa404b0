/* What a model remembers of the input it was trained on: its `input`, an object of options by name. */
#ifndef DETECTOR_MODEL_ORIGIN_H
#define DETECTOR_MODEL_ORIGIN_H

#include "base/json.h"
#include "data/labels.h"
#include "detector/model.h"
#include "options/options.h"

/* Takes over how the training data were read, JSON as options_to_json makes it; NULL is fine. */
puad_status model_set_input(puad_detector *model, const char *text);

/* The files of answers the model was trained with, as "option 'labels=FILE' option 'labels=FILE'" for
 * messages, without those that `but` names (or NULL); "" without any. */
puad_status model_label_files(const char **out, const puad_detector *model, const puad_options *but,
                              arena *memory);

/* The id column the model was trained with; NULL without one. */
puad_status model_id_column(const char **out, const puad_detector *model, arena *memory);

/* The columns of the training file that were no features, as options named them; none where that is unknown.
 */
puad_status model_idle_columns(const char *const **out, size_t *out_count, const puad_detector *model,
                               arena *memory);

/* The label values the model was trained with, into a rule that names none. */
puad_status model_label_words(label_rule *rule, const puad_detector *model, arena *memory);

#endif
