/* puad operate: what each threshold would do, from the rows a model held out. */
#include "cli/command.h"
#include "cli/figure_json.h"
#include "cli/json_line.h"
#include "detector/model_input.h"
#include "plot/plot.h"

#include <stdio.h>
#include <stdlib.h>

static const option options[] = {
    {.name = "points",
     .type = OPTION_INTEGER,
     .standard = "16",
     .min = 2,
     .max = OPERATING_POINTS_MOST,
     .value = "N",
     .help = "print at most this many thresholds, dense where few rows are flagged, the best F1 among them"},
    {.name = "alpha",
     .type = OPTION_NUMBER,
     .min = 0,
     .max = 0.999,
     .value = "SHARE",
     .help = "alpha_U, taken as certain, instead of the model's with its interval"},
    SEED_OPTION("of the bootstrap"),
    THREADS_OPTION("0 for one per processor; the result does not depend on it"),
    {.name = "plot", .type = OPTION_TEXT, .value = "FILE", .help = "draw the table (.svg, .png, .pdf)"},
    {.name = "json", .type = OPTION_FLAG, .help = "print one JSON object, with the raw values too"},
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG, .help = "no notes"},
};

static puad_status print_json(const operating_table *table, const calibration *held, const char *path)
{
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "model", path);
    cJSON_AddNumberToObject(object, "unlabeled", (double)held->unlabeled_count);
    cJSON_AddNumberToObject(object, "anomalies", (double)held->anomaly_count);
    json_add_double(object, "alpha", table->alpha);
    json_add_double(object, "alpha_low", table->alpha_low);
    json_add_double(object, "alpha_high", table->alpha_high);
    cJSON_AddStringToObject(object, "alpha_kind", "alpha_U");
    add_figure(object, "auroc", &table->auroc);
    cJSON_AddNumberToObject(object, "best_f1", (double)table->best_f1);
    cJSON *points = cJSON_AddArrayToObject(object, "points");
    for (size_t i = 0; i < table->count; i++) {
        const operating_point *point = &table->points[i];
        cJSON *json = cJSON_CreateObject();
        json_add_double(json, "threshold", point->threshold);
        json_add_double(json, "flagged", point->flagged);
        add_figure(json, "recall", &point->tpr);
        add_figure(json, "fpr", &point->fpr);
        add_figure(json, "precision", &point->precision);
        add_figure(json, "f1", &point->f1);
        cJSON_AddItemToArray(points, json);
    }
    return json_line(object);
}

static void print_text(const operating_table *table, const calibration *held)
{
    printf("AUROC  %.3f  (%.3f to %.3f)   anomalies like the labeled ones against normal rows\n",
           table->auroc.value, table->auroc.low, table->auroc.high);
    printf("alpha  %.4f  (%.4f to %.4f)   share of anomalies among unlabeled rows\n\n", table->alpha,
           table->alpha_low, table->alpha_high);
    printf("%12s  %7s  %-19s  %-19s  %-19s  %s\n", "threshold", "flagged", "recall", "precision",
           "false positive rate", "F1");
    for (size_t i = 0; i < table->count; i++) {
        const operating_point *point = &table->points[i];
        const operating_figure *figures[] = {&point->tpr, &point->precision, &point->fpr, &point->f1};
        printf("%12.6g  %7.4f", point->threshold, point->flagged);
        for (size_t k = 0; k < 4; k++)
            printf("  %.3f (%.3f-%.3f)", figures[k]->value, figures[k]->low, figures[k]->high);
        printf("%s\n", i == table->best_f1 ? "  best F1" : "");
    }
    printf(
        "\nIn brackets 95%% bands. From %zu unlabeled rows and %zu labeled anomalies that the model was not\n"
        "trained on, and no labeled normal row. It assumes new rows drawn like the training rows, a right "
        "alpha,\n"
        "and labeled anomalies that are a fair sample of the hidden ones; of new kinds of anomaly it cannot\n"
        "speak. 'puad score MODEL INPUT --threshold S' decides by a line of it.\n",
        held->unlabeled_count, held->anomaly_count);
}

/* Two panels over the share of rows flagged: recall with precision, and F1 with the false positive rate. */
static puad_status draw(const operating_table *table, const char *path)
{
    enum { CURVES = 4 };
    static const char *const names[CURVES] = {"recall", "precision", "F1", "false positive rate"};
    AUTO_ARENA arena memory = {0};
    double *x, *y[CURVES], *low[CURVES], *high[CURVES];
    TRY(arena_new(&memory, &x, table->count, sizeof *x));
    plot_series series[CURVES];
    for (int k = 0; k < CURVES; k++) {
        TRY(arena_new(&memory, &y[k], table->count, sizeof *x));
        TRY(arena_new(&memory, &low[k], table->count, sizeof *x));
        TRY(arena_new(&memory, &high[k], table->count, sizeof *x));
        series[k] = (plot_series){.name = names[k],
                                  .x = x,
                                  .y = y[k],
                                  .low = low[k],
                                  .high = high[k],
                                  .count = table->count,
                                  .plain = true};
    }
    for (size_t i = 0; i < table->count; i++) {
        const operating_point *point = &table->points[i];
        const operating_figure *figures[CURVES] = {&point->tpr, &point->precision, &point->f1, &point->fpr};
        x[i] = point->flagged;
        for (int k = 0; k < CURVES; k++) {
            y[k][i] = figures[k]->value;
            low[k][i] = figures[k]->low;
            high[k][i] = figures[k]->high;
        }
    }
    char title[96];
    snprintf(title, sizeof title, "AUROC %.3f (%.3f to %.3f), no labeled normals", table->auroc.value,
             table->auroc.low, table->auroc.high);
    const plot_rule alpha = {true, table->alpha, "alpha"};
    const plot_axis flagged = {.label = "share of unlabeled rows flagged", .log = true},
                    share = {.min = 0, .max = 1};
    const plot_panel panels[] = {
        {.kind = PLOT_CURVES,
         .title = "What is found, what is right",
         .x = flagged,
         .y = share,
         .series = series,
         .series_count = 2,
         .rules = &alpha,
         .rule_count = 1},
        {.kind = PLOT_CURVES,
         .title = "The balance",
         .x = flagged,
         .y = share,
         .series = series + 2,
         .series_count = 2,
         .rules = &alpha,
         .rule_count = 1},
    };
    return plot_write(&(plot_figure){.title = title, .panels = panels, .panel_count = 2}, path);
}

static puad_status answer(const invocation *call, const puad_detector *model, team *workers)
{
    const calibration *held = &model->held_out;
    const char *path = call->arguments[0];
    if (held->unlabeled_count == 0)
        FAIL(PUAD_INVALID,
             "%s holds no scores of rows it was not trained on: train it again with 'puad fit --calibrate'",
             path);
    if (held->anomaly_count == 0)
        FAIL(PUAD_INVALID,
             "%s was calibrated without labeled anomalies: the operating table needs some ('puad query' "
             "proposes "
             "rows to label)",
             path);
    bool given = is_given(call, "alpha");
    if (held->alpha_unknown && !given)
        FAIL(PUAD_INVALID, "the data that %s was trained on could not tell alpha: give it with --alpha SHARE",
             path);
    double alpha = value_of(call, "alpha")->number;
    size_t points = (size_t)value_of(call, "points")->integer;
    AUTO_OPERATING operating_table table = {0};
    TRY(operating_table_new(&table, held->anomalies, held->anomaly_count, held->unlabeled,
                            held->unlabeled_count, given ? alpha : held->alpha,
                            given ? alpha : held->alpha_low, given ? alpha : held->alpha_high,
                            points > OPERATING_GRID ? points : OPERATING_GRID,
                            (uint64_t)value_of(call, "seed")->integer, workers));
    if (is_given(call, "plot")) TRY(draw(&table, value_of(call, "plot")->text));
    operating_table_thin(&table, points);
    if (is_given(call, "json")) return print_json(&table, held, path);
    print_text(&table, held);
    return PUAD_OK;
}

static puad_status run(const invocation *call)
{
    AUTO_TEAM team *workers = NULL;
    puad_detector *model = NULL;
    TRY(team_new(&workers, (int)value_of(call, "threads")->integer));
    TRY(puad_detector_load(&model, call->arguments[0]));
    puad_status status = answer(call, model, workers);
    puad_detector_free(model);
    return status;
}

const command command_operate = {
    .name = "operate",
    .summary = "what each threshold would do, without labeled normals",
    .usage = "MODEL [OPTIONS]",
    .description =
        "Prints the operating table of a model trained with 'fit --calibrate': recall, precision, false "
        "positive rate and F1 at a range of thresholds, and the AUROC, all estimated from unlabeled "
        "rows and labeled anomalies that the model was not trained on. Bands are 95% bootstrap "
        "intervals and carry the doubt about alpha. It holds for anomalies like the labeled ones; of "
        "new kinds it cannot speak.",
    .example = "puad operate m.safetensors\npuad operate m.safetensors --points 50 --plot table.svg --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_least = 1,
    .arguments_most = 1,
    .run = run,
};
