/* puad inspect: what is inside a model file. */
#include "base/padding.h"
#include "cli/command.h"
#include "cli/json_line.h"
#include "detector/calibration_file.h"
#include "detector/model_json.h"
#include "objective/objective.h"
#include "plot/plot.h"

#include "base/plain_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const option options[] = {
    {.name = "plot",
     .type = OPTION_TEXT,
     .value = "FILE",
     .help = "draws the training curves (.svg, .png, .pdf)"},
    {.name = "json", .type = OPTION_FLAG, .help = "one JSON object with everything but the weights"},
};

static puad_status print_json(const puad_detector *model)
{
    AUTO_JSON cJSON *out = cJSON_CreateObject();
    cJSON_AddItemToObject(out, "recipe", recipe_to_json(&model->how));
    cJSON_AddItemToObject(out, "facts", facts_to_json(model));
    cJSON_AddNumberToObject(out, "parameters", (double)model->parameter_count);
    if (model->held_out.unlabeled_count)
        cJSON_AddItemToObject(out, "calibration", calibration_to_json(&model->held_out));
    if (model->table) cJSON_AddItemToObject(out, "table", transform_to_json(model->table));
    if (model->input) { /* parsed, so that the line stays one of JSON whatever the file says */
        cJSON *input = NULL;
        TRY(json_parse(&input, model->input, "input"));
        cJSON_AddItemToObject(out, "input", input);
    }
    return json_line(out);
}

/* In the units of the file. */
static void print_number(const transform_column *column)
{
    double mean = column->mean, sd = column->sd;
    if (column->spread > 0) {
        mean += sd * column->shift / column->scale;
        sd *= column->spread;
    }
    printf("number, mean %.6g, sd %.6g%s\n", column->pivot + mean / column->factor, sd / fabs(column->factor),
           column->indicator ? ", may be missing" : "");
}

static void print_columns(const transform *table)
{
    if (table->image) {
        printf("input        images, resized to %dx%d, %d channels\n", table->height, table->width,
               table->channels);
        return;
    }
    size_t dropped = 0;
    for (size_t i = 0; i < table->column_count; i++) dropped += table->columns[i].type == COLUMN_DROPPED;
    printf("input        a table of %zu columns (%zu dropped), encoded as %zu\n", table->column_count,
           dropped, table->encoded);
    for (size_t i = 0; i < table->column_count; i++) {
        const transform_column *column = &table->columns[i];
        char room[SHOWN_ROOM];
        const char *name = text_shown(room, column->name);
        printf("  %s%*s ", name, text_padding(name, 20), "");
        if (column->type == COLUMN_NUMBER)
            print_number(column);
        else if (column->type == COLUMN_CATEGORY)
            printf("category, %zu columns%s\n", column->width, column->indicator ? ", may be missing" : "");
        else
            printf("dropped: %s\n", text_shown(room, column->reason));
    }
}

static void print_options(const recipe *how)
{
    printf("options      ");
    if (how->head == HEAD_DISTANCE) printf("embedding=%s ", how->linear_code ? "linear" : "bn");
    for (size_t i = 0; i < objective_option_count; i++) {
        char text[64] = "";
        const char *name = objective_options[i].name;
        if (!objective_takes(how->trains, name)) continue;
        if (objective_option_text(text, sizeof text, &how->objective, name) == PUAD_OK && *text)
            printf("%s=%s ", name, text);
    }
    if (how->noise > 0) printf("noise=%g ", how->noise);
    char room[SHOWN_ROOM];
    printf("batch %zu, learning rate %g, sampler %s%s%s\n", how->batch, how->learning_rate,
           !how->sampler_given                  ? "by the labels"
           : how->sampler == SAMPLER_STRATIFIED ? "stratified"
                                                : "shuffle",
           *how->own_objective ? ", objective " : "", text_shown(room, how->own_objective));
}

static void print_parts(const puad_detector *model)
{
    const ensemble *parts = &model->parts;
    bool all = parts->outlier_scale.count > 0;
    if (parts->trees.trees)
        printf("forest       %zu trees with %zu nodes that tell labeled anomalies from unlabeled rows\n",
               parts->trees.trees, parts->trees.nodes);
    else if (all)
        printf("forest       none: there were no labeled anomalies\n");
    if (parts->isolation.trees)
        printf("isolation    %zu trees of %zu rows each\n", parts->isolation.trees, parts->isolation.sample);
    if (parts->near.sets)
        printf("nearest      %zu samples of %zu rows each\n", parts->near.sets, parts->near.size);
    if (all)
        printf("committee    novelty %g; evidence of unusual rows %.3g p^%.3g\n", model->how.novelty,
               (double)parts->shape, (double)parts->shape - 1);
}

static void print_text(const puad_detector *model, const char *path)
{
    puad_facts facts = puad_detector_facts(model);
    char room[4][SHOWN_ROOM]; /* a file may be anybody's */
    printf("model        %s, written by puad %s\n", path, text_shown(room[0], facts.version));
    printf("method       %s: %s (%s head)\n", text_shown(room[0], facts.method), text_shown(room[1], facts.title),
           text_shown(room[2], facts.head));
    if (!model_has_network(model))
        print_parts(model);
    else
        printf("network      %s, %zu parameters\n", text_shown(room[0], facts.network), facts.parameters);
    if (model_has_network(model)) print_options(&model->how);
    printf("alpha        %g (%s)\n", facts.alpha, text_shown(room[0], facts.alpha_kind));
    printf("trained on   %zu rows: %zu labeled anomalies, %zu labeled normals, seed %llu\n", facts.rows,
           facts.anomalies, facts.normals, (unsigned long long)facts.seed);
    printf("rows         %zu x %zu x %zu values\n", facts.height, facts.width, facts.channels);
    if (model_has_network(model))
        printf("training     %zu epochs, best %zu with validation loss %.6g; %.1f s and %.1f s of "
               "pre-training\n",
               facts.epochs, facts.best_epoch, facts.valid_loss, facts.seconds, facts.pretrain_seconds);
    if (model->answer_count)
        printf("answers      %zu rows that somebody was asked about\n", model->answer_count);
    const calibration *held = &model->held_out;
    if (held->unlabeled_count)
        printf("calibration  %zu unlabeled rows and %zu labeled anomalies held out; alpha_U %.4f (%s)\n",
               held->unlabeled_count, held->anomaly_count, held->alpha,
               held->alpha_unknown     ? "unknown"
               : held->alpha_estimated ? "estimated"
                                       : "as given");
    if (model->table) print_columns(model->table);
}

enum { CURVES = 2 };

/* One panel for each phase that has epochs: loss and validation loss. */
static puad_status draw_history(const puad_detector *model, const char *path)
{
    const history *phases[CURVES] = {&model->pretraining, &model->training};
    const char *titles[CURVES] = {"pre-training", "training"};
    plot_panel panels[CURVES];
    plot_series lines[CURVES][2];
    AUTO_ARENA arena memory = {0};
    size_t count = 0;
    for (size_t p = 0; p < CURVES; p++) {
        size_t rows = phases[p]->count;
        double *x = NULL, *train = NULL, *valid = NULL;
        if (rows == 0) continue;
        TRY(arena_new(&memory, &x, rows, sizeof *x));
        TRY(arena_new(&memory, &train, rows, sizeof *x));
        TRY(arena_new(&memory, &valid, rows, sizeof *x));
        for (size_t i = 0; i < rows; i++) {
            x[i] = phases[p]->rows[i].epoch;
            train[i] = phases[p]->rows[i].train_loss;
            valid[i] = phases[p]->rows[i].valid_loss;
        }
        lines[count][0] = (plot_series){.name = "training loss", .x = x, .y = train, .count = rows};
        lines[count][1] = (plot_series){.name = "validation loss", .x = x, .y = valid, .count = rows};
        panels[count] = (plot_panel){.kind = PLOT_CURVES,
                                     .title = titles[p],
                                     .x = {.label = "epoch"},
                                     .y = {.label = "loss"},
                                     .series = lines[count],
                                     .series_count = 2};
        count++;
    }
    if (count == 0) FAIL(PUAD_INVALID, "this model has no epochs to draw");
    return plot_write(&(plot_figure){.title = model->how.kind->title, .panels = panels, .panel_count = count},
                      path);
}

static puad_status run(const invocation *call)
{
    puad_detector *model = NULL;
    TRY(puad_detector_load(&model, call->arguments[0]));
    puad_status status = PUAD_OK;
    if (is_given(call, "json"))
        status = print_json(model);
    else
        print_text(model, call->arguments[0]);
    if (status == PUAD_OK && is_given(call, "plot"))
        status = draw_history(model, value_of(call, "plot")->text);
    puad_detector_free(model);
    return status;
}

const command command_inspect = {
    .name = "inspect",
    .summary = "what is inside a model file",
    .usage = "MODEL [OPTIONS]",
    .description = "Prints the method, its options, what it was trained on, how training went, and how the "
                   "columns of a file become its input.",
    .example = "puad inspect m.safetensors --plot curve.svg",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_least = 1,
    .arguments_most = 1,
    .run = run,
};
