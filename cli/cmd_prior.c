/* puad prior: the fraction of anomalies hidden among the unlabeled rows, with the evidence. */
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/message.h"
#include "cli/common/print_notes.h"
#include "cli/common/print_warnings.h"
#include "cli/common/spinner.h"
#include "cli/common/table_print.h"
#include "cli/library_values.h"
#include "plot/plot.h"

#include <math.h>
#include <puad/prior.h>
#include <stdio.h>
#include <stdlib.h>

static const option options[] = {
    SEED_OPTION("random seed"),
    THREADS_OPTION("number of threads; 0 for one per processor"),
    {.name = "plot", .type = OPTION_TEXT, .value = "FILE", .help = "draw the evidence (.svg, .png, .pdf)"},
    OUTPUT_OPTION,
    FORMAT_OPTION,
    {.name = "json", .type = OPTION_FLAG, .help = "print one JSON object"},
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG, .help = "no notes; warnings remain"},
    STRICT_OPTION("end with status 3 after a warning"),
};

typedef struct evidence {
    puad_options *options;
    puad_dataset *data;
    puad_prior *found;
    size_t anomalies, unlabeled;
    double seconds;
} evidence;

static puad_status print_json(const evidence *source, const invocation *call)
{
    const puad_prior_evidence found = prior_of(source->found);
    const struct {
        const char *name;
        double value;
    } figures[] = {{"alpha", found.alpha},
                   {"alpha_low", found.alpha_low},
                   {"alpha_high", found.alpha_high},
                   {"alpha_all", found.alpha_all},
                   {"alpha_all_low", found.alpha_all_low},
                   {"alpha_all_high", found.alpha_all_high},
                   {"auroc", found.auroc},
                   {"auroc_low", found.auroc_low},
                   {"auroc_high", found.auroc_high}};
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", call->arguments[0]);
    cJSON_AddNumberToObject(object, "rows", (double)puad_dataset_rows(source->data));
    cJSON_AddNumberToObject(object, "anomalies", (double)source->anomalies);
    cJSON_AddNumberToObject(object, "unlabeled", (double)source->unlabeled);
    json_add_double(object, "unlabeled_used", (double)prior_of(source->found).rows_used);
    cJSON_AddNumberToObject(object, "normals", (double)puad_dataset_count(source->data, PUAD_LABEL_NORMAL));
    cJSON_AddStringToObject(object, "alpha_kind", "alpha_U");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        json_add_double(object, figures[i].name, figures[i].value);
    cJSON_AddBoolToObject(object, "refused", prior_of(source->found).refused);
    if (prior_of(source->found).refused)
        cJSON_AddStringToObject(object, "reason", prior_of(source->found).reason);
    cJSON_AddNumberToObject(object, "seed", (double)value_of(call, "seed")->integer);
    json_add_double(object, "seconds", source->seconds);
    warnings_add_json(object);
    return result_print(call, object, NULL);
}

static void print_text(const evidence *source)
{
    const puad_prior *found = source->found;
    if (prior_of(found).refused) return;
    printf("alpha_U    %.4f   95%% interval %.4f to %.4f   anomalies among the %zu unlabeled rows\n",
           prior_of(found).alpha, prior_of(found).alpha_low, prior_of(found).alpha_high, source->unlabeled);
    printf("alpha_all  %.4f   95%% interval %.4f to %.4f   anomalies among all rows, "
           "with the %zu labeled ones\n",
           prior_of(found).alpha_all, prior_of(found).alpha_all_low, prior_of(found).alpha_all_high,
           source->anomalies);
    printf("\nAUROC of labeled anomalies against normal rows: %.3f (95%% interval %.3f to %.3f)\n",
           prior_of(found).auroc, prior_of(found).auroc_low, prior_of(found).auroc_high);
    printf("\nAssumes that the labeled anomalies are a random sample of the hidden ones; kinds of\nanomaly "
           "without labels are not counted.\n");
}

/* Logits of the rows of one label into `out`. */
static size_t logits_of(double *out, const evidence *source, puad_label label)
{
    const int8_t *labels = dataset_of(source->data).labels;
    size_t count = 0;
    for (size_t i = 0; i < puad_dataset_rows(source->data); i++) {
        double logit = puad_prior_log_odds(source->found, i);
        if (labels[i] == label && !isnan(logit)) out[count++] = logit;
    }
    return count;
}

/* How G_U / G_A converges to alpha as fewer normal rows are in the bin; x is the fraction of labeled
 * anomalies in it. */
static puad_status draw(const evidence *source, const char *path)
{
    AUTO_FREE double *logits = NULL;
    double alpha = prior_of(source->found).alpha, low = prior_of(source->found).alpha_low,
           high = prior_of(source->found).alpha_high;
    TRY(memory_new(&logits, source->anomalies + source->unlabeled, sizeof *logits, "scores"));
    size_t anomalies = logits_of(logits, source, PUAD_LABEL_ANOMALY);
    size_t unlabeled = logits_of(logits + anomalies, source, PUAD_LABEL_UNLABELED);
    const double ends[] = {0, 1}, level[] = {alpha, alpha}, bottom[] = {low, low}, ceiling[] = {high, high};
    const plot_series ratio[] = {
        {.name = "unlabeled / labeled",
         .x = prior_of(source->found).x,
         .y = prior_of(source->found).y,
         .count = prior_of(source->found).point_count,
         .plain = true},
        {.name = "alpha, 95% interval",
         .x = ends,
         .y = level,
         .low = bottom,
         .high = ceiling,
         .count = 2,
         .plain = true},
    };
    const plot_series parts[] = {
        {.name = "unlabeled rows", .x = logits + anomalies, .count = unlabeled},
        {.name = "labeled anomalies", .x = logits, .count = anomalies},
    };
    const plot_panel panels[] = {
        {.kind = PLOT_HISTOGRAM,
         .title = "Scores of the classifier",
         .x = {.label = "logit of P(labeled), out of sample"},
         .y = {.label = "fraction"},
         .series = parts,
         .series_count = 2,
         .share = true},
        {.kind = PLOT_CURVES,
         .title = "Estimate of alpha by threshold",
         .x = {.label = "fraction of labeled anomalies above the threshold", .min = 0, .max = 1},
         .y = {.label = "fraction of unlabeled / of labeled", .min = 0, .max = fmin(1, 3 * high + 0.02)},
         .series = ratio,
         .series_count = 2},
    };
    return plot_write(
        &(plot_figure){.title = "The fraction of hidden anomalies", .panels = panels, .panel_count = 2},
        path);
}

static puad_status answer(evidence *source, const invocation *call)
{
    double begin = seconds_now();
    TRY(call_options(&source->options, call));
    activity_begin_reading("reading the rows", is_given(call, "quiet"), call->arguments, 1, READ_AND_ENCODE);
    puad_status status = puad_dataset_open(&source->data, call->arguments[0], NULL, source->options);
    activity_end();
    TRY(status);
    print_notes(call, source->data);
    activity_begin("estimating alpha", is_given(call, "quiet"));
    status = puad_prior_estimate(&source->found, source->data, source->options);
    activity_end();
    TRY(status);
    source->seconds = seconds_now() - begin;
    source->anomalies = puad_dataset_count(source->data, PUAD_LABEL_ANOMALY);
    source->unlabeled = puad_dataset_count(source->data, PUAD_LABEL_UNLABELED);
    double used = (double)prior_of(source->found).rows_used;
    if (used > 0 && used < (double)source->unlabeled && !is_given(call, "quiet"))
        message_print(MESSAGE_NOTE, "prior",
                      "estimated from a random sample of %.0f of the %zu unlabeled rows", used,
                      source->unlabeled);
    if (is_given(call, "plot") && prior_of(source->found).point_count)
        TRY(draw(source, value_of(call, "plot")->text));
    if (!prints_text(call))
        TRY(print_json(source, call));
    else
        print_text(source);
    if (prior_of(source->found).refused) FAIL(PUAD_NUMERIC, "%s", prior_of(source->found).reason);
    return PUAD_OK;
}

static puad_status run(const invocation *call)
{
    evidence source = {0};
    puad_status status = answer(&source, call);
    puad_prior_free(source.found);
    puad_dataset_free(source.data);
    puad_options_free(source.options);
    return status;
}

const command command_prior = {
    .name = "prior",
    .alias = "estimate-alpha",
    .summary = "estimate how many anomalies are hidden",
    .usage = "INPUT... [OPTIONS]",
    .description =
        "Estimates alpha, the fraction of anomalies hidden among the unlabeled rows, from those rows and "
        "the labeled anomalies, with a 95% interval. Each row is scored by a forest that was trained "
        "without it on labeled against unlabeled rows. Above a high enough score there are no normal rows, "
        "and the fraction of unlabeled rows there is alpha times that of labeled anomalies. alpha_U is "
        "relative to the unlabeled rows, alpha_all to all rows. With fewer than five labeled anomalies, or "
        "if the interval is wider than 0.5, it prints the reason and ends with status 1.",
    .example = "puad prior train.csv --label-column label\npuad prior train.npz --plot alpha.svg --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints = true,
    .groups = GROUP(INPUT) | GROUP(MORE),
    .arguments_least = 1,
    .arguments_most = COMMAND_ARGUMENTS_MAX,
    .joins = true,
    .run = run,
};
