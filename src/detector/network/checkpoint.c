/* Reads and writes checkpoints: safetensors with flat blocks. */
#include "detector/network/checkpoint.h"

#include "base/file.h"
#include "base/json.h"
#include "detector/model/model_json.h"
#include "io/safetensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "puad-checkpoint"
static const size_t CHECKPOINT_BYTES_MAX = (size_t)64 << 30;

/* The options that must be equal, as a string; epochs and patience may change between runs. */
static char *recipe_text(const recipe *config)
{
    recipe fixed = *config;
    fixed.epochs = fixed.patience = 0;
    if (fixed.head != HEAD_DISTANCE) fixed.pretrain_epochs = 0; /* it has no pretraining */
    AUTO_JSON cJSON *json = recipe_to_json(&fixed);
    return json ? cJSON_PrintUnformatted(json) : NULL;
}

/* The blocks of a checkpoint: name, pointer, size in floats. Used for reading and writing. */
typedef struct block {
    const char *name;
    float *data;
    size_t count;
} block;

enum { BLOCKS = 7 };

static void list_blocks(block out[BLOCKS], const trainer *state)
{
    network *net = state->net;
    size_t parameters = net->parameter_count, moving = net->state_count;
    size_t center = shape_size(net->layers[state->plan.code - 1].out);
    block list[BLOCKS] = {
        {"parameters", net->parameters, parameters},
        {"first_moment", net->first_moment, parameters},
        {"second_moment", net->second_moment, parameters},
        {"state", net->state, moving},
        {"best_parameters", state->best_parameters, parameters},
        {"best_state", state->best_state, moving},
        {"center", state->center, center},
    };
    memcpy(out, list, sizeof list);
}

static cJSON *position_to_json(const trainer *state)
{
    const train_position *at = &state->at;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "phase", at->phase);
    cJSON_AddNumberToObject(json, "epoch", (double)at->epoch);
    cJSON_AddNumberToObject(json, "best_epoch", (double)at->best_epoch);
    json_add_double(json, "best_loss", at->best_loss);
    json_add_double(json, "last_loss", at->last_loss);
    json_add_double(json, "seconds", at->seconds);
    json_add_double(json, "pretrain_seconds", at->pretrain_seconds);
    cJSON_AddNumberToObject(json, "steps", (double)state->net->steps);
    cJSON_AddNumberToObject(json, "risk_steps", (double)at->steps);
    cJSON_AddNumberToObject(json, "negative_steps", (double)at->negative_steps);
    return json;
}

static puad_status position_from_json(trainer *state, const cJSON *json)
{
    train_position *at = &state->at;
    size_t phase, steps;
    TRY(json_size(&phase, json, "phase", 1));
    TRY(json_size(&at->epoch, json, "epoch", 1000000000));
    TRY(json_size(&at->best_epoch, json, "best_epoch", 1000000000));
    TRY(json_size(&steps, json, "steps", SIZE_MAX / 4));
    TRY(json_size(&at->steps, json, "risk_steps", SIZE_MAX / 4));
    TRY(json_size(&at->negative_steps, json, "negative_steps", SIZE_MAX / 4));
    TRY(json_number(&at->best_loss, json, "best_loss", -INFINITY, INFINITY));
    TRY(json_number(&at->last_loss, json, "last_loss", -INFINITY, INFINITY));
    TRY(json_number(&at->seconds, json, "seconds", 0, 1e12));
    TRY(json_number(&at->pretrain_seconds, json, "pretrain_seconds", 0, 1e12));
    at->phase = phase ? PHASE_TRAIN : PHASE_PRETRAIN;
    state->net->steps = steps;
    return PUAD_OK;
}

puad_status checkpoint_write(const char *path, const trainer *state, const puad_detector *model, bool sync)
{
    AUTO_SAFETENSORS safetensors file = {0};
    AUTO_FREE char *recipe_json = recipe_text(&model->config);
    if (!recipe_json) FAIL(PUAD_MEMORY, "no memory for a checkpoint");
    TRY(safetensors_add_text(&file, "format", FORMAT_NAME));
    TRY(safetensors_add_text(&file, "recipe", recipe_json));
    TRY(safetensors_add_text(&file, "fingerprint", model->fingerprint));
    TRY(safetensors_add_json(&file, "position", position_to_json(state)));
    TRY(safetensors_add_json(&file, "facts", facts_to_json(model, true)));
    block blocks[BLOCKS];
    list_blocks(blocks, state);
    for (size_t i = 0; i < BLOCKS; i++)
        TRY(safetensors_add(&file, blocks[i].name, TENSOR_F32, blocks[i].data, 1, &blocks[i].count));
    TRY(safetensors_add_checksum(&file));
    return safetensors_write(&file, path, sync);
}

/* Names the first option that differs between two configs. */
static puad_status refuse_recipe(const char *text, const char *expected)
{
    AUTO_JSON cJSON *there = NULL, *here = NULL;
    TRY(json_parse(&there, text, "recipe"));
    TRY(json_parse(&here, expected, "recipe"));
    for (const cJSON *own = here->child; own; own = own->next)
        if (!cJSON_Compare(own, cJSON_GetObjectItemCaseSensitive(there, own->string), true))
            FAIL(PUAD_INVALID, "was made with another %s; remove it or train without option 'resume'",
                 own->string);
    FAIL(PUAD_INVALID, "was made with other options; remove it or train without option 'resume'");
}

/* If its pretraining epochs are not given, a run uses those of the checkpoint. */
static puad_status take_pretraining(const char *text, trainer *state, puad_detector *model)
{
    AUTO_JSON cJSON *there = NULL;
    TRY(json_parse(&there, text, "recipe"));
    TRY(json_size(&model->config.pretrain_epochs, there, "pretrain_epochs", RECIPE_COUNT_MAX));
    state->settings.config.pretrain_epochs = model->config.pretrain_epochs;
    return PUAD_OK;
}

static puad_status take_up(const safetensors *file, trainer *state, puad_detector *model)
{
    const char *text = NULL;
    TRY(safetensors_require_text(&text, file, "format"));
    if (strcmp(text, FORMAT_NAME) != 0) FAIL(PUAD_FORMAT, "is a '%s' file, expected a %s", text, FORMAT_NAME);
    TRY(safetensors_check(file));
    TRY(safetensors_require_text(&text, file, "recipe"));
    if (!model->config.pretrain_given && model->config.head == HEAD_DISTANCE)
        TRY(take_pretraining(text, state, model));
    AUTO_FREE char *expected = recipe_text(&model->config);
    if (!expected) FAIL(PUAD_MEMORY, "no memory for a checkpoint");
    if (strcmp(text, expected) != 0) return refuse_recipe(text, expected);
    TRY(safetensors_require_text(&text, file, "fingerprint"));
    if (strcmp(text, model->fingerprint) != 0)
        FAIL(PUAD_INVALID, "was made with other rows; remove it or train without option 'resume'");
    AUTO_JSON cJSON *position = NULL, *facts = NULL;
    TRY(safetensors_require_text(&text, file, "position"));
    TRY(json_parse(&position, text, "position"));
    TRY(safetensors_require_text(&text, file, "facts"));
    TRY(json_parse(&facts, text, "facts"));
    block blocks[BLOCKS];
    const stored_tensor *tensors[BLOCKS];
    list_blocks(blocks, state);
    for (size_t i = 0; i < BLOCKS; i++)
        TRY(safetensors_require(&tensors[i], file, blocks[i].name, TENSOR_F32, 1, &blocks[i].count));
    for (size_t i = 0; i < BLOCKS; i++) memcpy(blocks[i].data, tensors[i]->data, tensors[i]->bytes);
    TRY(facts_from_json(model, facts));
    TRY(position_from_json(state, position));
    network_weights_changed(state->net);
    return PUAD_OK;
}

static puad_status read_alone(const char *path, trainer *state, puad_detector *model)
{
    if (!file_exists(path)) return PUAD_OK;
    AUTO_SAFETENSORS safetensors file = {0};
    TRY(safetensors_open(&file, path, CHECKPOINT_BYTES_MAX));
    puad_status status = take_up(&file, state, model);
    if (status != PUAD_OK) status_prefix("checkpoint %s", path);
    return status;
}

/* Sent by rank 0 to the others in addition to the blocks. */
typedef struct received {
    puad_status status;
    train_position at;
    uint64_t steps;
    size_t pretrain_epochs;
} received;

puad_status checkpoint_read(const char *path, trainer *state, puad_detector *model)
{
    rank_group *all = &state->ranks;
    if (!ranks_several(all)) return read_alone(path, state, model);
    puad_status own = ranks_is_first(all) ? read_alone(path, state, model) : PUAD_OK;
    received first = {own, state->at, state->net->steps, state->settings.config.pretrain_epochs};
    ranks_broadcast(all, &first, sizeof first);
    TRY(all->status);
    TRY(own);
    if (first.status != PUAD_OK) FAIL(first.status, "rank 0 cannot read its checkpoint");
    block blocks[BLOCKS];
    list_blocks(blocks, state);
    for (size_t i = 0; i < BLOCKS; i++)
        ranks_broadcast(all, blocks[i].data, blocks[i].count * sizeof *blocks[i].data);
    state->at = first.at;
    state->net->steps = first.steps;
    state->settings.config.pretrain_epochs = model->config.pretrain_epochs = first.pretrain_epochs;
    network_weights_changed(state->net);
    return all->status;
}
