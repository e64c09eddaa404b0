/* A model's metadata as JSON: the recipe, the facts of the training and its history. */
#ifndef DETECTOR_MODEL_MODEL_JSON_H
#define DETECTOR_MODEL_MODEL_JSON_H

#include "base/json.h"
#include "detector/model/model.h"

/* The caller deletes the objects. NULL when memory ran out. */
cJSON *recipe_to_json(const recipe *config);
puad_status recipe_from_json(recipe *out, const cJSON *object);

/* With or without training times; without them, equal trainings give equal model files. */
cJSON *facts_to_json(const puad_detector *model, bool times);
puad_status facts_from_json(puad_detector *model, const cJSON *object);

/* A required field. The message names it. */
puad_status json_number(double *out, const cJSON *object, const char *name, double min, double max);
puad_status json_size(size_t *out, const cJSON *object, const char *name, size_t max);
puad_status json_flag(bool *out, const cJSON *object, const char *name);

#endif
