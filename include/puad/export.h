/* ONNX export: a model file for other programs that takes raw columns and returns scores. */
#ifndef PUAD_EXPORT_H
#define PUAD_EXPORT_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the model as ONNX (operator set 18, ai.onnx.ml 3) to `path`, completely or not at all.
 *
 * Inputs of a table: one rows x 1 tensor for each used column, by name. Numbers are doubles (NaN if missing),
 * categories are strings ("" if missing, without surrounding blanks), dates are seconds since 1970. Columns
 * without names are one matrix "rows". Inputs of images: "images", rows x height x width x channels of 8-bit
 * pixels. Input of a model trained on floats: "rows".
 *
 * Outputs, rows x 1: "score"; for a calibrated model also "p_value", "probability" if alpha is known, and
 * "threshold" and "flag" (score >= threshold).
 *
 * options: "threshold"; for calibrated models "flag_rate" (default: alpha, if it is known), "p_values" and
 * "alpha".
 * Errors: PUAD_INVALID if ONNX cannot express the model (a custom head); PUAD_IO, PUAD_MEMORY. */
PUAD_API puad_status puad_export_onnx(const puad_detector *model, const char *path,
                                      const puad_options *options);

#ifdef __cplusplus
}
#endif
#endif
