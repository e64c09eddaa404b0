/* Implements the queries about a detector: facts, epochs, methods and networks. */
#include "base/c_locale.h"
#include "base/json.h"
#include "detector/forest/pu_forest.h"
#include "detector/model/calibration_file.h"
#include "detector/model/model_json.h"
#include "series/time_axis.h"

#include <math.h>
#include <puad/history.h>
#include <puad/puad.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool model_uses_alpha(const puad_detector *model)
{
    if (model_has_network(model)) return model->config.trains->labels & PUAD_USES_ALPHA;
    return model->parts.trees.trees > 0;
}

puad_status puad_detector_set_remark(puad_detector *model, const char *text)
{
    NEED(model);
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy) FAIL(PUAD_MEMORY, "no memory for a remark");
    free(model->remark);
    model->remark = copy;
    return PUAD_OK;
}

puad_status puad_detector_info(const puad_detector *model, puad_model_info *out)
{
    NEED(model);
    NEED(out);
    model_facts facts = detector_facts(model);
    const time_axis none = {0}, *axis = model->table ? &model->table->axis : &none;
    bool uses_alpha = model_uses_alpha(model);
    puad_model_info info = {.method = facts.method,
                            .title = facts.title,
                            .network = facts.network,
                            .head = facts.head,
                            .alpha_kind = uses_alpha ? facts.alpha_kind : "",
                            .version = facts.version,
                            .remark = model->remark,
                            .alpha = uses_alpha ? recipe_alpha(&model->config) : (double)NAN,
                            .rows = facts.rows,
                            .anomalies = facts.anomalies,
                            .normals = facts.normals,
                            .height = facts.height,
                            .width = facts.width,
                            .channels = facts.channels,
                            .columns = shape_size(model->in),
                            .epochs = facts.epochs,
                            .best_epoch = facts.best_epoch,
                            .parameters = facts.parameters,
                            .valid_loss = facts.valid_loss,
                            .seconds = facts.seconds,
                            .pretrain_seconds = facts.pretrain_seconds,
                            .answers = model->answer_count,
                            .trees = model->parts.isolation.trees + model->parts.trees.trees,
                            .tree_rows = model->parts.isolation.sample,
                            .image = model->image,
                            .backbone = model->table && model->table->backbone,
                            .compared_rows = model->profile.rows,
                            .window = model->config.window,
                            .stride = model->config.stride,
                            .time_column = axis->time,
                            .series_column = axis->group,
                            .time_is_date = axis->time && axis->form.kind == FORM_DATE,
                            .column_count = model_column_count(model),
                            .warning_count = model->warnings.count,
                            .pretrain_epochs = model->pretraining.count};
    return struct_write(out, &info, sizeof info, "puad_model_info");
}

const puad_warning *puad_detector_warning(const puad_detector *model, size_t index)
{
    return model && index < model->warnings.count ? &model->warnings.items[index] : NULL;
}

static void add_alphas(cJSON *made, const puad_detector *model)
{
    double alphas[PU_FOREST_ALPHAS];
    cJSON_DeleteItemFromObjectCaseSensitive(made, "alpha");
    if (!model_uses_alpha(model)) {
        cJSON_DeleteItemFromObjectCaseSensitive(made, "alpha_kind");
        return;
    }
    json_add_double(made, "alpha", recipe_alpha(&model->config));
    if (!model->parts.trees.trees) return;
    size_t count = pu_forest_alphas(alphas, recipe_alpha(&model->config));
    cJSON_AddItemToObject(made, "alphas", cJSON_CreateDoubleArray(alphas, (int)count));
}

/* The config from the file, without keys that the method does not use. */
static cJSON *used_recipe(const puad_detector *model)
{
    static const char *const of_networks[] = {
        "linear_code",     "network",  "own_head", "own_objective", "sampler",  "width", "latent",
        "epochs",          "noise",    "batch",    "learning_rate", "depth",    "steps", "decay",
        "pretrain_epochs", "patience", "augment",  "suspects",      "objective"};
    cJSON *made = recipe_to_json(&model->config), *item, *next;
    cJSON *settings = cJSON_GetObjectItemCaseSensitive(made, "objective");
    for (item = settings ? settings->child : NULL; item; item = next) {
        next = item->next;
        if (!recipe_takes(&model->config, item->string))
            cJSON_Delete(cJSON_DetachItemViaPointer(settings, item));
    }
    if (!recipe_takes(&model->config, "novelty")) cJSON_DeleteItemFromObjectCaseSensitive(made, "novelty");
    if (!model_has_network(model)) {
        for (size_t i = 0; i < sizeof of_networks / sizeof *of_networks; i++)
            cJSON_DeleteItemFromObjectCaseSensitive(made, of_networks[i]);
        cJSON_ReplaceItemInObjectCaseSensitive(made, "head", cJSON_CreateString(model->config.kind->head));
    }
    add_alphas(made, model);
    return made;
}

static cJSON *used_facts(const puad_detector *model)
{
    static const char *const of_networks[] = {"best_epoch", "valid_loss", "pretraining", "training",
                                              "pretrain_seconds"};
    cJSON *facts = facts_to_json(model, isfinite(model->seconds));
    for (size_t i = 0; !model_has_network(model) && i < sizeof of_networks / sizeof *of_networks; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(facts, of_networks[i]);
    return facts;
}

puad_status puad_detector_to_json(char **out, const puad_detector *model)
{
    NEED(out);
    *out = NULL;
    NEED(model);
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "recipe", used_recipe(model));
    cJSON_AddItemToObject(object, "facts", used_facts(model));
    if (model_has_network(model))
        cJSON_AddNumberToObject(object, "parameters", (double)model->parameter_count);
    if (model->held_out.unlabeled_count)
        cJSON_AddItemToObject(object, "calibration", calibration_to_json(&model->held_out));
    if (model->table) cJSON_AddItemToObject(object, "table", transform_to_json(model->table));
    cJSON_AddItemToObject(object, "warnings", warnings_to_json(&model->warnings));
    if (model->input) { /* parsed and printed again, so that the output is always valid JSON */
        cJSON *input = NULL;
        TRY(json_parse(&input, model->input, "input"));
        cJSON_AddItemToObject(object, "input", input);
    }
    *out = object ? json_text_of(object, false) : NULL;
    if (!*out) FAIL(PUAD_MEMORY, "no memory for facts about the model");
    return PUAD_OK;
}

/* "0, 0.05, 0.1, 0.2 (assumed)" */
static void describe_alphas(char *text, size_t capacity, const puad_detector *model)
{
    double alphas[PU_FOREST_ALPHAS];
    size_t count = pu_forest_alphas(alphas, recipe_alpha(&model->config)), used = 0;
    for (size_t i = 0; i < count && used < capacity; i++)
        used += (size_t)c_print(text + used, capacity - used, "%s%.4g", i ? ", " : "", alphas[i]);
    if (used < capacity) snprintf(text + used, capacity - used, " (%s)", model->config.alpha_kind);
}

puad_status puad_detector_part(const puad_detector *model, char *text, size_t capacity, size_t index)
{
    char lines[6][256], alphas[64];
    size_t count = 0;
    NEED(text);
    NEED(model);
    const ensemble *parts = &model->parts;
    bool all = parts->outlier_scale.count > 0;
    if (parts->trees.trees) {
        describe_alphas(alphas, sizeof alphas, model);
        snprintf(lines[count++], sizeof *lines,
                 "forest       %zu trees with %zu nodes that separate labeled anomalies from unlabeled "
                 "rows for alpha %s",
                 parts->trees.trees, parts->trees.nodes, alphas);
    } else if (all) {
        snprintf(lines[count++], sizeof *lines, "forest       none: there were no labeled anomalies");
    }
    if (parts->isolation.trees)
        snprintf(lines[count++], sizeof *lines, "isolation    %zu trees of %zu rows each",
                 parts->isolation.trees, parts->isolation.sample);
    if (parts->near.sets)
        snprintf(lines[count++], sizeof *lines, "nearest      %zu samples of %zu rows each", parts->near.sets,
                 parts->near.size);
    if (parts->axes.columns)
        c_print(lines[count++], sizeof *lines,
                "components   %zu of %zu, which explain %.0f%% of the variance", parts->axes.kept,
                parts->axes.columns, 100 * PRINCIPAL_VARIANCE);
    if (parts->recurring.blocks)
        c_print(lines[count++], sizeof *lines,
                "recurrence   %zu blocks of %zu windows each, and %zu labeled anomalies",
                parts->recurring.blocks, parts->recurring.size, parts->recurring.known);
    if (parts->recurring.blocks)
        c_print(lines[count++], sizeof *lines,
                "evidence     %zu clusters of windows; distances of single rows over %zu columns",
                parts->series.clusters.count, parts->series.rows.count);
    if (all)
        c_print(lines[count++], sizeof *lines, "novelty      %g; evidence of unusual rows %.3g p^%.3g",
                parts->trees.trees ? (double)parts->weights.novelty : model->config.novelty,
                (double)parts->shape, (double)parts->shape - 1);
    if (all && parts->trees.trees)
        c_print(lines[count++], sizeof *lines,
                "weights      forest's odds to the power %.2f, evidence of unusual rows to the power %.2f",
                (double)parts->weights.forest, (double)parts->weights.unusual);
    const float *shares = parts->members;
    if (all && shares[MEMBER_TREES] + shares[MEMBER_ISOLATION] + shares[MEMBER_NEAREST] > 0)
        c_print(lines[count++], sizeof *lines,
                "evidence     forest %.0f%%, "
                "isolation %.0f%%, nearest %.0f%% of the evidence of the top 1%% of unlabeled rows",
                100 * (double)shares[MEMBER_TREES], 100 * (double)shares[MEMBER_ISOLATION],
                100 * (double)shares[MEMBER_NEAREST]);
    snprintf(text, capacity, "%s", index < count ? lines[index] : "");
    return PUAD_OK;
}

void puad_free(void *memory)
{
    free(memory);
}

size_t model_column_count(const puad_detector *model)
{
    return model && model->table && !model->image ? model->table->column_count : 0;
}

puad_status puad_method_at(puad_method *out, size_t index)
{
    NEED(out);
    const detector_kind *kind = detector_kind_at(index);
    if (!kind) FAIL(PUAD_INVALID, "there is no method %zu", index);
    puad_method made = {
        .name = kind->name, .title = kind->title, .head = kind->head, .objective = kind->objective};
    return struct_write(out, &made, sizeof made, "puad_method");
}

static const char *const networks[][2] = {
#define ARCHITECTURE(name, title, takes) {#name, title},
#include "nn/architectures.def"
#undef ARCHITECTURE
};
enum { NETWORKS = sizeof networks / sizeof *networks };

puad_status puad_network_at(puad_network *out, size_t index)
{
    NEED(out);
    if (index >= NETWORKS) FAIL(PUAD_INVALID, "there is no network %zu", index);
    puad_network made = {.name = networks[index][0], .title = networks[index][1]};
    return struct_write(out, &made, sizeof made, "puad_network");
}

static const history *history_of(const puad_detector *model, puad_phase phase)
{
    return phase == PUAD_PHASE_PRETRAINING ? &model->pretraining : &model->training;
}

puad_status puad_detector_epoch(const puad_detector *model, puad_epoch *out, puad_phase phase, size_t index)
{
    NEED(model);
    NEED(out);
    const history *rows = history_of(model, phase);
    if (index >= rows->count) FAIL(PUAD_INVALID, "epoch %zu; there are %zu", index, rows->count);
    const history_row *row = &rows->rows[index];
    puad_epoch made = {.epoch = (size_t)row->epoch,
                       .train_loss = row->train_loss,
                       .valid_loss = row->valid_loss,
                       .seconds = row->seconds};
    return struct_write(out, &made, sizeof made, "puad_epoch");
}
