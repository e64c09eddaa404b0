/* puad prior: the share of anomalies hidden among the unlabeled rows, with the evidence. */
#include "base/json.h"

#include "base/clock.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/input_options.h"
#include "cli/json_line.h"
#include "data/input.h"
#include "decide/prior.h"
#include "decide/pu_scores.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const option options[] = {
    INPUT_OPTIONS,
    INPUT_FILE_OPTIONS,
    SEED_OPTION("of every draw"),
    THREADS_OPTION("threads to work with; 0 for one per processor"),
    {.name = "plot",
     .type = OPTION_TEXT,
     .value = "FILE",
     .help = "draw the evidence to FILE.svg, .png or .pdf"},
    {.name = "json", .type = OPTION_FLAG, .help = "print one JSON object"},
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG, .help = "no notes"},
};

typedef struct evidence {
    const char *name;
    uint64_t seed;
    size_t rows, anomalies, unlabeled, normals;
    prior_estimate found;
    float *probabilities; /* anomalies, then unlabeled */
    double seconds;
} evidence;

static double all_of(const evidence *of, double alpha)
{
    return prior_alpha_all(alpha, of->unlabeled, of->anomalies);
}

static puad_status print_json(const evidence *of)
{
    const prior_estimate *found = &of->found;
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", of->name);
    cJSON_AddNumberToObject(object, "rows", (double)of->rows);
    cJSON_AddNumberToObject(object, "labeled", (double)of->anomalies);
    cJSON_AddNumberToObject(object, "unlabeled", (double)of->unlabeled);
    cJSON_AddNumberToObject(object, "normals", (double)of->normals);
    const struct {
        const char *name;
        double value;
    } figures[] = {
        {"alpha", found->alpha},
        {"low", found->low},
        {"high", found->high},
        {"alpha_U", found->alpha},
        {"alpha_all", all_of(of, found->alpha)},
        {"alpha_all_low", all_of(of, found->low)},
        {"alpha_all_high", all_of(of, found->high)},
        {"plain", found->plain},
        {"dedpul", found->dedpul},
        {"menon", found->menon},
        {"auroc", found->auroc},
        {"auroc_low", found->auroc_low},
        {"auroc_high", found->auroc_high},
    };
    cJSON_AddStringToObject(object, "alpha_kind", "alpha_U");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        json_add_double(object, figures[i].name, figures[i].value);
    cJSON_AddBoolToObject(object, "refused", found->refused);
    if (found->refused) cJSON_AddStringToObject(object, "reason", found->reason);
    cJSON_AddNumberToObject(object, "seed", (double)of->seed);
    json_add_double(object, "seconds", of->seconds);
    return json_line(object);
}

static void print_text(const evidence *of)
{
    const prior_estimate *found = &of->found;
    if (found->refused) return;
    printf("alpha_U    %.4f   95%% interval %.4f to %.4f   anomalies among the %zu unlabeled rows\n",
           found->alpha, found->low, found->high, of->unlabeled);
    printf("alpha_all  %.4f   95%% interval %.4f to %.4f   anomalies among all rows, with the %zu labeled "
           "ones\n",
           all_of(of, found->alpha), all_of(of, found->low), all_of(of, found->high), of->anomalies);
    printf("\nother estimators of alpha_U: DEDPUL %.4f, Menon %.4f\n", found->dedpul, found->menon);
    printf("AUROC of labeled anomalies against normal rows: %.3f (95%% interval %.3f to %.3f)\n",
           found->auroc, found->auroc_low, found->auroc_high);
    printf(
        "\nThis holds if the labeled anomalies are a fair sample of the hidden ones; kinds of anomaly that\n"
        "nobody has labeled are not counted.\n");
}

/* How G_U / G_A settles on alpha as fewer normal rows are in the bin; x is the share of labeled anomalies in
 * it. */
static puad_status draw(const evidence *of, const char *path)
{
    AUTO_ARENA arena memory = {0};
    AUTO_PU_SCORES pu_scores scores = {0};
    const prior_estimate *found = &of->found;
    const float *unlabeled = of->probabilities + of->anomalies;
    TRY(pu_scores_new(&scores, of->probabilities, of->anomalies, unlabeled, of->unlabeled));
    double *x, *y, *logits, *counts;
    size_t total = of->anomalies + of->unlabeled;
    TRY(arena_new(&memory, &x, scores.levels, sizeof *x));
    TRY(arena_new(&memory, &y, scores.levels, sizeof *y));
    TRY(arena_new(&memory, &logits, total, sizeof *logits));
    TRY(arena_new(&memory, &counts, 2 * scores.slots, sizeof *counts));
    for (size_t i = 0; i < of->anomalies; i++) counts[scores.anomaly_slot[i]] += 1 / (double)of->anomalies;
    for (size_t i = 0; i < of->unlabeled; i++)
        counts[scores.slots + scores.unlabeled_slot[i]] += 1 / (double)of->unlabeled;
    double share_a = 0, share_u = 0;
    for (size_t level = 0; level < scores.levels; level++) {
        share_a += counts[2 * level + 1];
        share_u += counts[scores.slots + 2 * level] + counts[scores.slots + 2 * level + 1];
        x[level] = share_a;
        y[level] = share_u / share_a;
    }
    for (size_t i = 0; i < total; i++) {
        double p = fmin(1 - 1e-6, fmax(1e-6, (double)of->probabilities[i]));
        logits[i] = log(p / (1 - p));
    }
    const plot_series ratio = {
        .name = "unlabeled / labeled", .x = x, .y = y, .count = scores.levels, .plain = true};
    const plot_series parts[] = {
        {.name = "unlabeled rows", .x = logits + of->anomalies, .count = of->unlabeled},
        {.name = "labeled anomalies", .x = logits, .count = of->anomalies},
    };
    const plot_rule rules[] = {
        {false, found->alpha, "alpha"}, {false, found->low, NULL}, {false, found->high, NULL}};
    const plot_panel panels[] = {
        {.kind = PLOT_HISTOGRAM,
         .title = "What the classifier sees",
         .x = {.label = "logit of P(labeled), out of sample"},
         .y = {.label = "share"},
         .series = parts,
         .series_count = 2,
         .share = true},
        {.kind = PLOT_CURVES,
         .title = "Where normal rows drop out",
         .x = {.label = "share of labeled anomalies above the threshold", .min = 0, .max = 1},
         .y = {.label = "G_U / G_A", .min = 0, .max = fmin(1, 3 * found->high + 0.02)},
         .series = &ratio,
         .series_count = 1,
         .rules = rules,
         .rule_count = 3},
    };
    return plot_write(
        &(plot_figure){.title = "The share of hidden anomalies", .panels = panels, .panel_count = 2}, path);
}

static puad_status estimate(evidence *of, const dataset *rows, team *workers)
{
    AUTO_FREE float *all = NULL;
    TRY(memory_new(&all, rows->rows, sizeof *all, "scores"));
    TRY(prior_from_rows(&of->found, all, rows->values, rows->labels, rows->rows, rows->columns, of->seed,
                        workers));
    size_t a = 0, u = of->anomalies;
    TRY(memory_new(&of->probabilities, of->anomalies + of->unlabeled, sizeof *of->probabilities, "scores"));
    for (size_t i = 0; i < rows->rows; i++)
        if (rows->labels[i] != LABEL_NORMAL)
            of->probabilities[rows->labels[i] == LABEL_ANOMALY ? a++ : u++] = all[i];
    return PUAD_OK;
}

static puad_status answer(const evidence *of, const invocation *call)
{
    bool drawable = !of->found.refused || !isnan(of->found.alpha);
    if (is_given(call, "plot") && drawable) TRY(draw(of, value_of(call, "plot")->text));
    if (is_given(call, "json"))
        TRY(print_json(of));
    else
        print_text(of);
    if (of->found.refused)
        FAIL(PUAD_NUMERIC, "%s; where you know the share, give it to 'puad fit' (--alpha)", of->found.reason);
    return PUAD_OK;
}

static puad_status run_with(const invocation *call, team *workers)
{
    AUTO_DATASET dataset rows = {0};
    data_options data;
    double begin = seconds_now();
    input_options(&data, call);
    data.workers = workers;
    TRY(data_open(&rows, call->arguments[0], &data));
    for (size_t i = 0; !is_given(call, "quiet") && i < rows.notes.count; i++)
        fprintf(stderr, "puad prior: %s\n", rows.notes.texts[i]);
    if (!rows.labels)
        FAIL(PUAD_INVALID, "%s has no labels: name them with --label-column, --y or --anomalies",
             call->arguments[0]);
    evidence of = {
        .name = call->arguments[0], .rows = rows.rows, .seed = (uint64_t)value_of(call, "seed")->integer};
    of.anomalies = dataset_count(&rows, LABEL_ANOMALY);
    of.unlabeled = dataset_count(&rows, LABEL_UNLABELED);
    of.normals = dataset_count(&rows, LABEL_NORMAL);
    puad_status status = estimate(&of, &rows, workers);
    of.seconds = seconds_now() - begin;
    if (status == PUAD_OK) status = answer(&of, call);
    free(of.probabilities);
    return status;
}

static puad_status run(const invocation *call)
{
    team *workers = NULL;
    TRY(team_new(&workers, (int)value_of(call, "threads")->integer));
    puad_status status = run_with(call, workers);
    team_free(workers);
    return status;
}

const command command_prior = {
    .name = "prior",
    .summary = "estimate the share of hidden anomalies",
    .usage = "INPUT [OPTIONS]",
    .description = "Estimates alpha, the share of anomalies hidden among the unlabeled rows, from those rows "
                   "and the labeled "
                   "anomalies, with a 95% interval. A small classifier learns labeled against unlabeled "
                   "rows; where it is surest, "
                   "no normal rows are left, and the share of unlabeled rows there is alpha times that of "
                   "labeled ones. alpha_U "
                   "counts the unlabeled rows alone, alpha_all the labeled ones too. With fewer than 20 "
                   "labeled anomalies, or where "
                   "they are too hard to tell from normal rows, it says so and ends with status 1.",
    .example = "puad prior train.csv --label-column label\npuad prior train.npz --plot alpha.svg --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_least = 1,
    .arguments_most = 1,
    .run = run,
};
