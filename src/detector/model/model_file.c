/* Model files: safetensors with one tensor per weight of a layer, and the JSON strings `recipe`, `facts`
 * and `table`. */
#include "detector/ensemble/ensemble_file.h"
#include "detector/model/calibration_file.h"
#include "detector/model/model_input_options.h"
#include "detector/model/model_json.h"
#include "detector/model/typical_values.h"
#include "detector/model_series.h"
#include "io/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "puad-model"
#define FORMAT_VERSION "7"
#define BACKBONE_PREFIX "backbone."
static const size_t MODEL_BYTES_MAX = (size_t)16 << 30;

/* A tensor of a layer: its name in the file, and the address of its floats. */
typedef struct file_tensor {
    layer_tensor what;
    char name[64];
    float *data;
} file_tensor;

static size_t file_tensors(file_tensor out[LAYER_TENSORS_MAX], const puad_detector *model, const network *net,
                           size_t index)
{
    const layer *self = &net->layers[index];
    float *places[] = {model->parameters + self->parameters_at, model->state + self->state_at};
    layer_tensor parts[LAYER_TENSORS_MAX];
    size_t parameters, state, count = layer_tensors(self, parts, &parameters, &state);
    for (size_t i = 0; i < count; i++) {
        out[i] = (file_tensor){.what = parts[i], .data = places[parts[i].state]};
        snprintf(out[i].name, sizeof out[i].name, "%zu.%s.%s", index, self->type->name, parts[i].name);
        places[parts[i].state] += layer_tensor_size(&parts[i]);
    }
    return count;
}

/* A network for a single row, to find each layer's floats. */
static puad_status skeleton(network **out, const puad_detector *model)
{
    architecture plan;
    TRY(model_architecture(&plan, model));
    network_options one = {.rows = 1};
    return network_new(out, plan.layers, plan.head, &one);
}

static puad_status add_network(safetensors *file, const puad_detector *model)
{
    AUTO_NETWORK network *net = NULL;
    TRY(skeleton(&net, model));
    for (size_t i = 0; i < net->layer_count; i++) {
        file_tensor parts[LAYER_TENSORS_MAX];
        size_t count = file_tensors(parts, model, net, i);
        for (size_t j = 0; j < count; j++)
            TRY(safetensors_add(file, parts[j].name, TENSOR_F32, parts[j].data, parts[j].what.dimensions,
                                parts[j].what.shape));
    }
    if (!model->center_count) return PUAD_OK;
    return safetensors_add(file, "center", TENSOR_F32, model->center, 1, &model->center_count);
}

static puad_status collect(safetensors *file, const puad_detector *model)
{
    TRY(safetensors_add_text(file, "format", FORMAT_NAME));
    TRY(safetensors_add_text(file, "format_version", FORMAT_VERSION));
    TRY(safetensors_add_json(file, "recipe", recipe_to_json(&model->config)));
    TRY(safetensors_add_json(file, "facts", facts_to_json(model, false)));
    if (model->table) TRY(safetensors_add_json(file, "table", transform_to_json(model->table)));
    if (model->table && model->table->backbone)
        TRY(backbone_write(file, model->table->backbone, BACKBONE_PREFIX));
    if (model->input) TRY(safetensors_add_text(file, "input", model->input));
    if (model->remark) TRY(safetensors_add_text(file, "remark", model->remark));
    size_t columns = model->table ? model->table->encoded : 0;
    TRY(usual_write(file, "usual", model->usual, columns));
    TRY(usual_write(file, "usual.levels", model->usual_levels, columns));
    TRY(usual_write(file, "usual.amplitudes", model->usual_amplitudes, columns));
    TRY(column_profile_write(file, &model->profile, columns));
    if (model->warnings.count)
        TRY(safetensors_add_json(file, "warnings", warnings_to_json(&model->warnings)));
    TRY(calibration_write(file, &model->held_out));
    if (model->answer_count) {
        TRY(safetensors_add(file, "answers.rows", TENSOR_U32, model->answer_rows, 1, &model->answer_count));
        TRY(safetensors_add(file, "answers.keys", TENSOR_U64, model->answer_keys, 1, &model->answer_count));
    }
    if (model_has_network(model))
        TRY(add_network(file, model));
    else
        TRY(ensemble_write(file, model));
    return safetensors_add_checksum(file);
}

puad_status puad_detector_save(const puad_detector *model, const char *path)
{
    NEED(model);
    NEED(path);
    AUTO_SAFETENSORS safetensors file = {0};
    TRY(collect(&file, model));
    return safetensors_write(&file, path, true);
}

puad_status puad_detector_save_memory(unsigned char **out_bytes, size_t *out_size, const puad_detector *model)
{
    NEED(out_bytes);
    NEED(out_size);
    *out_bytes = NULL;
    *out_size = 0;
    NEED(model);
    AUTO_SAFETENSORS safetensors file = {0};
    TRY(collect(&file, model));
    return safetensors_write_memory(&file, out_bytes, out_size);
}

static puad_status parse_text(cJSON **out, const safetensors *file, const char *key)
{
    const char *text = NULL;
    TRY(safetensors_require_text(&text, file, key));
    return json_parse(out, text, key);
}

/* Before memory is allocated, checks that the file holds as many weights as its network needs. */
static puad_status check_size(const puad_detector *model, const safetensors *file)
{
    architecture plan;
    size_t parameters, state, stored = 0;
    TRY(model_architecture(&plan, model));
    TRY(network_sizes(&parameters, &state, plan.layers, plan.head));
    for (size_t i = 0; i < file->tensor_count; i++) stored += file->tensors[i].count;
    if (parameters + state > stored)
        FAIL(PUAD_FORMAT, "describes a network of %zu numbers, but its tensors have %zu", parameters + state,
             stored);
    return PUAD_OK;
}

static puad_status read_network(puad_detector *model, const safetensors *file)
{
    TRY(check_size(model, file));
    TRY(model_room(model));
    AUTO_NETWORK network *net = NULL;
    TRY(skeleton(&net, model));
    for (size_t i = 0; i < net->layer_count; i++) {
        file_tensor parts[LAYER_TENSORS_MAX];
        size_t count = file_tensors(parts, model, net, i);
        for (size_t j = 0; j < count; j++) {
            const stored_tensor *tensor = NULL;
            TRY(safetensors_require(&tensor, file, parts[j].name, TENSOR_F32, parts[j].what.dimensions,
                                    parts[j].what.shape));
            memcpy(parts[j].data, tensor->data, tensor->bytes);
        }
    }
    if (!model->center_count) return PUAD_OK;
    const stored_tensor *center = NULL;
    TRY(safetensors_require(&center, file, "center", TENSOR_F32, 1, &model->center_count));
    memcpy(model->center, center->data, center->bytes);
    return PUAD_OK;
}

/* Present only if the model was trained with answers. */
static puad_status read_answers(puad_detector *model, const safetensors *file)
{
    const stored_tensor *rows = NULL, *keys = NULL;
    size_t any = SIZE_MAX;
    if (!safetensors_find(file, "answers.rows")) return PUAD_OK;
    TRY(safetensors_require(&rows, file, "answers.rows", TENSOR_U32, 1, &any));
    TRY(safetensors_require(&keys, file, "answers.keys", TENSOR_U64, 1, &rows->count));
    TRY(arena_new(&model->memory, &model->answer_rows, rows->count, sizeof *model->answer_rows));
    TRY(arena_new(&model->memory, &model->answer_keys, rows->count, sizeof *model->answer_keys));
    memcpy(model->answer_rows, rows->data, rows->bytes);
    memcpy(model->answer_keys, keys->data, keys->bytes);
    model->answer_count = rows->count;
    return PUAD_OK;
}

static puad_status read_model(puad_detector *model, const safetensors *file)
{
    const char *text = NULL;
    AUTO_JSON cJSON *recipe_json = NULL, *facts = NULL, *table = NULL;
    TRY(safetensors_require_text(&text, file, "format"));
    if (strcmp(text, FORMAT_NAME) != 0) FAIL(PUAD_FORMAT, "is a '%s' file, expected a %s", text, FORMAT_NAME);
    TRY(safetensors_require_text(&text, file, "format_version"));
    if (strcmp(text, FORMAT_VERSION) != 0)
        FAIL(PUAD_FORMAT, "has format version %.20s, this program reads version %s; train the model again",
             text, FORMAT_VERSION);
    TRY(safetensors_check(file));
    TRY(parse_text(&recipe_json, file, "recipe"));
    TRY(parse_text(&facts, file, "facts"));
    TRY(recipe_from_json(&model->config, recipe_json));
    TRY(facts_from_json(model, facts));
    model->config.objective.training_anomalies = model->anomalies;
    model->config.objective.training_normals = model->normals;
    if (safetensors_text(file, "table")) {
        AUTO_BACKBONE backbone *features = NULL;
        TRY(parse_text(&table, file, "table"));
        if (safetensors_text(file, "backbone")) TRY(backbone_read(&features, file, BACKBONE_PREFIX));
        TRY(transform_from_json(&model->table, table, features));
        if (model->table->backbone) model->config.patches = backbone_patch_count(model->table->backbone);
        size_t made = model->table->encoded;
        if (model_is_series(model) && (model->image || !size_multiply(&made, made, model->config.window + 2)))
            FAIL(PUAD_FORMAT, "windows of %zu rows of %zu values", model->config.window,
                 model->table->encoded);
        if (made != shape_size(model->in))
            FAIL(PUAD_FORMAT, "the encoding gives rows of %zu values, the model takes %zu", made,
                 shape_size(model->in));
        arena *memory = &model->memory;
        size_t columns = model->table->encoded;
        TRY(usual_read(&model->usual, memory, file, "usual", columns));
        TRY(usual_read(&model->usual_levels, memory, file, "usual.levels", columns));
        TRY(usual_read(&model->usual_amplitudes, memory, file, "usual.amplitudes", columns));
        TRY(column_profile_read(&model->profile, &model->memory, file, model->table->encoded));
    }
    if (model_is_series(model) && !model->table) FAIL(PUAD_FORMAT, "windows of a series without its columns");
    TRY(model_set_input(model, safetensors_text(file, "input")));
    TRY(puad_detector_set_remark(model, safetensors_text(file, "remark")));
    if (safetensors_text(file, "warnings")) {
        AUTO_JSON cJSON *warnings = NULL;
        TRY(parse_text(&warnings, file, "warnings"));
        TRY(warnings_from_json(&model->warnings, warnings));
    }
    TRY(calibration_read(&model->held_out, file));
    TRY(read_answers(model, file));
    return model_has_network(model) ? read_network(model, file) : ensemble_read(model, file);
}

static puad_status load(puad_detector **out, const safetensors *file, const char *name)
{
    AUTO_DETECTOR puad_detector *model = NULL;
    TRY(memory_new(&model, 1, sizeof *model, "a model"));
    puad_status status = read_model(model, file);
    if (status == PUAD_INVALID) status = PUAD_FORMAT; /* the error is in the file, not in the call */
    if (status != PUAD_OK) {
        status_prefix("%s", name);
        return status;
    }
    *out = model;
    model = NULL;
    return PUAD_OK;
}

puad_status puad_detector_load(puad_detector **out, const char *path)
{
    NEED(out);
    *out = NULL;
    NEED(path);
    AUTO_SAFETENSORS safetensors file = {0};
    TRY(safetensors_open(&file, path, MODEL_BYTES_MAX));
    return load(out, &file, path);
}

puad_status puad_detector_load_memory(puad_detector **out, const unsigned char *bytes, size_t size)
{
    NEED(out);
    *out = NULL;
    NEED(bytes);
    AUTO_SAFETENSORS safetensors file = {0};
    TRY(safetensors_parse(&file, bytes, size, "a model in memory"));
    return load(out, &file, "a model in memory");
}
