/* puad fit: trains a detector on a file and saves it. */
#include "base/file.h"
#include "base/memory.h"
#include "cli/common/json_line.h"
#include "cli/common/message.h"
#include "cli/common/output_check.h"
#include "cli/common/print_notes.h"
#include "cli/common/print_warnings.h"
#include "cli/common/spinner.h"
#include "cli/fit_compare.h"
#include "cli/fit_display.h"
#include "cli/fit_ranks.h"
#include "cli/library_values.h"

#include <math.h>
#include <puad/detector.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static const option options[] = {
    {.name = "output", .letter = 'o', .type = OPTION_TEXT, .value = "MODEL", .help = "model file to write"},
    {.name = "update",
     .type = OPTION_TEXT,
     .value = "MODEL",
     .help = "train again with the options of this model, unless others are given; with labeled normals "
             "the pnu method with the same head is used. Reports what changed"},
    {.name = "json", .type = OPTION_FLAG, .help = "print one JSON object at the end"},
    {.name = "quiet",
     .letter = 'q',
     .type = OPTION_FLAG,
     .help = "no progress and no notes; warnings remain"},
    STRICT_OPTION("after a warning write no model, and end with status 3"),
};

static volatile sig_atomic_t interrupts;

static void on_interrupt(int number)
{
    (void)number;
    interrupts++;
}

static puad_answer show(void *context, const puad_progress *now)
{
    fit_display_show(context, now);
    if (interrupts == 0) return PUAD_GO_ON;
    /* A model that is hardly trained must not replace a good one: on an interrupt only the epoch's
     * checkpoint is kept. */
    if (now->pretraining && interrupts == 1) return now->batch < now->batches ? PUAD_GO_ON : PUAD_ABORT;
    return interrupts == 1 ? PUAD_FINISH : PUAD_ABORT;
}

static puad_status print_result(const puad_detector *model, const puad_detector *source,
                                const puad_dataset *data, const invocation *call, const char *path)
{
    double seconds = info_of(model).seconds + info_of(model).pretrain_seconds;
    double anomalies = (double)info_of(model).anomalies, normals = (double)info_of(model).normals;
    if (!is_given(call, "json")) {
        if (is_given(call, "quiet") || !path) return PUAD_OK;
        char epochs[64] = "";
        if ((double)info_of(model).epochs > 0)
            snprintf(epochs, sizeof epochs, "best epoch %.0f of %.0f, ", (double)info_of(model).best_epoch,
                     (double)info_of(model).epochs);
        fprintf(stderr, "%s: %s\n", path, info_of(model).title);
        fprintf(stderr, "%s: %.0f training rows, %.0f labeled anomalies, %.0f labeled normals, %s%.1f s\n",
                path, (double)info_of(model).rows, anomalies, normals, epochs, seconds);
        return source ? fit_print_moves(model, source, call) : PUAD_OK;
    }
    AUTO_JSON cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "method", info_of(model).method);
    TRY(fit_add_alpha(out, model));
    cJSON_AddNumberToObject(out, "rows", (double)info_of(model).rows);
    cJSON_AddNumberToObject(out, "rows_read", (double)dataset_of(data).rows_read);
    cJSON_AddNumberToObject(out, "anomalies", anomalies);
    cJSON_AddNumberToObject(out, "normals", normals);
    if ((double)info_of(model).parameters > 0) {
        cJSON_AddNumberToObject(out, "best_epoch", (double)info_of(model).best_epoch);
        json_add_double(out, "valid_loss", info_of(model).valid_loss);
    }
    json_add_double(out, "seconds", seconds);
    if (path)
        cJSON_AddStringToObject(out, "model", path);
    else
        cJSON_AddNullToObject(out, "model");
    warnings_add_json(out);
    if (source) TRY(fit_add_moves(out, model, source, call));
    return json_line(out);
}

typedef struct fit_run {
    puad_options *options;
    puad_dataset *data;
    puad_detector *source, *model;
    fit_display display;
    fit_ranks ranks;
} fit_run;

/* Loads the model of --update first: it determines how the file is read unless options do. */
static puad_status open_rows(fit_run *run, const invocation *call)
{
    const char *source = value_of(call, "update")->text;
    if (source) {
        TRY(puad_detector_load(&run->source, source));
        TRY(puad_options_take_input(run->options, run->source));
    }
    if (source || is_given(call, "answers")) TRY(puad_options_set(run->options, "reread", "yes"));
    activity_begin_reading("reading the rows", is_given(call, "quiet"), call->arguments, 1, READ_AND_ENCODE);
    puad_status status = puad_dataset_open(&run->data, call->arguments[0], NULL, run->options);
    activity_end();
    TRY(status);
    print_notes(call, run->data);
    return PUAD_OK;
}

static puad_status train(fit_run *run)
{
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    puad_options_set_progress(run->options, show, &run->display);
    sigaction(SIGINT, NULL, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGINT, &action, NULL); /* respect 'nohup' and '&' */
    activity_begin("working", run->display.quiet);
    puad_status status = run->source ? puad_detector_refit(&run->model, run->source, run->data, run->options)
                                     : puad_detector_fit(&run->model, run->data, run->options);
    activity_end();
    sigaction(SIGINT, &before, NULL);
    fit_display_end(&run->display);
    if (status == PUAD_CANCELLED)
        FAIL(status,
             "%s was stopped and no model is written; --resume continues from the last completed "
             "epoch",
             run->display.phase == 1 ? "pretraining" : "training");
    return status;
}

static puad_status fit(fit_run *run, const invocation *call, const char *path)
{
    AUTO_FREE char *checkpoint = NULL;
    if (asprintf(&checkpoint, "%s.checkpoint", path) < 0) FAIL(PUAD_MEMORY, "no memory for a name");
    TRY(output_check(call, checkpoint));
    TRY(call_options(&run->options, call));
    TRY(puad_options_set(run->options, "checkpoint", checkpoint));
    TRY(fit_ranks_share(&run->ranks, run->options, call, checkpoint));
    TRY(open_rows(run, call));
    TRY(train(run));
    if (!fit_ranks_is_first(&run->ranks)) return PUAD_OK;
    if (is_given(call, "strict") && warnings_count()) {
        message_print(MESSAGE_ERROR, "fit", "--strict: after a warning no model is written");
        return print_result(run->model, run->source, run->data, call, NULL);
    }
    TRY(puad_detector_save(run->model, path));
    if (interrupts == 0) remove(checkpoint); /* after Ctrl-C it is kept for --resume */
    return print_result(run->model, run->source, run->data, call, path);
}

static puad_status run(const invocation *call)
{
    const char *path = value_of(call, "output")->text;
    if (!path) FAIL(PUAD_INVALID, "missing output file: use -o MODEL");
    fit_run job = {.display = fit_display_begin(call)};
    puad_status status = fit_ranks_begin(&job.ranks, call);
    if (status == PUAD_OK) status = fit(&job, call, path);
    puad_detector_free(job.model);
    puad_detector_free(job.source);
    puad_dataset_free(job.data);
    puad_options_free(job.options);
    fit_ranks_end(&job.ranks, call, status);
    return status;
}

const command command_fit = {
    .name = "fit",
    .summary = "train a detector on a file and save it",
    .usage = "INPUT... -o MODEL [OPTIONS]",
    .description =
        "INPUT is a table (CSV, TSV or Excel, plain or compressed by gzip, zstd or xz), NPY, NPZ, IDX, a "
        "folder of images (PNG, JPEG, TIFF, BMP), or - for CSV on standard input. Labels are 1 for a known anomaly, 0 "
        "or empty for an unlabeled row, and -1 for a row known to be normal. By default tables use an "
        "ensemble of forests and nearest neighbors (method committee), time series (--window, "
        "--time-column) the method recurrence, and images the method pulogistic; --method selects "
        "others.\nCtrl-C ends training after the epoch and keeps the best model so far; during "
        "pretraining, or when pressed twice, it writes no model and ends with status 1. During training a "
        "checkpoint is written next to the model (MODEL.checkpoint); --resume continues from it, with the "
        "same result.\nIf mpirun or srun starts several processes, they train methods with a network "
        "together: each computes a part of every mini-batch, and the first one writes the model.",
    .example = "puad fit train.csv --label-column label -o m.safetensors\n"
               "puad fit train.csv --label-column status --positive fraud --alpha auto -o m.safetensors\n"
               "puad fit train.csv --answers ask.csv --update m.safetensors -o m2.safetensors\n"
               "mpirun -n 4 puad fit train.csv --label-column label --method puae --batch 1024 -o "
               "m.safetensors",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .groups = GROUP(FIT) | GROUP(COMMON) | GROUP(ANSWERS) | GROUP(INPUT) | GROUP(MORE),
    .arguments_least = 1,
    .arguments_most = COMMAND_ARGUMENTS_MAX,
    .joins = true,
    .run = run,
};
