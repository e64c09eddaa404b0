/* What a model remembers of the input it was trained on: its `input`, an object of options by name. */
#ifndef DETECTOR_MODEL_MODEL_INPUT_OPTIONS_H
#define DETECTOR_MODEL_MODEL_INPUT_OPTIONS_H

#include "base/json.h"
#include "dataset/data_options.h"
#include "detector/model/model.h"
#include "options/options.h"

/* Takes over how the training data were read, JSON as options_to_json makes it; NULL is fine. */
puad_status model_set_input(puad_detector *model, const char *text);

/* The files of answers the model was trained with, as "option 'answers=FILE' option 'answers=FILE'" for
 * messages, without those that `but` names (or NULL); "" without any. */
puad_status model_label_files(const char **out, const puad_detector *model, const puad_options *but,
                              arena *memory);

/* How rows for the model are read: what the options leave open is taken over from its training, the id column
 * (which a file may lack), the columns that were no features and the label values. */
puad_status model_reading(data_options *settled, const puad_detector *model, arena *memory);

#endif
