/* puad eval: how well a model ranks rows with known truth. */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/message.h"
#include "cli/common/print_notes.h"
#include "cli/common/print_warnings.h"
#include "cli/common/spinner.h"
#include "cli/common/table_print.h"
#include "cli/eval/event_metrics.h"
#include "cli/library_values.h"
#include "plot/plot.h"

#include <math.h>
#include <puad/metrics.h>
#include <puad/stream.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option options[] = {
    {.name = "by",
     .type = OPTION_TEXT,
     .value = "NAME",
     .help = "CSV column that names groups of anomalies (seen, unseen): metrics for each, against all "
             "normal rows"},
    {.name = "plot", .type = OPTION_TEXT, .value = "FILE", .help = "draw the ROC curve (.svg, .png, .pdf)"},
    THREADS_OPTION("0 for one per processor"),
    OUTPUT_OPTION,
    FORMAT_OPTION,
    {.name = "json", .type = OPTION_FLAG, .help = "one JSON object"},
    {.name = "quiet",
     .letter = 'q',
     .type = OPTION_FLAG,
     .help = "no notes about the input; warnings remain"},
    STRICT_OPTION("end with status 3 after a warning"),
};

enum { GROUPS_MAX = 64 };

/* All rows with score and truth, and the group of each if a column names it. */
typedef struct truth_table {
    arena memory;
    float *scores;
    int8_t *truth;
    uint8_t *groups;
    uint8_t *starts; /* of a time series: 1 for each row that starts a segment; else NULL */
    size_t window;   /* rows of a window; 0 for other data */
    size_t rows, capacity;
    size_t unknown; /* rows without truth, which are left out */
    const char *group_names[GROUPS_MAX];
    size_t group_count;
} truth_table;

static puad_status group_of(uint8_t *out, truth_table *table, const char *name)
{
    size_t i = 0;
    while (i < table->group_count && strcmp(table->group_names[i], name) != 0) i++;
    if (i == GROUPS_MAX) FAIL(PUAD_INVALID, "--by: more than %d different groups", GROUPS_MAX);
    if (i == table->group_count) {
        table->group_names[i] = arena_text(&table->memory, name);
        if (!table->group_names[i]) FAIL(PUAD_MEMORY, "no memory for a group");
        table->group_count++;
    }
    *out = (uint8_t)i;
    return PUAD_OK;
}

static puad_status add_block(truth_table *table, const puad_stream *source, bool grouped)
{
    size_t rows = block_of(source).rows;
    const int8_t *labels = block_of(source).labels;
    if (table->rows + rows > table->capacity) {
        table->capacity = 2 * (table->rows + rows);
        TRY(memory_grow(&table->scores, table->capacity, sizeof *table->scores, "scores"));
        TRY(memory_grow(&table->truth, table->capacity, 1, "labels"));
        TRY(memory_grow(&table->groups, table->capacity, 1, "groups"));
        if (table->window) TRY(memory_grow(&table->starts, table->capacity, 1, "rows"));
    }
    for (size_t i = 0; i < rows; i++) {
        if (labels[i] == PUAD_LABEL_UNLABELED) {
            table->unknown++;
            continue;
        }
        table->scores[table->rows] = block_of(source).scores[i];
        table->truth[table->rows] = labels[i] == PUAD_LABEL_ANOMALY;
        table->groups[table->rows] = 0;
        if (table->window) table->starts[table->rows] = block_of(source).segment_starts[i];
        const char *group = puad_stream_id(source, i);
        if (grouped) TRY(group_of(&table->groups[table->rows], table, group ? group : ""));
        table->rows++;
    }
    return PUAD_OK;
}

static puad_status need_labels(const puad_stream *source, const char *path)
{
    if (block_of(source).labels) return PUAD_OK;
    if (file_is_folder(path))
        FAIL(PUAD_INVALID,
             "no labels; name subfolders of %s with anomalies (--positive) and normal rows "
             "(--negative)",
             path);
    FAIL(PUAD_INVALID,
         "the rows have no labels; give --label-column (CSV), y (NPZ) or --labels-array (NPY, IDX)");
}

static puad_status read_rows(truth_table *table, puad_stream *source, const invocation *call)
{
    for (;;) {
        TRY(puad_stream_next(source));
        if (block_of(source).rows == 0) break;
        TRY(need_labels(source, call->arguments[1]));
        TRY(add_block(table, source, is_given(call, "by")));
    }
    if (table->unknown && !is_given(call, "quiet"))
        message_print(MESSAGE_NOTE, "eval", "%zu rows without truth are left out", table->unknown);
    print_stream_notes(call, source);
    return PUAD_OK;
}

static puad_status read_all(truth_table *table, const invocation *call)
{
    AUTO_CALL_OPTIONS puad_options *given = NULL;
    puad_detector *model = NULL;
    puad_stream *source = NULL;
    TRY(call_options(&given, call));
    TRY(puad_options_set(given, "truth", "yes"));
    TRY(puad_options_set(given, "group_column", value_of(call, "by")->text));
    puad_status status = puad_detector_load(&model, call->arguments[0]);
    if (status == PUAD_OK) table->window = info_of(model).window;
    if (status == PUAD_OK) status = puad_stream_open(&source, model, call->arguments[1], given);
    activity_begin_reading("scoring", is_given(call, "quiet"), call->arguments + 1, 1, 1);
    if (status == PUAD_OK) status = read_rows(table, source, call);
    activity_end();
    puad_stream_free(source);
    puad_detector_free(model);
    return status;
}

static void curve_freed(puad_roc **owner)
{
    puad_roc_free(*owner);
}
#define AUTO_CURVE __attribute__((cleanup(curve_freed)))

static puad_status draw_curve(const puad_roc *curve, const char *path)
{
    AUTO_FREE double *points = NULL;
    size_t count = roc_metrics(curve).points;
    char note[64];
    TRY(memory_new(&points, 2 * count, sizeof *points, "a curve"));
    for (size_t i = 0; i < count; i++) {
        points[i] = roc_point(curve, i).fpr;
        points[count + i] = roc_point(curve, i).tpr;
    }
    snprintf(note, sizeof note, "AUROC %.4f", roc_metrics(curve).auroc);
    plot_series line = {.x = points, .y = points + count, .count = count, .plain = true};
    plot_panel panel = {.kind = PLOT_CURVES,
                        .x = {.label = "false positive rate", .min = 0, .max = 1},
                        .y = {.label = "true positive rate", .min = 0, .max = 1},
                        .series = &line,
                        .series_count = 1,
                        .diagonal = true,
                        .note = note};
    return plot_write(&(plot_figure){.title = "ROC curve", .panels = &panel, .panel_count = 1}, path);
}

typedef struct figures {
    size_t anomalies, normals;
    double auroc, auprc, tpr1, tpr5;
} figures;

static figures figures_of(const puad_roc *curve)
{
    return (figures){roc_metrics(curve).anomalies,     roc_metrics(curve).normals,
                     roc_metrics(curve).auroc,         roc_metrics(curve).average_precision,
                     puad_roc_tpr_at_fpr(curve, 0.01), puad_roc_tpr_at_fpr(curve, 0.05)};
}

static void show(const char *name, const figures *f, cJSON *json)
{
    if (json) {
        cJSON_AddNumberToObject(json, "anomalies", (double)f->anomalies);
        cJSON_AddNumberToObject(json, "normals", (double)f->normals);
        json_add_double(json, "auroc", f->auroc);
        json_add_double(json, "average_precision", f->auprc);
        json_add_double(json, "tpr_at_1_fpr", f->tpr1);
        json_add_double(json, "tpr_at_5_fpr", f->tpr5);
        return;
    }
    printf("%-16s %9zu %9zu %7.4f %7.4f %11.4f %11.4f\n", name, f->anomalies, f->normals, f->auroc, f->auprc,
           f->tpr1, f->tpr5);
}

static cJSON *add_group(cJSON *list, const char *name)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "group", name);
    cJSON_AddItemToArray(list, object);
    return object;
}

/* The anomalies of one group against all normal rows. */
static puad_status show_group(const truth_table *table, size_t group, cJSON *json)
{
    AUTO_FREE float *scores = NULL;
    AUTO_FREE int8_t *truth = NULL;
    size_t count = 0, anomalies = 0;
    TRY(memory_new(&scores, table->rows, sizeof *scores, "scores"));
    TRY(memory_new(&truth, table->rows, 1, "labels"));
    for (size_t i = 0; i < table->rows; i++)
        if (!table->truth[i] || table->groups[i] == group) {
            anomalies += (size_t)table->truth[i];
            scores[count] = table->scores[i];
            truth[count++] = table->truth[i];
        }
    if (anomalies == 0) return PUAD_OK; /* a group of only normal rows */
    AUTO_CURVE puad_roc *curve = NULL;
    TRY(puad_roc_new(&curve, scores, truth, count));
    figures f = figures_of(curve);
    show(table->group_names[group], &f, json ? add_group(json, table->group_names[group]) : NULL);
    return PUAD_OK;
}

/* Events found for limits on false alarms, as text or into a list. */
static puad_status show_events(const truth_table *table, cJSON *json)
{
    static const double limits[] = {0, 1, 10}; /* false alarms per 10,000 rows */
    event_rows rows = {table->scores, table->truth, table->starts, table->rows, table->window};
    if (!json)
        printf("\n%-19s %12s %12s %9s %7s %13s\n", "limit", "false alarms", "threshold", "events", "found",
               "median delay");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        event_metrics found;
        char name[48];
        TRY(event_metrics_at(&found, &rows, (size_t)(limits[i] * (double)table->rows / 1e4)));
        snprintf(name, sizeof name, limits[i] > 0 ? "%g in 10,000 rows" : "no false alarm", limits[i]);
        if (!json) {
            printf("%-19s %12zu %12.6g %9zu %7zu %13g\n", name, found.false_alarms, found.threshold,
                   found.events, found.found, found.median_delay);
            continue;
        }
        cJSON *object = cJSON_CreateObject();
        json_add_double(object, "false_alarms_per_10000_rows", limits[i]);
        cJSON_AddNumberToObject(object, "false_alarms", (double)found.false_alarms);
        json_add_double(object, "threshold", found.threshold);
        cJSON_AddNumberToObject(object, "events", (double)found.events);
        cJSON_AddNumberToObject(object, "found", (double)found.found);
        json_add_double(object, "median_delay_rows", found.median_delay);
        cJSON_AddItemToArray(json, object);
    }
    return PUAD_OK;
}

static puad_status report(const truth_table *table, const invocation *call)
{
    AUTO_CURVE puad_roc *curve = NULL;
    TRY(puad_roc_new(&curve, table->scores, table->truth, table->rows));
    if (!roc_metrics(curve).anomalies || !roc_metrics(curve).normals)
        FAIL(PUAD_FORMAT, "%s: %zu anomalies, %zu normal rows and %zu without truth; both classes are needed",
             call->arguments[1], roc_metrics(curve).anomalies, roc_metrics(curve).normals, table->unknown);
    figures all = figures_of(curve);
    AUTO_JSON cJSON *json = prints_text(call) ? NULL : cJSON_CreateObject();
    if (!prints_text(call) && !json) FAIL(PUAD_MEMORY, "no memory for the JSON object");
    if (!json)
        printf("%-16s %9s %9s %7s %7s %11s %11s\n", "", "anomalies", "normals", "AUROC", "AP", "TPR@FPR=1%",
               "TPR@FPR=5%");
    show("all", &all, json);
    if (json) cJSON_AddNumberToObject(json, "without_truth", (double)table->unknown);
    cJSON *groups = json ? cJSON_AddArrayToObject(json, "groups") : NULL;
    if (json) show("all", &all, add_group(groups, "all"));
    puad_status status = PUAD_OK;
    for (size_t i = 0; i < table->group_count && status == PUAD_OK; i++)
        status = show_group(table, i, groups);
    if (status == PUAD_OK && table->window)
        status = show_events(table, json ? cJSON_AddArrayToObject(json, "events") : NULL);
    if (json) warnings_add_json(json);
    if (json && status == PUAD_OK) status = result_print(call, json, "groups");
    if (status == PUAD_OK && is_given(call, "plot")) status = draw_curve(curve, value_of(call, "plot")->text);
    return status;
}

static puad_status run(const invocation *call)
{
    truth_table table = {0};
    puad_status status = read_all(&table, call);
    if (status == PUAD_OK) status = report(&table, call);
    free(table.scores);
    free(table.truth);
    free(table.groups);
    free(table.starts);
    arena_free(&table.memory);
    return status;
}

const command command_eval = {
    .name = "eval",
    .summary = "evaluate a model on fully labeled data (AUROC, average precision)",
    .usage = "MODEL INPUT... [OPTIONS]",
    .description =
        "Labels are the truth: 1 is an anomaly, 0 and -1 are normal (--positive, --unlabeled and "
        "--negative name other values); rows without a value (empty, NaN, NA ...) are left out, and a note "
        "reports their number. Prints the area under the ROC curve (ties count half), average precision, "
        "and the true positive rates at false positive rates of 1% and 5%. For a time series also the "
        "labeled events found with no false alarm, and with 1 and 10 in 10,000 rows.",
    .example = "puad eval m.safetensors test.csv --label-column truth --plot roc.svg",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints = true,
    .groups = GROUP(INPUT),
    .arguments_least = 2,
    .arguments_most = COMMAND_ARGUMENTS_MAX,
    .joins = true,
    .run = run,
};
