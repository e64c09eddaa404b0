/* puad export: writes a model as an ONNX file, for programs without puad. */
#include "cli/common/command.h"

#include <puad/export.h>

static const option options[] = {
    {.name = "output", .letter = 'o', .type = OPTION_TEXT, .value = "FILE", .help = "the ONNX file to write"},
    {.name = "threshold",
     .type = OPTION_NUMBER,
     .min = -1e300,
     .max = 1e300,
     .value = "S",
     .help = "adds the outputs 'threshold' and 'flag', which is true if the score is at least S"},
    {.name = "flag-rate",
     .type = OPTION_TEXT,
     .value = "FRACTION|alpha",
     .help = "the same for a calibrated model, with the score that the top FRACTION of the held-out "
             "unlabeled rows reach; default alpha, if the model has one"},
    {.name = "alpha",
     .type = OPTION_NUMBER,
     .min = 0,
     .max = 0.999,
     .value = "FRACTION",
     .help = "alpha_U of a calibrated model, instead of the model's"},
    {.name = "p-values",
     .type = OPTION_CHOICE,
     .standard = "corrected",
     .choices = "corrected|plain",
     .help = "p-values of a calibrated model for the output 'p_value'; see 'puad score --help'"},
};

static puad_status run(const invocation *call)
{
    AUTO_CALL_OPTIONS puad_options *given = NULL;
    puad_detector *model = NULL;
    const char *path = value_of(call, "output")->text;
    if (!path) FAIL(PUAD_INVALID, "missing output file: use -o FILE.onnx");
    TRY(call_options(&given, call));
    TRY(puad_detector_load(&model, call->arguments[0]));
    puad_status status = puad_export_onnx(model, path, given);
    if (status == PUAD_INVALID) status_prefix("%s", call->arguments[0]);
    puad_detector_free(model);
    return status;
}

const command command_export = {
    .name = "export",
    .summary = "write a model as ONNX, from raw columns to scores",
    .usage = "MODEL -o FILE.onnx [OPTIONS]",
    .description =
        "Writes a model as an ONNX file (operator set 18 and ai.onnx.ml 3), which onnxruntime and others "
        "run. Its inputs are the raw columns: for a table one input of rows x 1 per column that the model "
        "uses, with the column's name, doubles for numbers (NaN if missing) and strings for categories "
        "(empty if missing, without surrounding blanks); columns without names are one matrix 'rows'. "
        "Images are rows x height x width x channels, 8 bits, of any size. Outputs are 'score' and, for a "
        "model trained with 'fit --calibrate', 'p_value', 'probability', 'threshold' and 'flag'. A model "
        "with a custom head cannot be exported, nor can --fdr, which needs all rows at once.",
    .example = "puad export m.safetensors -o m.onnx\npuad export m.safetensors -o m.onnx --threshold 1.5",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_least = 1,
    .arguments_most = 1,
    .run = run,
};
