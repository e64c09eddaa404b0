/* Outputs of a calibrated model: p-value, probability, threshold and flag. */
#ifndef EXPORT_ONNX_DECISION_H
#define EXPORT_ONNX_DECISION_H

#include "detector/model/model.h"
#include "export/onnx_graph.h"
#include "options/options.h"

puad_status export_decision(graph *g, const puad_detector *model, const puad_options *options,
                            const char *score);

#endif
