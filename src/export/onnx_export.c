/* Implements <puad/export.h>: writes a model as an ONNX file. */
#include "base/file.h"
#include "detector/model_series.h"
#include "export/onnx_decision.h"
#include "export/onnx_parts.h"

#include <puad/export.h>
#include <puad/puad.h>
#include <string.h>

enum { OPSET = 18, ML_OPSET = 3, IR_VERSION = 8 };
enum {
    MODEL_IR = 1,
    MODEL_PRODUCER = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    MODEL_METADATA = 14
};
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2, METADATA_KEY = 1, METADATA_VALUE = 2 };

static void write_opset(wire *to, const char *domain, int version)
{
    wire made = {0};
    wire_text(&made, OPSET_DOMAIN, domain);
    wire_integer(&made, OPSET_VERSION, version);
    wire_message(to, MODEL_OPSET, &made);
}

static void write_metadata(wire *to, const char *key, const char *value)
{
    wire made = {0};
    wire_text(&made, METADATA_KEY, key);
    wire_text(&made, METADATA_VALUE, value);
    wire_message(to, MODEL_METADATA, &made);
}

static puad_status build(graph *g, const puad_detector *model, const puad_options *options)
{
    const char *rows, *score;
    TRY(model_refuse_series(model, "an export", "use 'puad score -' or puad_stream_open"));
    TRY(export_rows(&rows, g, model));
    TRY(model_has_network(model) ? export_network(&score, g, model, rows)
                                 : export_ensemble(&score, g, model, rows));
    graph_output(g, score, OUTPUT_SCORE, ONNX_FLOAT, (const int64_t[]){-1, 1}, 2);
    TRY(export_decision(g, model, options, score));
    return graph_status(g);
}

puad_status puad_export_onnx(const puad_detector *model, const char *path, const puad_options *options)
{
    NEED(model);
    NEED(path);
    AUTO_ARENA arena memory = {0};
    AUTO_GRAPH graph g = {.memory = &memory, .names = &(size_t){0}};
    AUTO_WIRE wire whole = {0};
    TRY(build(&g, model, options));
    wire_integer(&whole, MODEL_IR, IR_VERSION);
    wire_text(&whole, MODEL_PRODUCER, "puad");
    wire_text(&whole, MODEL_PRODUCER_VERSION, puad_version());
    write_opset(&whole, "", OPSET);
    write_opset(&whole, "ai.onnx.ml", ML_OPSET);
    write_metadata(&whole, "puad.method", model->config.kind->name);
    graph_encode(&whole, MODEL_GRAPH, &g, "puad");
    TRY(whole.status);
    return file_write(path, whole.bytes, whole.size);
}
