/* puad report: from a file to one HTML page about it. */
#include "base/file.h"
#include "cli/common/message.h"
#include "cli/common/output_check.h"
#include "cli/common/print_notes.h"
#include "cli/common/print_warnings.h"
#include "cli/common/spinner.h"
#include "cli/fit_display.h"
#include "cli/library_values.h"
#include "cli/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .standard = "report.html",
     .value = "FILE",
     .help = "the HTML page to write"},
    {.name = "model",
     .type = OPTION_TEXT,
     .value = "MODEL",
     .help = "use this model instead of training one; the rows of all files are then ranked"},
    {.name = "save-model",
     .type = OPTION_TEXT,
     .value = "FILE",
     .help = "where to write the trained model; default: report.safetensors in the folder of the page"},
    {.name = "compare",
     .type = OPTION_FLAG,
     .help = "compare the first two ranked files: columns, scores, flagged rows; with one NEW, compare TRAIN "
             "with it"},
    {.name = "audit",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 2000,
     .value = "N",
     .help =
         "draw N rows of NEW at random for a person to check on the page: the answers prove an error rate"},
    {.name = "audit-answers",
     .type = OPTION_LIST,
     .value = "FILE",
     .help = "checked rows of --audit or 'puad query --audit': the page shows what they guarantee at --fdr"},
    {.name = "title", .type = OPTION_TEXT, .value = "TEXT", .help = "title of the page"},
    {.name = "top",
     .letter = 'n',
     .type = OPTION_INTEGER,
     .standard = "1000",
     .min = 1,
     .max = REPORT_LISTED_MAX,
     .value = "K",
     .help = "list and explain the K rows with the largest scores"},
    {.name = "quiet",
     .letter = 'q',
     .type = OPTION_FLAG,
     .help = "no progress and no notes; warnings remain"},
    STRICT_OPTION("after a warning write no page, and end with status 3"),
};

/* Holds rows out unless there are too few of them. */
static puad_status fit(report *self, const puad_dataset *rows, const invocation *call)
{
    bool given = is_given(call, "calibrate");
    if (!given)
        TRY(puad_options_set(self->options, "calibrate", option_at(puad_option_find("calibrate")).standard));
    puad_status status = puad_detector_fit(&self->model, rows, self->options);
    if (status != PUAD_INVALID || given || !strstr(puad_last_error(), "option 'calibrate'")) return status;
    char message[SPOKEN_CAPACITY];
    self->uncalibrated = report_text(self, "%s", speak(message, call->command, puad_last_error()));
    if (!is_given(call, "quiet"))
        message_print(MESSAGE_NOTE, "report", "no rows are held out, so nothing can be estimated");
    if (!is_given(call, "quiet")) message_print(MESSAGE_NOTE, "report", "%s", self->uncalibrated);
    AUTO_CALL_OPTIONS puad_options *again = NULL;
    TRY(call_options(&again, call));
    return puad_detector_fit(&self->model, rows, again);
}

/* The default path of the model: "report.html" gives "report.safetensors". */
static const char *model_beside(report *self, const char *path)
{
    size_t length = strlen(path);
    if (length > 5 && strcmp(path + length - 5, ".html") == 0) length -= 5;
    return report_text(self, "%.*s.safetensors", (int)length, path);
}

static puad_status train(report *self, const invocation *call)
{
    fit_display on = fit_display_begin(call);
    self->train_path = call->arguments[0];
    TRY(puad_options_set(self->options, "reread", "yes"));
    activity_begin_reading("reading the rows", on.quiet, &self->train_path, 1, READ_AND_ENCODE);
    puad_status status = puad_dataset_open(&self->train, self->train_path, NULL, self->options);
    activity_end();
    TRY(status);
    print_notes(call, self->train);
    puad_options_set_progress(self->options, fit_display_show, &on);
    activity_begin("working", on.quiet);
    status = fit(self, self->train, call);
    activity_end();
    fit_display_end(&on);
    TRY(status);
    self->model_path = value_of(call, "save-model")->text;
    if (!self->model_path && !file_is_pipe(value_of(call, "output")->text))
        self->model_path = model_beside(self, value_of(call, "output")->text);
    return PUAD_OK;
}

/* The files after TRAIN; TRAIN itself if there are none, or if it is compared with one. */
static puad_status open_inputs(report *self, const invocation *call)
{
    size_t first = self->train_path ? 1 : 0, count = call->argument_count - first;
    self->compares = is_given(call, "compare");
    if (self->compares && call->argument_count < 2)
        FAIL(PUAD_INVALID, "--compare needs two files: puad report --compare LAST THIS");
    if (self->compares && count == 1) first = 0, count = 2;
    if (count) return report_open(self, call->arguments + first, count);
    self->ranks_training = true;
    return report_open(self, &self->train_path, 1);
}

/* If alpha is not identifiable, the page flags no rows unless a threshold was asked for. */
static void print_made(const report *self, const char *path, bool replaced)
{
    char flagged[64] = "";
    if (!report_is_declined(self) || strcmp(self->suggestion, "best_f1") != 0)
        snprintf(flagged, sizeof flagged, ", %zu flagged", report_flagged(self));
    fprintf(stderr, "%s%s: %zu rows ranked%s; open it in a browser\n", path, replaced ? " (replaced)" : "",
            self->ranked_count, flagged);
}

static puad_status make(report *self, const invocation *call)
{
    const char *model = value_of(call, "model")->text, *path = value_of(call, "output")->text;
    bool quiet = is_given(call, "quiet");
    TRY(call_options(&self->options, call));
    if (model && is_given(call, "save-model"))
        FAIL(PUAD_INVALID, "--save-model saves the trained model, but --model trains none: give one of them");
    if (!model) {
        TRY(train(self, call));
        if (self->model_path) TRY(output_check(call, self->model_path));
    } else {
        self->model_path = model;
        TRY(puad_detector_load(&self->model, model));
        warnings_of_model(call, self->model);
    }
    TRY(open_inputs(self, call));
    TRY(report_audit_prepare(self, call));
    TRY(report_rank(self));
    if (is_given(call, "strict") && warnings_count()) return PUAD_OK;
    bool replaced = file_exists(path) && !file_is_pipe(path);
    if (!model && self->model_path) TRY(puad_detector_save(self->model, self->model_path));
    TRY(report_page_write(self, path, value_of(call, "title")->text));
    if (!quiet) print_made(self, path, replaced);
    return PUAD_OK;
}

static puad_status run(const invocation *call)
{
    report self = {.call = call, .top = (size_t)value_of(call, "top")->integer};
    puad_status status = make(&self, call);
    puad_dataset_free(self.train);
    report_free(&self);
    puad_detector_free(self.model);
    puad_options_free(self.options);
    return status;
}

const command command_report = {
    .name = "report",
    .summary = "train, rank and explain, in one HTML page you can share",
    .usage = "TRAIN [NEW ...] [OPTIONS]",
    .description =
        "Trains on TRAIN and ranks the rows of NEW, or the unlabeled rows of TRAIN if no NEW is given. "
        "Writes one self-contained HTML page: how many rows to check and what to expect of them; all "
        "flagged rows with their values, typical values and reasons; a threshold by capacity or by cost; "
        "groups of rows, new kinds first; drift; recall and precision with their intervals; columns and "
        "settings. On the page, rows can be marked as anomaly, normal or unsure, and saved as a file of "
        "answers for 'puad fit'. The model is written to the folder of the page.\nWith --compare the page "
        "shows what changed between two files: columns, scores and flagged rows.\nThe formats are those of "
        "'puad fit': tables, time series (--window), which are drawn with the flagged intervals shaded, or "
        "folders of images, which are shown with heat maps. Rows of tables and images are streamed, so "
        "files to rank may have any length.\nA part of the rows is held out of training for the estimates "
        "(--calibrate), unless there are too few.",
    .example =
        "puad report train.csv --label-column label -o report.html\n"
        "puad report train.csv new.csv --label-column label --id-column account -o report.html\n"
        "puad report --model m.safetensors new.csv -o report.html\n"
        "puad report --model m.safetensors --compare october.csv november.csv -o changes.html\n"
        "puad report series.csv --time-column timestamp --window 64 --intervals faults.csv -o report.html",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .groups = GROUP(FIT) | GROUP(COMMON) | GROUP(INPUT) | GROUP(MORE) | GROUP(DECISION),
    .arguments_least = 1,
    .arguments_most = COMMAND_ARGUMENTS_MAX,
    .run = run,
};
