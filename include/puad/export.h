/* A model for other programs: an ONNX file that takes raw columns and gives scores.
 *
 * Ownership: nothing is kept. Threads: any; the model does not change. */
#ifndef PUAD_EXPORT_H
#define PUAD_EXPORT_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the model as ONNX (operator set 18, ai.onnx.ml 3) to `path`, whole or not at all.
 *
 * Inputs: of a table, one rows x 1 tensor for each column in use, by its name: doubles for numbers (NaN where
 * missing), strings for categories ("" where missing, without blanks around them); a date is the seconds
 * since 1970; columns without names come as one matrix "rows". Of images, "images", rows x height x width x
 * channels of 8-bit pixels. Of a model trained on floats, "rows". Outputs, rows x 1: "score"; of a calibrated
 * model also "p_value", "probability" where alpha is known, and "threshold" and "flag" (score >= threshold).
 *
 * Takes "threshold", or for calibrated models "flag_rate" (the default is alpha, where it is known), "p_values" and
 * "alpha". PUAD_INVALID for what ONNX cannot express: a head of the caller's own. */
PUAD_API puad_status puad_export_onnx(const puad_detector *model, const char *path,
                                      const puad_options *options);

#ifdef __cplusplus
}
#endif
#endif
