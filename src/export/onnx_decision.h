/* What is made of the score: p-value, probability, threshold and flag of a calibrated model. */
#ifndef EXPORT_ONNX_DECISION_H
#define EXPORT_ONNX_DECISION_H

#include "detector/model/model.h"
#include "export/onnx_graph.h"
#include "options/options.h"

puad_status export_decision(graph *g, const puad_detector *model, const puad_options *options,
                            const char *score);

#endif
