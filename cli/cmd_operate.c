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

enum { GRID = 64 }; /* enough points that the best of them is close to the optimum */

static const option options[] = {
    {.name = "points",
     .type = OPTION_INTEGER,
     .standard = "16",
     .min = 2,
     .max = PUAD_OPERATING_POINTS_MOST,
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
    puad_operating_figure which;
} figures[] = {{"recall", PUAD_OPERATING_RECALL},
               {"precision", PUAD_OPERATING_PRECISION},
               {"fpr", PUAD_OPERATING_FPR},
               {"f1", PUAD_OPERATING_F1}};
enum { FIGURES = sizeof figures / sizeof *figures };

/* Rounds sums of fractions: 0.9999999999999981 becomes 1. */
static double rounded(double value)
{
    return round(value * 1e12) / 1e12;
}

static puad_status print_json(const puad_operating *table, const puad_detector *model, const invocation *call)
{
    bool given = is_given(call, "alpha");
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    puad_figure alpha = puad_operating_alpha(table);
    cJSON_AddStringToObject(object, "model", call->arguments[0]);
    cJSON_AddNumberToObject(object, "unlabeled", (double)calibration_of(model).unlabeled_count);
    cJSON_AddNumberToObject(object, "anomalies", (double)calibration_of(model).anomaly_count);
    json_add_double(object, "alpha", alpha.value);
    json_add_double(object, "alpha_low", alpha.low);
    json_add_double(object, "alpha_high", alpha.high);
    cJSON_AddStringToObject(object, "alpha_kind",
                            given || !calibration_of(model).alpha_estimated ? "given" : "alpha_U");
    add_figure(object, "auroc", puad_operating_auroc(table));
    json_add_double(object, "best_f1_index",
                    isnan(alpha.value) ? NAN : (double)puad_operating_best_f1(table));
    cJSON *points = cJSON_AddArrayToObject(object, "points");
    for (size_t i = 0; i < puad_operating_count(table); i++) {
        cJSON *json = cJSON_CreateObject();
        json_add_double(json, "threshold", puad_operating_at(table, i, PUAD_OPERATING_THRESHOLD).value);
        json_add_double(json, "flagged", rounded(puad_operating_at(table, i, PUAD_OPERATING_FLAGGED).value));
        for (size_t k = 0; k < FIGURES; k++)
            add_figure(json, figures[k].name, puad_operating_at(table, i, figures[k].which));
        cJSON_AddItemToArray(points, json);
    }
    warnings_add_json(object);
    return result_print(call, object, "points");
}

/* Thresholds have nine digits, which identify a float: passed to --threshold they flag the same rows. */
static void print_text(const puad_operating *table, const puad_detector *model)
{
    puad_figure auroc = puad_operating_auroc(table), alpha = puad_operating_alpha(table);
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
    for (size_t i = 0; i < puad_operating_count(table); i++) {
        printf("%15.9g  %7.4f", puad_operating_at(table, i, PUAD_OPERATING_THRESHOLD).value,
               puad_operating_at(table, i, PUAD_OPERATING_FLAGGED).value);
        for (size_t k = 0; k < FIGURES; k++) {
            puad_figure figure = puad_operating_at(table, i, figures[k].which);
            if (isnan(figure.value))
                printf("  %-19s", "unknown");
            else
                printf("  %.3f (%.3f-%.3f)", figure.value, figure.low, figure.high);
        }
        printf("%s\n", known && i == puad_operating_best_f1(table) ? "  best F1" : "");
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
    static const puad_operating_figure kinds[CURVES] = {PUAD_OPERATING_RECALL, PUAD_OPERATING_PRECISION,
                                                        PUAD_OPERATING_F1, PUAD_OPERATING_FPR};
    AUTO_ARENA arena memory = {0};
    size_t count = puad_operating_count(table);
    puad_figure auroc = puad_operating_auroc(table);
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
        x[i] = puad_operating_at(table, i, PUAD_OPERATING_FLAGGED).value;
        for (int k = 0; k < CURVES; k++) {
            puad_figure figure = puad_operating_at(table, i, kinds[k]);
            y[k][i] = figure.value;
            low[k][i] = figure.low;
            high[k][i] = figure.high;
        }
    }
    bool known = !isnan(puad_operating_alpha(table).value);
    char title[96];
    if (known)
        snprintf(title, sizeof title, "AUROC %.3f (%.3f to %.3f)", auroc.value, auroc.low, auroc.high);
    else
        snprintf(title, sizeof title, "AUROC %.3f to %.3f", auroc.low, auroc.high);
    const plot_rule alpha = {true, puad_operating_alpha(table).value, "alpha"};
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

static puad_status answer(const invocation *call, const puad_detector *model, const puad_options *said)
{
    AUTO_OPERATING puad_operating *table = NULL;
    size_t points = (size_t)value_of(call, "points")->integer;
    puad_status status = puad_operating_new(&table, model, points > GRID ? points : GRID, said);
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
    AUTO_CALL_OPTIONS puad_options *said = NULL;
    puad_detector *model = NULL;
    if (is_given(call, "answers") != (call->argument_count > 1))
        FAIL(PUAD_INVALID, "--answers needs INPUT, the rows that were audited, and INPUT needs --answers");
    if (is_given(call, "answers")) return operate_audit(call);
    if (is_given(call, "fdr"))
        FAIL(PUAD_INVALID, "--fdr needs --answers here; 'puad score --fdr' decides without");
    TRY(call_options(&said, call));
    TRY(puad_detector_load(&model, call->arguments[0]));
    warnings_of_model(call, model);
    puad_status status = answer(call, model, said);
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
