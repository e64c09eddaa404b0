/* The part of a model file that decisions need; a file without it is fine. */
#ifndef DETECTOR_MODEL_CALIBRATION_FILE_H
#define DETECTOR_MODEL_CALIBRATION_FILE_H

#include "base/json.h"
#include "detector/model/calibration.h"
#include "io/safetensors.h"

/* All but the arrays; deleted by the caller. NULL when memory ran out. */
cJSON *calibration_to_json(const calibration *of);

puad_status calibration_write(safetensors *file, const calibration *of); /* nothing where it is empty */
puad_status calibration_read(calibration *out, const safetensors *file); /* empty where there is none */

#endif
