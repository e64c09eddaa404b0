/* The parts of an exported model: encoding and scoring. Each function receives and returns names of values
 * in the graph. */
#ifndef EXPORT_ONNX_PARTS_H
#define EXPORT_ONNX_PARTS_H

#include "backbone/backbone.h"
#include "detector/model/model.h"
#include "export/onnx_graph.h"

/* Output names, which no input may have. */
#define OUTPUT_SCORE "score"
#define OUTPUT_P "p_value"
#define OUTPUT_PROBABILITY "probability"
#define OUTPUT_THRESHOLD "threshold"
#define OUTPUT_FLAG "flag"

/* Adds the inputs and the encoding: rows x columns floats; for images, rows x height x width x channels. */
puad_status export_rows(const char **out, graph *g, const puad_detector *model);

/* The same for a table and for images. */
puad_status export_table(const char **out, graph *g, const transform *encoding);
puad_status export_images(const char **out, graph *g, const puad_detector *model);

/* rows x side x side x 3 values in [0, 1] -> the features of a backbone, rows x columns. */
puad_status export_backbone(const char **out, graph *g, const backbone *source, int side, const char *pixels);

/* The strings of a category -> rows x width floats. */
puad_status export_category(const char **out, graph *g, const char *texts, const transform_column *column);

/* The part of a date that a column uses, of rows x 1 seconds since 1970. */
/* The code of each string in `words`; the number of strings for other strings, and one more for a missing
 * one. */
puad_status export_codes(const char **out, graph *g, const char *texts, const char *name,
                         const dictionary *words);

/* The derived columns before their encoding, rows x 1 doubles each, appended to `numbers`. `inputs` has
 * the number or the string of each file column that feeds them. */
puad_status export_derived(const char **numbers, graph *g, const char *const *inputs,
                           const transform *encoding);

const char *export_date_part(graph *g, date_part part, const char *date);

/* A layer of views: from its input to its output, and whether that is images; NULL for other layers.
 * `given` are the encoded rows. */
puad_status export_views(const char **out, bool *out_image, graph *g, const layer *self, const char *value,
                         const char *given);

/* Encoded rows -> rows x 1 scores. */
puad_status export_network(const char **out, graph *g, const puad_detector *model, const char *rows);
puad_status export_ensemble(const char **out, graph *g, const puad_detector *model, const char *rows);

#endif
