/* puad inspect: describes a model file. */
#include "base/memory.h"
#include "base/plain_text.h"
#include "cli/common/command.h"
#include "cli/common/table_print.h"
#include "cli/library_values.h"
#include "plot/plot.h"

#include <math.h>
#include <puad/calibration.h>
#include <puad/explain.h>
#include <puad/history.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option options[] = {
    {.name = "plot",
     .type = OPTION_TEXT,
     .value = "FILE",
     .help = "draw the training curves (.svg, .png, .pdf)"},
    OUTPUT_OPTION,
    FORMAT_OPTION,
    {.name = "json", .type = OPTION_FLAG, .help = "print one JSON object with everything except the weights"},
};

static puad_status print_json(const invocation *call, const puad_detector *model)
{
    char *text = NULL;
    AUTO_JSON cJSON *object = NULL;
    TRY(puad_detector_to_json(&text, model));
    puad_status status = json_parse(&object, text, "the model");
    puad_free(text);
    TRY(status);
    return result_print(call, object, NULL);
}

static void print_columns(const puad_detector *model)
{
    size_t columns = info_of(model).column_count, dropped = 0;
    puad_column column = {.struct_size = sizeof column};
    char text[512];
    if (info_of(model).image != 0) {
        printf("input        images, resized to %.0fx%.0f, %.0f channels\n", (double)info_of(model).height,
               (double)info_of(model).width, (double)info_of(model).channels);
        return;
    }
    if ((double)info_of(model).window > 0)
        printf("windows      of %.0f rows of a time series, %.0f apart; a row's score is the mean over the "
               "windows that contain it\n",
               (double)info_of(model).window, (double)info_of(model).stride);
    for (size_t i = 0; i < columns; i++)
        dropped += puad_detector_column(model, &column, i) == PUAD_OK && column.kind == PUAD_COLUMN_UNUSED;
    if (columns)
        printf("input        a table of %zu columns (%zu dropped), encoded as %.0f\n", columns, dropped,
               (double)info_of(model).columns);
    for (size_t i = 0; i < columns; i++) {
        char buffer[2][SHOWN_CAPACITY];
        if (puad_detector_column(model, &column, i) != PUAD_OK ||
            puad_column_text(&column, text, sizeof text, PUAD_COLUMN_ALL) != PUAD_OK)
            continue;
        const char *name = text_shown(buffer[0], column.name);
        printf("  %s%*s %s\n", name, text_padding(name, 20), "", text_shown(buffer[1], text));
    }
}

/* Prints the options that the method uses, then how batches are drawn. */
static void print_options(const puad_detector *model)
{
    char text[128], batch[32] = "", rate[64] = "";
    printf("options      ");
    for (size_t i = 0; i < puad_option_count(); i++) {
        if (option_at(i).group != PUAD_GROUP_METHOD) continue;
        const char *name = option_at(i).name;
        if (puad_detector_option(model, text, sizeof text, name) != PUAD_OK || !*text) continue;
        if (strcmp(text, "0") != 0) printf("%s=%s ", name, text);
    }
    puad_detector_option(model, batch, sizeof batch, "batch");
    puad_detector_option(model, rate, sizeof rate, "lr");
    puad_detector_option(model, text, sizeof text, "sampler");
    printf("batch %s, learning rate %s, sampler %s\n", batch, rate, *text ? text : "chosen by the labels");
}

static void print_calibration(const puad_detector *model)
{
    puad_calibration held = calibration_of(model);
    if (!held.unlabeled_count) return;
    printf(
        "calibration  %zu unlabeled rows held out, %zu labeled anomalies cross-fitted; alpha_U %.4f (%s)\n",
        held.unlabeled_count, held.anomaly_count, held.alpha_known ? held.alpha : 0,
        !held.alpha_known      ? "unknown"
        : held.alpha_estimated ? "estimated"
                               : "as given");
}

static void print_parts(const puad_detector *model)
{
    char text[256];
    for (size_t i = 0; puad_detector_part(model, text, sizeof text, i) == PUAD_OK && *text; i++) puts(text);
}

static void print_warnings(const puad_detector *model, const command *which)
{
    char text[SPOKEN_CAPACITY], message[SPOKEN_CAPACITY];
    for (size_t i = 0; i < info_of(model).warning_count; i++) {
        speak(message, which, puad_detector_warning(model, i)->text);
        text_plain(text, sizeof text, message, false);
        printf("warning      %s\n", text);
    }
}

static void print_text(const puad_detector *model, const invocation *call)
{
    bool network = (double)info_of(model).parameters > 0;
    double answers = (double)info_of(model).answers;
    char seed[32] = "";
    puad_detector_option(model, seed, sizeof seed, "seed");
    char buffer[3][SHOWN_CAPACITY]; /* model files are untrusted */
    printf("model        %s, written by puad %s\n", call->arguments[0],
           text_shown(buffer[0], info_of(model).version));
    printf("method       %s: %s (%s head)\n", text_shown(buffer[0], info_of(model).method),
           text_shown(buffer[1], info_of(model).title), text_shown(buffer[2], info_of(model).head));
    if (!network) {
        print_parts(model);
    } else {
        printf("network      %s, %.0f parameters\n", text_shown(buffer[0], info_of(model).network),
               (double)info_of(model).parameters);
        print_options(model);
    }
    if (isfinite(info_of(model).alpha))
        printf("alpha        %g (%s)\n", info_of(model).alpha,
               text_shown(buffer[0], info_of(model).alpha_kind));
    printf("trained on   %.0f rows: %.0f labeled anomalies, %.0f labeled normals, seed %s\n",
           (double)info_of(model).rows, (double)info_of(model).anomalies, (double)info_of(model).normals,
           seed);
    printf("rows         %.0f x %.0f x %.0f values\n", (double)info_of(model).height,
           (double)info_of(model).width, (double)info_of(model).channels);
    if (network)
        printf("training     %.0f epochs, best %.0f with validation loss %.6g\n",
               (double)info_of(model).epochs, (double)info_of(model).best_epoch, info_of(model).valid_loss);
    if (answers > 0) printf("answers      %.0f rows with answers from a reviewer\n", answers);
    print_calibration(model);
    print_warnings(model, call->command);
    print_columns(model);
}

enum { CURVES = 2 };

/* One panel for each phase with epochs: loss and validation loss. */
static puad_status draw_history(const puad_detector *model, const char *path)
{
    static const puad_phase phases[CURVES] = {PUAD_PHASE_PRETRAINING, PUAD_PHASE_TRAINING};
    const char *titles[CURVES] = {"pretraining", "training"};
    plot_panel panels[CURVES];
    plot_series lines[CURVES][2];
    AUTO_ARENA arena memory = {0};
    size_t count = 0;
    for (size_t p = 0; p < CURVES; p++) {
        size_t rows = p == 0 ? info_of(model).pretrain_epochs : info_of(model).epochs;
        double *x = NULL, *train = NULL, *valid = NULL;
        if (rows == 0) continue;
        TRY(arena_new(&memory, &x, rows, sizeof *x));
        TRY(arena_new(&memory, &train, rows, sizeof *x));
        TRY(arena_new(&memory, &valid, rows, sizeof *x));
        for (size_t i = 0; i < rows; i++) {
            x[i] = (double)epoch_at(model, phases[p], i).epoch;
            train[i] = epoch_at(model, phases[p], i).train_loss;
            valid[i] = epoch_at(model, phases[p], i).valid_loss;
        }
        lines[count][0] = (plot_series){.name = "training loss", .x = x, .y = train, .count = rows};
        lines[count][1] = (plot_series){.name = "validation loss", .x = x, .y = valid, .count = rows};
        panels[count] = (plot_panel){.kind = PLOT_CURVES,
                                     .title = titles[p],
                                     .x = {.label = "epoch", .whole = true},
                                     .y = {.label = "loss"},
                                     .series = lines[count],
                                     .series_count = 2};
        count++;
    }
    if (count == 0) FAIL(PUAD_INVALID, "this model has no epochs to draw");
    return plot_write(&(plot_figure){.title = info_of(model).title, .panels = panels, .panel_count = count},
                      path);
}

static puad_status run(const invocation *call)
{
    puad_detector *model = NULL;
    TRY(puad_detector_load(&model, call->arguments[0]));
    puad_status status = PUAD_OK;
    if (!prints_text(call))
        status = print_json(call, model);
    else
        print_text(model, call);
    if (status == PUAD_OK && is_given(call, "plot"))
        status = draw_history(model, value_of(call, "plot")->text);
    puad_detector_free(model);
    return status;
}

const command command_inspect = {
    .name = "inspect",
    .summary = "describe a model file",
    .usage = "MODEL [OPTIONS]",
    .description = "Prints the method, its options, the training data, the course of training, and how the "
                   "columns of a file become the model's input.",
    .example = "puad inspect m.safetensors --plot curve.svg",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints = true,
    .arguments_least = 1,
    .arguments_most = 1,
    .run = run,
};
