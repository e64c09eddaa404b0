/* Reads and writes the calibration part of a model file, which is optional. */
#ifndef DETECTOR_MODEL_CALIBRATION_FILE_H
#define DETECTOR_MODEL_CALIBRATION_FILE_H

#include "base/json.h"
#include "detector/model/calibration.h"
#include "io/safetensors.h"

/* Everything except the arrays; the caller deletes it. NULL when memory ran out. */
cJSON *calibration_to_json(const calibration *source);

puad_status calibration_write(safetensors *file, const calibration *source); /* writes nothing if empty */
puad_status calibration_read(calibration *out, const safetensors *file);     /* empty if the file has none */

#endif
