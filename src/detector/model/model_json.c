/* Recipes, facts and histories to and from JSON. 64-bit numbers are strings, because JSON numbers are
 * doubles. */
#include "detector/model/model_json.h"

#include "base/json.h"
#include "objective/objective.h"
#include "series/window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

puad_status json_number(double *out, const cJSON *object, const char *name, double min, double max)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    *out = NAN;
    if (cJSON_IsNull(item)) return PUAD_OK;
    if (!json_get_double(out, object, name)) FAIL(PUAD_FORMAT, "'%s' is missing or not a number", name);
    if (!(*out >= min && *out <= max))
        FAIL(PUAD_FORMAT, "'%s' is %g, expected %g to %g", name, *out, min, max);
    return PUAD_OK;
}

puad_status json_size(size_t *out, const cJSON *object, const char *name, size_t max)
{
    double value;
    TRY(json_number(&value, object, name, 0, (double)max));
    if (isnan(value)) FAIL(PUAD_FORMAT, "'%s' is not a number", name);
    if (!(value == floor(value))) FAIL(PUAD_FORMAT, "'%s' is not an integer", name);
    *out = (size_t)value;
    return PUAD_OK;
}

static puad_status json_text(char *out, size_t capacity, const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsString(item)) FAIL(PUAD_FORMAT, "'%s' is missing or not a string", name);
    size_t size = strlen(item->valuestring) + 1;
    if (size > capacity) FAIL(PUAD_FORMAT, "'%s' is too long", name);
    memcpy(out, item->valuestring, size);
    return PUAD_OK;
}

puad_status json_flag(bool *out, const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsBool(item)) FAIL(PUAD_FORMAT, "'%s' is missing or not true or false", name);
    *out = cJSON_IsTrue(item);
    return PUAD_OK;
}

/* The integer and the number fields of a recipe: one list for reading and writing. */
#define RECIPE_SIZES(FIELD)                                                                                  \
    FIELD(depth)                                                                                             \
    FIELD(width)                                                                                             \
    FIELD(latent)                                                                                            \
    FIELD(epochs) FIELD(pretrain_epochs) FIELD(patience) FIELD(batch) FIELD(steps) FIELD(window) FIELD(stride)
#define RECIPE_NUMBERS(FIELD) FIELD(noise, 1e30) FIELD(learning_rate, 1e30) FIELD(decay, 1) FIELD(novelty, 1)
#define RECIPE_TEXTS(FIELD) FIELD(network) FIELD(alpha_kind) FIELD(own_head) FIELD(own_objective)

cJSON *recipe_to_json(const recipe *config)
{
    cJSON *object = cJSON_CreateObject();
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)config->seed);
    cJSON_AddStringToObject(object, "method", config->kind->name);
    cJSON_AddStringToObject(object, "head", head_name(config->head));
    cJSON_AddBoolToObject(object, "linear_code", config->linear_code);
    cJSON_AddStringToObject(object, "seed", seed);
    json_add_double(object, "alpha", config->objective.alpha);
    cJSON_AddStringToObject(object, "sampler",
                            config->sampler_given ? sampler_name(config->sampler) : "auto");
#define FIELD(name) cJSON_AddNumberToObject(object, #name, (double)config->name);
    RECIPE_SIZES(FIELD)
#undef FIELD
#define FIELD(name, max) json_add_double(object, #name, config->name);
    RECIPE_NUMBERS(FIELD)
#undef FIELD
    cJSON_AddStringToObject(object, "augment", augment_name(config->augment));
    if (config->turned > 0) json_add_double(object, "turned", config->turned);
    cJSON_AddBoolToObject(object, "drops_suspects", config->drops_suspects);
#define FIELD(name) cJSON_AddStringToObject(object, #name, config->name);
    RECIPE_TEXTS(FIELD)
#undef FIELD
    cJSON *settings = cJSON_AddObjectToObject(object, "objective");
    for (size_t i = 0; i < objective_option_count; i++) {
        char text[64];
        if (objective_option_text(text, sizeof text, &config->objective, objective_options[i].name) ==
            PUAD_OK)
            cJSON_AddStringToObject(settings, objective_options[i].name, text);
    }
    return object;
}

static puad_status objective_from_json(recipe *out, const cJSON *object)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(object, "objective"), *item;
    TRY(json_number(&out->objective.alpha, object, "alpha", 0, 1));
    cJSON_ArrayForEach(item, settings)
    {
        const puad_objective *objective = detector_kind_objective(out->kind);
        bool known = objective && item->string && objective_takes(objective, item->string);
        if (!cJSON_IsString(item)) FAIL(PUAD_FORMAT, "an option of the objective is not a string");
        if (known && item->valuestring[0])
            TRY(objective_option_set(&out->objective, objective, item->string, item->valuestring));
    }
    return PUAD_OK;
}

puad_status recipe_from_json(recipe *out, const cJSON *object)
{
    char method[64], head_text[32], seed[32], sampler_text[32], augment_text[32];
    *out = (recipe){.objective = puad_objective_options_standard()};
    TRY(json_text(method, sizeof method, object, "method"));
    out->kind = detector_kind_find(method);
    if (!out->kind) FAIL(PUAD_FORMAT, "method '%s' is unknown to this version", method);
    out->trains = detector_kind_objective(out->kind);
    TRY(json_text(head_text, sizeof head_text, object, "head"));
    while (out->head <= HEAD_OWN_OUTPUT && strcmp(head_name(out->head), head_text) != 0) out->head++;
    if (out->head > HEAD_OWN_OUTPUT) FAIL(PUAD_FORMAT, "head '%s' is unknown to this version", head_text);
    TRY(json_flag(&out->linear_code, object, "linear_code"));
    TRY(json_text(seed, sizeof seed, object, "seed"));
    out->seed = strtoull(seed, NULL, 10);
    TRY(json_text(sampler_text, sizeof sampler_text, object, "sampler"));
    out->sampler_given = strcmp(sampler_text, "auto") != 0;
    if (out->sampler_given && !sampler_find(&out->sampler, sampler_text))
        FAIL(PUAD_FORMAT, "sampler '%s' is unknown to this version", sampler_text);
#define FIELD(name) TRY(json_size(&out->name, object, #name, RECIPE_COUNT_MAX));
    RECIPE_SIZES(FIELD)
#undef FIELD
    if (out->width > RECIPE_WIDTH_MAX || out->latent > RECIPE_WIDTH_MAX)
        FAIL(PUAD_FORMAT, "layers of %zu and %zu units, the maximum is %d", out->width, out->latent,
             RECIPE_WIDTH_MAX);
#define FIELD(name, max) TRY(json_number(&out->name, object, #name, 0, max));
    RECIPE_NUMBERS(FIELD)
#undef FIELD
    if (out->window > WINDOW_MAX ||
        (out->window && (out->window < 2 || !out->stride || out->stride > out->window)))
        FAIL(PUAD_FORMAT, "windows of %zu rows, %zu apart", out->window, out->stride);
    TRY(json_text(augment_text, sizeof augment_text, object, "augment"));
    if (!augment_find(&out->augment, augment_text))
        FAIL(PUAD_FORMAT, "augment '%s' is unknown to this version", augment_text);
    if (cJSON_HasObjectItem(object, "turned")) TRY(json_number(&out->turned, object, "turned", 0, 1));
    TRY(json_flag(&out->drops_suspects, object, "drops_suspects"));
#define FIELD(name) TRY(json_text(out->name, sizeof out->name, object, #name));
    RECIPE_TEXTS(FIELD)
#undef FIELD
    if (out->head >= HEAD_OWN_CODE && !out->own_head[0]) FAIL(PUAD_FORMAT, "a custom head without a name");
    return objective_from_json(out, object);
}

#define FACT_SIZES(FIELD) FIELD(rows) FIELD(anomalies) FIELD(normals) FIELD(best_epoch)
#define FACT_NUMBERS(FIELD) FIELD(valid_loss)
#define FACT_TIMES(FIELD) FIELD(seconds) FIELD(pretrain_seconds)
#define FACT_TEXTS(FIELD) FIELD(fingerprint) FIELD(version)

static void add_history(cJSON *object, const char *name, const history *rows, bool times)
{
    cJSON *json = NULL;
    history_to_json(&json, rows, times); /* NULL when memory ran out, which marks the object as incomplete */
    cJSON_AddItemToObject(object, name, json);
}

cJSON *facts_to_json(const puad_detector *model, bool times)
{
    cJSON *object = cJSON_CreateObject();
    double sides[3] = {(double)model->in.height, (double)model->in.width, (double)model->in.channels};
    cJSON_AddItemToObject(object, "row_shape", cJSON_CreateDoubleArray(sides, 3));
    cJSON_AddBoolToObject(object, "image", model->image);
#define FIELD(name) cJSON_AddNumberToObject(object, #name, (double)model->name);
    FACT_SIZES(FIELD)
#undef FIELD
#define FIELD(name) json_add_double(object, #name, model->name); /* null for NaN */
    FACT_NUMBERS(FIELD)
    if (times) {
        FACT_TIMES(FIELD)
    }
#undef FIELD
#define FIELD(name) cJSON_AddStringToObject(object, #name, model->name);
    FACT_TEXTS(FIELD)
#undef FIELD
    add_history(object, "pretraining", &model->pretraining, times);
    add_history(object, "training", &model->training, times);
    return object;
}

puad_status facts_from_json(puad_detector *model, const cJSON *object)
{
    const cJSON *row = cJSON_GetObjectItemCaseSensitive(object, "row_shape");
    size_t *sides[3] = {&model->in.height, &model->in.width, &model->in.channels};
    if (cJSON_GetArraySize(row) != 3) FAIL(PUAD_FORMAT, "'row_shape' is missing or not three numbers");
    for (int i = 0; i < 3; i++) {
        const cJSON *side = cJSON_GetArrayItem(row, i);
        if (!cJSON_IsNumber(side) || !(side->valuedouble >= 1 && side->valuedouble <= ROW_SIDE_MAX))
            FAIL(PUAD_FORMAT, "'row_shape' has a size outside 1 to 1000000");
        *sides[i] = (size_t)side->valuedouble;
    }
    TRY(json_flag(&model->image, object, "image"));
#define FIELD(name) TRY(json_size(&model->name, object, #name, MODEL_ROWS_MAX));
    FACT_SIZES(FIELD)
#undef FIELD
#define FIELD(name) TRY(json_number(&model->name, object, #name, -1e300, 1e300));
    FACT_NUMBERS(FIELD)
#undef FIELD
#define FIELD(name)                                                                                          \
    model->name = NAN;                                                                                       \
    if (cJSON_GetObjectItemCaseSensitive(object, #name))                                                     \
        TRY(json_number(&model->name, object, #name, -1e300, 1e300));
    FACT_TIMES(FIELD)
#undef FIELD
#define FIELD(name) TRY(json_text(model->name, sizeof model->name, object, #name));
    FACT_TEXTS(FIELD)
#undef FIELD
    history_free(&model->pretraining);
    history_free(&model->training);
    TRY(history_from_json(&model->pretraining, cJSON_GetObjectItemCaseSensitive(object, "pretraining")));
    return history_from_json(&model->training, cJSON_GetObjectItemCaseSensitive(object, "training"));
}
