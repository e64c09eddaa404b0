/* Reads and writes the parts of a detector without a network in a model file. */
#ifndef DETECTOR_ENSEMBLE_ENSEMBLE_FILE_H
#define DETECTOR_ENSEMBLE_ENSEMBLE_FILE_H

#include "detector/model/model.h"
#include "io/safetensors.h"

puad_status ensemble_write(safetensors *file, const puad_detector *model);
puad_status ensemble_read(puad_detector *model, const safetensors *file);

#endif
