/* The options of the training input that a model stores: its `input`, an object keyed by option name. */
#ifndef DETECTOR_MODEL_MODEL_INPUT_OPTIONS_H
#define DETECTOR_MODEL_MODEL_INPUT_OPTIONS_H

#include "base/json.h"
#include "dataset/data_options.h"
#include "detector/model/model.h"
#include "options/options.h"

/* Stores the input options, JSON in the form of options_to_json; NULL is fine. */
puad_status model_set_input(puad_detector *model, const char *text);

/* The files of answers that the model was trained with, as "option 'answers=FILE' option 'answers=FILE'"
 * for messages, without those in `but` (or NULL); "" if none. */
puad_status model_label_files(const char **out, const puad_detector *model, const puad_options *but,
                              arena *memory);

/* Options for reading rows for the model: unset ones are taken from its training (the id column, which a
 * file may lack, the columns that were not features, and the label values). */
puad_status model_reading(data_options *settled, const puad_detector *model, arena *memory);

#endif
