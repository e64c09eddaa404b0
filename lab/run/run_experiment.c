/* Runs one experiment from data to results. */
#include "lab/run/run_experiment.h"
#include "cli/library_values.h"

#include "detector/model/fit_config_options.h"
#include "lab/run/epoch_curve.h"
#include "lab/run/plugin.h"
#include "lab/sets/file_set.h"
#include "objective/objective.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Whether *key is already `text`; if not, replaces it and returns false. */
static bool same_key(char **key, char *text)
{
    bool same = *key && text && strcmp(*key, text) == 0;
    free(*key);
    *key = text;
    return same;
}

puad_status lab_judge(lab_result *out, const puad_detector *model, const split *parts, team *workers)
{
    AUTO_FREE float *scores = NULL;
    puad_scorer *scorer = NULL;
    TRY(memory_new(&scores, parts->test.rows, sizeof *scores, "scores"));
    TRY(scorer_new(&scorer, model, workers, NULL));
    puad_status status = scorer_run(scorer, scores, parts->test.values, parts->test.rows);
    puad_scorer_free(scorer);
    TRY(status);
    TRY(judge_scores(&out->auroc, &out->auprc, scores, parts, ANOMALIES_all));
    TRY(judge_scores(&out->auroc_seen, NULL, scores, parts, ANOMALIES_seen));
    return judge_scores(&out->auroc_unseen, NULL, scores, parts, ANOMALIES_unseen);
}

/* Whether an experiment option is an option of a fit, in one of these groups of the option table. */
static bool is_fit_option(const field *which, unsigned groups)
{
    size_t index = puad_option_find(which->name);
    return which->option && index < puad_option_count() && groups >> option_at(index).group & 1;
}

/* Passes the options of the method, if it or its replaced objective accepts them; others are at their
 * default and unused. */
static puad_status method_settings(recipe *config, const lab_cell *cell)
{
    char text[64], buffer[FIELD_CAPACITY];
    lab_record record = {.cell = *cell};
    for (size_t i = 0; i < lab_option_count; i++) {
        const field *which = &lab_fields(&(size_t){0})[i];
        const char *value = field_text(buffer, &record, which);
        if (!*value || !is_fit_option(which, 1 << PUAD_GROUP_METHOD) || !recipe_takes(config, which->name))
            continue;
        snprintf(text, sizeof text, "%s=%s", which->name, value);
        TRY(recipe_set(config, text));
    }
    for (const char *at = cell->extra; *at;) {
        size_t length = strcspn(at, ",");
        if (length >= sizeof text) FAIL(PUAD_INVALID, "an option in '%s' is too long", cell->extra);
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        TRY(recipe_set(config, text));
        at += length + (at[length] == ',');
    }
    return PUAD_OK;
}

/* Passes the options of every fit, checked by the option table. Alpha is used as given, without
 * estimation. A table has a separate network, and the sampler may depend on the number of labels. */
static puad_status fit_settings(puad_options *to, const lab_cell *cell, bool image)
{
    char buffer[FIELD_CAPACITY];
    lab_record record = {.cell = *cell};
    for (size_t i = 0; i < lab_option_count; i++) {
        const field *which = &lab_fields(&(size_t){0})[i];
        const char *value = field_text(buffer, &record, which);
        if (!is_fit_option(which, 1 << PUAD_GROUP_FIT | 1 << PUAD_GROUP_COMMON) || !*value) continue;
        if (strcmp(which->name, "alpha") == 0 || (strcmp(which->name, "network") == 0 && !image) ||
            (strcmp(which->name, "sampler") == 0 && strcmp(value, "auto") == 0))
            continue;
        TRY(puad_options_set(to, which->name, value));
    }
    TRY(puad_options_set(to, "steps", "0"));
    const detector_kind *kind = detector_kind_find(cell->method);
    if (kind && strcmp(kind->head, "logistic") == 0) return PUAD_OK; /* the schedule of 'fit' */
    if (set_is_of_file(cell->dataset) && !image) return PUAD_OK;  /* the default rate of 'fit' for tables */
    return puad_options_set_number(to, "lr", adam_standard.rate); /* the paper's rate, for the toy set too */
}

static puad_status pretraining_for(shared_pretraining **out, lab_bench *bench, const lab_cell *cell)
{
    char *key = NULL;
    TRY(lab_pretraining_key(&key, cell));
    if (!same_key(&bench->pretraining_key, key)) shared_pretraining_free(&bench->pretraining);
    *out = &bench->pretraining;
    return PUAD_OK;
}

static puad_status describe(lab_result *out, const lab_cell *cell, const puad_detector *model,
                            const lab_bench *bench, const lab_curve *seen, arena *memory)
{
    model_facts facts = detector_facts(model);
    char text[64];
    time_t now = time(NULL);
    struct tm utc;
    out->alpha_u = bench->parts.plan.alpha_u;
    out->alpha_all = bench->parts.plan.alpha_all;
    out->alpha_kind = lab_alpha_kind(cell);
    out->reduced = bench->parts.plan.reduced;
    out->train_rows = (long long)bench->parts.plan.train_count;
    out->test_rows = (long long)bench->parts.plan.test_count;
    out->best_epoch = (long long)facts.best_epoch;
    out->epochs_run = (long long)facts.epochs;
    out->valid_loss = facts.valid_loss;
    out->seconds = facts.seconds;
    out->pretrain_seconds = facts.pretrain_seconds;
    out->version = arena_text(memory, facts.version);
    snprintf(text, sizeof text, "%s, %d threads", kernels_best()->name, team_size(bench->workers));
    out->machine = arena_text(memory, text);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    out->finished = arena_text(memory, text);
    AUTO_JSON cJSON *json = NULL;
    TRY(history_to_json(&json, &model->training, true));
    if (seen->count) TRY(curve_to_json(json, seen));
    char *history_text = cJSON_PrintUnformatted(json);
    out->history = history_text ? arena_text(memory, history_text) : NULL;
    free(history_text);
    if (!out->version || !out->machine || !out->finished || !out->history)
        FAIL(PUAD_MEMORY, "no memory for a result");
    return PUAD_OK;
}

typedef struct cell_rows {
    shape in;
    bool image;
    bool plane; /* of the toy set, which has the paper's network */
} cell_rows;

/* An experiment as options of a fit and as a config; strings of the options are borrowed from `given`. */
static puad_status cell_recipe(recipe *config, fit_options *options, puad_options **given,
                               const lab_cell *cell, const cell_rows *rows, arena *memory)
{
    bool image = rows->image;
    TRY(puad_options_new(given));
    TRY(fit_settings(*given, cell, image));
    TRY(fit_options_of(options, *given, memory));
    options->alpha = cell->alpha;
    if (*cell->protocol && lab_option_means_nothing(cell, lab_field("alpha"))) options->alpha = NAN;
    if (cell->objective[0]) {
        options->objective = lab_objective_find(cell->objective);
        if (!options->objective) FAIL(PUAD_INVALID, "there is no objective '%s'", cell->objective);
    }
    TRY(recipe_make(config, options, rows->in, image));
    /* only a plain 'fit' does this, unless the experiment's options request it */
    if (!image) config->drops_suspects = false;
    if (rows->plane && detector_kind_has_network(config->kind)) {
        TRY(recipe_set(config, "depth=3"));
        TRY(recipe_set(config, "decay=1e-3"));
        TRY(recipe_set(config, "width=500"));
        TRY(recipe_set(config, "latent=2"));
    }
    return method_settings(config, cell);
}

puad_status lab_check_objective(const lab_cell *cell)
{
    if (*cell->objective && !lab_objective_is_here(cell->objective))
        FAIL(PUAD_INVALID, "objective '%s' is in a library that is not loaded; name its file",
             cell->objective);
    return PUAD_OK;
}

/* The shape of an experiment's rows, if it is known without reading them: files may be unavailable. */
static puad_status shape_of(shape *out, bool *out_image, bool *out_plane, const lab_cell *cell)
{
    const file_set *file = file_set_find(cell->dataset);
    const set_row *about = NULL;
    if (!set_is_of_file(cell->dataset)) TRY(set_find(&about, cell->dataset));
    *out_plane = about && about->reader->normal;
    *out_image = file ? file->rows.image : about ? !*out_plane : strcmp(cell->network, "mlp") != 0;
    *out = *out_image ? (shape){32, 32, 1} : (shape){1, 1, 2};
    if (!file) return PUAD_OK;
    *out = (shape){(size_t)file->rows.height, (size_t)file->rows.width, (size_t)file->rows.channels};
    if (!*out_image && strcmp(cell->network, "mlp") != 0 && !field_is_standard(cell, lab_field("network")))
        FAIL(PUAD_INVALID, "%s is a table, which needs the network mlp and not %s", file->path,
             cell->network);
    return PUAD_OK;
}

static puad_status check_protocol(const lab_cell *cell, bool image)
{
    bool known =
        strcmp(cell->protocol, LAB_ADBENCH) == 0 || strcmp(cell->protocol, LAB_ADBENCH_PUBLISHED) == 0;
    if (!*cell->protocol) return PUAD_OK;
    if (!known)
        FAIL(PUAD_INVALID, "protocol: '%s' is neither %s nor %s", cell->protocol, LAB_ADBENCH,
             LAB_ADBENCH_PUBLISHED);
    if (!set_is_of_file(cell->dataset) || (image && file_set_find(cell->dataset)))
        FAIL(PUAD_INVALID, "protocol: %s is for tables of --dataset-file or --plan adbench, not for %s",
             cell->protocol, cell->dataset);
    if (!(cell->share >= 0 && cell->share <= 1))
        FAIL(PUAD_INVALID, "share: %g is not a number from 0 to 1", cell->share);
    return PUAD_OK;
}

puad_status lab_check_cell(const lab_cell *cell)
{
    recipe config;
    fit_options options;
    AUTO_OPTIONS puad_options *given = NULL;
    AUTO_ARENA arena memory = {0};
    const detector_kind *kind = detector_kind_find(cell->method);
    bool image, plane;
    shape in;
    TRY(shape_of(&in, &image, &plane, cell));
    TRY(check_protocol(cell, image));
    TRY(cell_recipe(&config, &options, &given, cell, &(cell_rows){in, image, plane}, &memory));
    if (file_set_find(cell->dataset)) TRY(lab_check_sizes(cell));
    if (!kind || !detector_kind_has_network(kind)) return PUAD_OK;
    architecture made;
    return architecture_make(&made, config.network, &(architecture_options){.in = in, .head = config.head});
}

/* If a set has too few rows, alpha is the fraction of the rows it has. */
static double alpha_for(const lab_cell *cell, const split_plan *plan)
{
    const char *kind = lab_alpha_kind(cell);
    if (!plan->reduced) return cell->alpha;
    return strcmp(kind, "alpha_all") == 0 ? plan->alpha_all
           : strcmp(kind, "alpha_U") == 0 ? plan->alpha_u
                                          : cell->alpha;
}

puad_status lab_run_cell(lab_result *out, const lab_cell *cell, lab_bench *bench, arena *memory)
{
    *out = lab_result_unknown();
    TRY(lab_check_objective(cell));
    TRY(lab_bench_load(bench, cell));
    const dataset *train = &bench->parts.train;
    train_rows rows = {.values = train->values,
                       .labels = train->labels,
                       .rows = train->rows,
                       .in = {(size_t)train->height, (size_t)train->width, (size_t)train->channels}};
    recipe config;
    fit_options options;
    AUTO_OPTIONS puad_options *given = NULL;
    cell_rows about = {rows.in, train->image, bench->raw.about && bench->raw.about->reader->normal};
    TRY(cell_recipe(&config, &options, &given, cell, &about, memory));
    if (!isnan(options.alpha)) config.objective.alpha = options.alpha = alpha_for(cell, &bench->parts.plan);
    options.workers = bench->workers;
    options.progress = bench->progress;
    options.context = bench->context;
    AUTO_DETECTOR puad_detector *model = NULL;
    AUTO_CURVE lab_curve seen = {.parts = &bench->parts};
    if (bench->curve && !config.drops_suspects) options.watch = curve_watch;
    options.watcher = &seen;
    shared_pretraining *shared = NULL;
    if (config.head == HEAD_DISTANCE) TRY(pretraining_for(&shared, bench, cell));
    TRY(model_fit(&model, &rows, train->image, &config, &options, shared));
    TRY(lab_judge(out, model, &bench->parts, bench->workers));
    return describe(out, cell, model, bench, &seen, memory);
}
