/* puad operate: the operating table, from the rows that a model held out. */
#include "base/memory.h"
#include "cli/audit/operate_audit.h"
#include "cli/common/command.h"
#include "cli/common/figure_json.h"
#include "cli/common/print_warnings.h"
#include "cli/common/table_print.h"
#include "cli/library_values.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 64 }; /* enough points that the best of them is close to the optimum */

static const option options[] = {
    {.name = "points",
     .type = OPTION_INTEGER,
     .standard = "16",
     .min = 2,
     .max = PUAD_OPERATING_POINTS_MAX,
     .value = "N",
     .help = "print at most this many thresholds, dense where few rows are flagged, including the best F1"},
    {.name = "alpha",
     .type = OPTION_NUMBER,
     .min = 0,
     .max = 0.999,
     .value = "FRACTION",
     .help = "alpha_U, assumed to be exact, instead of the model's with its interval"},
    {.name = "answers",
     .type = OPTION_LIST,
     .value = "FILE",
     .help = "answers to 'puad query --audit' about INPUT: the table then depends only on them"},
    SHARED_OPTION("fdr",
                  "with --answers: the fraction of false alarms to guarantee; default: that of the audit"),
    SEED_OPTION("random seed of the bands"),
    THREADS_OPTION("0 for one per processor; results do not depend on it"),
    {.name = "plot", .type = OPTION_TEXT, .value = "FILE", .help = "draw the table (.svg, .png, .pdf)"},
    OUTPUT_OPTION,
    FORMAT_OPTION,
    {.name = "json", .type = OPTION_FLAG, .help = "print one JSON object, including the raw values"},
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG, .help = "no notes; warnings remain"},
    STRICT_OPTION("end with status 3 after a warning"),
};

static void table_freed(puad_operating **owner)
{
    puad_operating_free(*owner);
}
#define AUTO_OPERATING __attribute__((cleanup(table_freed)))

static const struct {
    const char *name;
    size_t offset; /* in puad_operating_point */
} figures[] = {{"recall", offsetof(puad_operating_point, recall)},
               {"precision", offsetof(puad_operating_point, precision)},
               {"fpr", offsetof(puad_operating_point, fpr)},
               {"f1", offsetof(puad_operating_point, f1)}};
enum { FIGURES = sizeof figures / sizeof *figures };

static puad_figure figure_of(const puad_operating *table, size_t point, size_t k)
{
    puad_figure found;
    puad_operating_point at = operating_point(table, point);
    memcpy(&found, (const char *)&at + figures[k].offset, sizeof found);
    return found;
}

/* Rounds sums of fractions: 0.9999999999999981 becomes 1. */
static double rounded(double value)
{
    return round(value * 1e12) / 1e12;
}

static puad_status print_json(const puad_operating *table, const puad_detector *model, const invocation *call)
{
    bool given = is_given(call, "alpha");
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    puad_figure alpha = operating_of(table).alpha;
    cJSON_AddStringToObject(object, "model", call->arguments[0]);
    cJSON_AddNumberToObject(object, "unlabeled", (double)calibration_of(model).unlabeled_count);
    cJSON_AddNumberToObject(object, "anomalies", (double)calibration_of(model).anomaly_count);
    json_add_double(object, "alpha", alpha.value);
    json_add_double(object, "alpha_low", alpha.low);
    json_add_double(object, "alpha_high", alpha.high);
    cJSON_AddStringToObject(object, "alpha_kind",
                            given || !calibration_of(model).alpha_estimated ? "given" : "alpha_U");
    add_figure(object, "auroc", operating_of(table).auroc);
    double best = (double)operating_of(table).best_f1;
    json_add_double(object, "best_f1_index", isnan(alpha.value) ? NAN : best);
    json_add_double(object, "best_youden_index", isnan(alpha.value) ? best : NAN);
    cJSON *points = cJSON_AddArrayToObject(object, "points");
    for (size_t i = 0; i < operating_of(table).count; i++) {
        cJSON *json = cJSON_CreateObject();
        json_add_double(json, "threshold", operating_point(table, i).threshold);
        json_add_double(json, "flagged", rounded(operating_point(table, i).flagged));
        for (size_t k = 0; k < FIGURES; k++) add_figure(json, figures[k].name, figure_of(table, i, k));
        cJSON_AddItemToArray(points, json);
    }
    warnings_add_json(object);
    return result_print(call, object, "points");
}

/* Thresholds have nine digits, which identify a float: passed to --threshold they flag the same rows. */
static void print_text(const puad_operating *table, const puad_detector *model)
{
    puad_figure auroc = operating_of(table).auroc, alpha = operating_of(table).alpha;
    bool known = !isnan(alpha.value);
    char value[2][16] = {"unknown", "unknown"};
    if (known) snprintf(value[0], sizeof value[0], "%.3f", auroc.value);
    if (known) snprintf(value[1], sizeof value[1], "%.4f", alpha.value);
    printf("AUROC  %s  (%.3f to %.3f)   anomalies like the labeled ones against normal rows\n", value[0],
           auroc.low, auroc.high);
    printf("alpha  %s  (%.4f to %.4f)   fraction of anomalies among unlabeled rows\n\n", value[1], alpha.low,
           alpha.high);
    printf("%15s  %7s  %-19s  %-19s  %-19s  %s\n", "threshold", "flagged", "recall", "precision",
           "false positive rate", "F1");
    for (size_t i = 0; i < operating_of(table).count; i++) {
        printf("%15.9g  %7.4f", operating_point(table, i).threshold, operating_point(table, i).flagged);
        for (size_t k = 0; k < FIGURES; k++) {
            puad_figure figure = figure_of(table, i, k);
            if (isnan(figure.value))
                printf("  %-19s", "unknown");
            else
                printf("  %.3f (%.3f-%.3f)", figure.value, figure.low, figure.high);
        }
        bool best = i == operating_of(table).best_f1;
        printf("%s\n", !best ? "" : known ? "  best F1" : "  largest Youden index");
    }
    printf(
        "\nIn brackets 95%% intervals or wider. From %zu unlabeled rows held out of training and %zu "
        "cross-fitted\nlabeled anomalies; labeled normal rows are not used. Assumes that new rows resemble "
        "the training rows,\nthat alpha is correct, and that labeled anomalies are a random sample of the "
        "hidden ones; says nothing\nabout new kinds of anomaly. 'puad score MODEL INPUT --threshold S' "
        "decides by one of these thresholds.\n",
        calibration_of(model).unlabeled_count, calibration_of(model).anomaly_count);
}

/* Two panels over the fraction of flagged rows: recall with precision, and F1 with the false positive
 * rate. */
static puad_status draw(const puad_operating *table, const char *path)
{
    enum { CURVES = 4 };
    static const char *const names[CURVES] = {"recall", "precision", "F1", "false positive rate"};
    AUTO_ARENA arena memory = {0};
    size_t count = operating_of(table).count;
    puad_figure auroc = operating_of(table).auroc;
    double *x, *y[CURVES], *low[CURVES], *high[CURVES];
    TRY(arena_new(&memory, &x, count, sizeof *x));
    plot_series series[CURVES];
    for (int k = 0; k < CURVES; k++) {
        TRY(arena_new(&memory, &y[k], count, sizeof *x));
        TRY(arena_new(&memory, &low[k], count, sizeof *x));
        TRY(arena_new(&memory, &high[k], count, sizeof *x));
        series[k] = (plot_series){.name = names[k],
                                  .x = x,
                                  .y = y[k],
                                  .low = low[k],
                                  .high = high[k],
                                  .count = count,
                                  .plain = true};
    }
    for (size_t i = 0; i < count; i++) {
        const puad_operating_point at = operating_point(table, i);
        const puad_figure *const curves[CURVES] = {&at.recall, &at.precision, &at.f1, &at.fpr};
        x[i] = at.flagged;
        for (int k = 0; k < CURVES; k++) {
            y[k][i] = curves[k]->value;
            low[k][i] = curves[k]->low;
            high[k][i] = curves[k]->high;
        }
    }
    bool known = !isnan(operating_of(table).alpha.value);
    char title[96];
    if (known)
        snprintf(title, sizeof title, "AUROC %.3f (%.3f to %.3f)", auroc.value, auroc.low, auroc.high);
    else
        snprintf(title, sizeof title, "AUROC %.3f to %.3f", auroc.low, auroc.high);
    const plot_rule alpha = {true, operating_of(table).alpha.value, "alpha"};
    const plot_axis flagged = {.label = "fraction of unlabeled rows flagged", .log = true},
                    share = {.min = 0, .max = 1};
    const plot_panel panels[] = {
        {.kind = PLOT_CURVES,
         .title = "Recall and precision",
         .x = flagged,
         .y = share,
         .series = series,
         .series_count = known ? 2 : 1,
         .rules = &alpha,
         .rule_count = known},
        {.kind = PLOT_CURVES,
         .title = "F1 and false positive rate",
         .x = flagged,
         .y = share,
         .series = series + 2,
         .series_count = 2,
         .rules = &alpha,
         .rule_count = known},
    };
    return plot_write(&(plot_figure){.title = title, .panels = panels, .panel_count = known ? 2 : 1}, path);
}

static puad_status answer(const invocation *call, const puad_detector *model, const puad_options *given)
{
    AUTO_OPERATING puad_operating *table = NULL;
    size_t points = (size_t)value_of(call, "points")->integer;
    puad_status status = puad_operating_new(&table, model, points > GRID ? points : GRID, given);
    if (status != PUAD_OK) status_prefix("%s", call->arguments[0]);
    TRY(status);
    if (is_given(call, "plot")) TRY(draw(table, value_of(call, "plot")->text));
    puad_operating_thin(table, points);
    if (!prints_text(call)) return print_json(table, model, call);
    print_text(table, model);
    return PUAD_OK;
}

static puad_status run(const invocation *call)
{
    AUTO_CALL_OPTIONS puad_options *given = NULL;
    puad_detector *model = NULL;
    if (is_given(call, "answers") != (call->argument_count > 1))
        FAIL(PUAD_INVALID, "--answers needs INPUT, the rows that were audited, and INPUT needs --answers");
    if (is_given(call, "answers")) return operate_audit(call);
    if (is_given(call, "fdr"))
        FAIL(PUAD_INVALID, "--fdr needs --answers here; 'puad score --fdr' decides without");
    TRY(call_options(&given, call));
    TRY(puad_detector_load(&model, call->arguments[0]));
    warnings_of_model(call, model);
    puad_status status = answer(call, model, given);
    puad_detector_free(model);
    return status;
}

const command command_operate = {
    .name = "operate",
    .alias = "thresholds",
    .summary = "estimate recall and precision for each threshold",
    .usage = "MODEL [INPUT --answers FILE] [OPTIONS]",
    .description =
        "Prints the operating table of a model trained with 'fit --calibrate': recall, precision, false "
        "positive rate and F1 at a range of thresholds, and the AUROC, all estimated from unlabeled rows "
        "held out of training and from cross-fitted labeled anomalies (each scored by a model trained "
        "without it). Intervals are the central 95% (recall: 99%) of simulated batches of new rows and "
        "include the uncertainty of alpha; with --alpha they are 95% bootstrap intervals. The table is "
        "about anomalies like the labeled ones and says nothing about new kinds of anomaly.\nWith "
        "--answers and INPUT the table is about the rows of INPUT and depends only on the rows that a "
        "person has checked ('puad query --audit'): the smallest rate that each threshold supports, a 90% "
        "limit of its fraction of false alarms, precision and recall.",
    .example =
        "puad operate m.safetensors new.csv --answers audit.csv --fdr 0.1\npuad operate m.safetensors\npuad operate m.safetensors --points 50 --plot table.svg --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints = true,
    .groups = GROUP(INPUT),
    .arguments_least = 1,
    .arguments_most = 2,
    .run = run,
};
