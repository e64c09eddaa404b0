/* Fits a detector: checks, the trainer or the forest, and the resulting model. */
#include "detector/model/rank_consistency.h"
#include "detector/network/checkpoint.h"

#include "base/clock.h"
#include "base/hash.h"
#include "detector/model/model.h"
#include "detector/network/retrain_without_suspects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <puad/puad.h>

static puad_status model_new(puad_detector **out, const recipe *config, shape in, bool image)
{
    TRY(memory_new(out, 1, sizeof **out, "a model"));
    (*out)->config = *config;
    (*out)->in = in;
    (*out)->image = image;
    (*out)->valid_loss = NAN;
    snprintf((*out)->version, sizeof(*out)->version, "%s", puad_version());
    return PUAD_OK;
}

void detector_cleanup(puad_detector **owner)
{
    puad_detector_free(*owner);
}

void puad_detector_free(puad_detector *model)
{
    if (!model) return;
    ensemble_free(&model->parts);
    transform_free(model->table);
    history_free(&model->pretraining);
    history_free(&model->training);
    calibration_free(&model->held_out);
    warnings_free(&model->warnings);
    free(model->input);
    free(model->remark);
    arena_free(&model->memory);
    free(model);
}

bool model_has_network(const puad_detector *model)
{
    return detector_kind_has_network(model->config.kind);
}

puad_status model_architecture(architecture *out, const puad_detector *model)
{
    const recipe *config = &model->config;
    architecture_options wanted = {.in = model->in,
                                   .head = config->head,
                                   .linear_code = config->linear_code,
                                   .mirrors =
                                       config->head == HEAD_LOGISTIC && config->augment == AUGMENT_FLIP,
                                   .depth = config->depth,
                                   .width = config->width,
                                   .window = config->window,
                                   .latent = config->latent};
    return architecture_make(out, config->network, &wanted);
}

puad_status model_room(puad_detector *model)
{
    architecture plan;
    TRY(model_architecture(&plan, model));
    /* A network for a single row, to learn the sizes; freed again. */
    AUTO_NETWORK network *net = NULL;
    network_options one = {.rows = 1};
    TRY(network_new(&net, plan.layers, plan.head, &one));
    model->parameter_count = net->parameter_count;
    model->state_count = net->state_count;
    model->center_count =
        model->config.head == HEAD_DISTANCE ? shape_size(net->layers[plan.head - 1].out) : 0;
    TRY(arena_new(&model->memory, &model->parameters, model->parameter_count, sizeof(float)));
    TRY(arena_new(&model->memory, &model->state, model->state_count, sizeof(float)));
    return arena_new(&model->memory, &model->center, model->center_count, sizeof(float));
}

void rows_fingerprint(char out[32], const train_rows *rows)
{
    uint64_t hash = HASH_START;
    size_t words = rows->rows * shape_size(rows->in);
    for (size_t i = 0; i < words; i++) {
        uint32_t bits;
        memcpy(&bits, &rows->values[i], sizeof bits);
        hash = hash_word(hash, bits);
    }
    for (size_t i = 0; i < rows->rows; i++) hash = hash_word(hash, (uint8_t)rows->labels[i]);
    snprintf(out, 32, "%016llx", (unsigned long long)hash);
}

/* Forwards the trainer's callbacks to the user's, and records history and checkpoint. */
typedef struct fit_context {
    const fit_options *options;
    puad_detector *model;
    double synced;  /* time when the last checkpoint was synced to disk */
    bool again;     /* the second training, without suspects: short, so it is restarted rather than resumed */
    double watched; /* seconds spent in the `watch` callback */
} fit_context;

static const double seconds_a_sync = 2;

static puad_status record_epoch(void *context, trainer *state, const puad_progress *now)
{
    fit_context *fit = context;
    history *rows = now->pretraining ? &fit->model->pretraining : &fit->model->training;
    double before = (rows->count ? history_seconds(rows) : 0) + fit->watched;
    history_row row = {(int)now->epoch, now->train_loss,
                       state->split.validation_count ? now->valid_loss : NAN,
                       now->seconds > before ? now->seconds - before : 0};
    TRY(history_add(rows, &row));
    if (fit->options->watch && !now->pretraining && !fit->again) {
        double begun = seconds_now();
        TRY(fit->options->watch(fit->options->watcher, state, now->epoch));
        fit->watched += seconds_now() - begun;
    }
    if (!fit->options->checkpoint || state->cut_short || fit->again) return PUAD_OK;
    if (!ranks_is_first(&state->ranks)) return PUAD_OK;
    /* Limit syncs: a sync can take longer than an epoch on a small table. */
    bool sync = seconds_now() - fit->synced >= seconds_a_sync;
    TRY(checkpoint_write(fit->options->checkpoint, state, fit->model, sync));
    if (sync) fit->synced = seconds_now();
    return PUAD_OK;
}

/* Copies what scoring needs from the trainer. */
static puad_status take_weights(puad_detector *model, const trainer *state)
{
    model->config.augment = state->settings.config.augment; /* both as chosen from the images */
    model->config.learning_rate = state->settings.config.learning_rate;
    TRY(model_room(model));
    memcpy(model->parameters, state->net->parameters, model->parameter_count * sizeof(float));
    memcpy(model->state, state->net->state, model->state_count * sizeof(float));
    memcpy(model->center, state->center, model->center_count * sizeof(float));
    model->best_epoch = state->at.best_epoch;
    model->valid_loss = state->split.validation_count ? state->at.best_loss : NAN;
    model->seconds = state->at.seconds;
    model->steps = state->at.steps;
    model->negative_steps = state->at.negative_steps;
    model->pretrain_seconds = state->at.pretrain_seconds;
    return PUAD_OK;
}

static puad_status share_pretraining(trainer *state, shared_pretraining *shared)
{
    if (!shared || state->at.phase != PHASE_PRETRAIN) return PUAD_OK;
    size_t parameters = state->net->parameter_count, moving = state->net->state_count;
    if (shared->parameters) {
        if (shared->parameter_count != parameters || shared->state_count != moving)
            FAIL(PUAD_INVALID, "the pretraining to share is of another network");
        trainer_adopt_pretraining(state, shared->parameters, shared->state, shared->seconds);
        return PUAD_OK;
    }
    TRY(trainer_pretrain(state));
    TRY(memory_new(&shared->parameters, parameters, sizeof(float), "pretraining"));
    TRY(memory_new(&shared->state, moving, sizeof(float), "pretraining"));
    memcpy(shared->parameters, state->best_parameters, parameters * sizeof(float));
    memcpy(shared->state, state->best_state, moving * sizeof(float));
    shared->parameter_count = parameters;
    shared->state_count = moving;
    shared->seconds = state->at.pretrain_seconds;
    return PUAD_OK;
}

void shared_pretraining_free(shared_pretraining *owner)
{
    free(owner->parameters);
    free(owner->state);
    *owner = (shared_pretraining){0};
}

/* Trains again without the suspects, if there are any. */
static puad_status train_again(trainer **state, const train_settings *settings, const train_rows *rows,
                               fit_context *context)
{
    size_t count = 0;
    AUTO_FREE bool *marked = NULL;
    TRY(suspects_mark(&marked, &count, *state, settings->config.objective.alpha));
    if (count == 0) return PUAD_OK;
    context->again = true;
    history_free(&context->model->pretraining); /* keep the history that belongs to the model's weights */
    history_free(&context->model->training);
    return suspects_train_again(state, settings, rows, marked);
}

static puad_status fit_network(puad_detector *model, const train_rows *rows, const fit_options *options,
                               shared_pretraining *shared)
{
    fit_context context = {.options = options, .model = model};
    train_settings settings = {.config = model->config,
                               .own_head = options->head,
                               .workers = options->workers,
                               .ranks = options->ranks,
                               .progress = options->progress,
                               .progress_context = options->context,
                               .epoch_done = record_epoch,
                               .context = &context};
    AUTO_TRAINER trainer *state = NULL;
    TRY(trainer_new(&state, &settings, rows));
    TRY(agreement_check(state, model));
    if (options->checkpoint && options->resume) TRY(checkpoint_read(options->checkpoint, state, model));
    TRY(share_pretraining(state, shared));
    TRY(trainer_run(state));
    if (model->config.drops_suspects && !state->finishing && !state->cut_short)
        TRY(train_again(&state, &settings, rows, &context));
    TRY(take_weights(model, state));
    model->seconds -= context.watched;
    return PUAD_OK;
}

puad_status model_fit(puad_detector **out, const train_rows *rows, bool image, const recipe *config,
                      const fit_options *options, shared_pretraining *shared)
{
    AUTO_DETECTOR puad_detector *model = NULL;
    TRY(model_new(&model, config, rows->in, image));
    model->rows = rows->rows;
    for (size_t i = 0; i < rows->rows; i++) {
        model->anomalies += rows->labels[i] == PUAD_LABEL_ANOMALY;
        model->normals += rows->labels[i] == PUAD_LABEL_NORMAL;
    }
    model->config.objective.training_anomalies = model->anomalies;
    model->config.objective.training_normals = model->normals;
    rows_fingerprint(model->fingerprint, rows);
    TRY(detector_kind_has_network(config->kind) ? fit_network(model, rows, options, shared)
                                                : ensemble_fit(model, rows, options->workers));
    *out = model;
    model = NULL;
    return PUAD_OK;
}

puad_status detector_check_size(size_t rows, size_t height, size_t width, size_t channels)
{
    if (rows == 0) FAIL(PUAD_INVALID, "there are no rows to train on");
    if (rows > MODEL_ROWS_MAX) FAIL(PUAD_INVALID, "%zu rows; the maximum is %d", rows, MODEL_ROWS_MAX);
    size_t max = height > width ? height : width;
    if (channels > max) max = channels;
    if (max <= ROW_SIDE_MAX) return PUAD_OK;
    if (max == height * width * channels)
        FAIL(PUAD_INVALID, "%zu columns (each category counts); the maximum of a model is %d", max,
             ROW_SIDE_MAX);
    FAIL(PUAD_INVALID, "rows of %zu x %zu x %zu values; the maximum of a side is %d", height, width, channels,
         ROW_SIDE_MAX);
}

static puad_status check_rows(const labeled_rows *rows)
{
    size_t columns, count;
    if (!size_multiply(&columns, rows->height, rows->width) ||
        !size_multiply(&columns, columns, rows->channels) || columns == 0)
        FAIL(PUAD_INVALID, "rows of %zu x %zu x %zu values", rows->height, rows->width, rows->channels);
    TRY(detector_check_size(rows->rows, rows->height, rows->width, rows->channels));
    if (!size_multiply(&count, columns, rows->rows))
        FAIL(PUAD_INVALID, "%zu rows of %zu values are too many", rows->rows, columns);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(rows->values[i]))
            FAIL(PUAD_NUMERIC, "row %zu, column %zu is not finite", i / columns, i % columns);
    for (size_t i = 0; rows->labels && i < rows->rows; i++)
        if (rows->labels[i] < -1 || rows->labels[i] > 1)
            FAIL(PUAD_INVALID, "row %zu has label %d; expected 1, 0 or -1", i, rows->labels[i]);
    return PUAD_OK;
}

puad_status detector_fit(puad_detector **out, const labeled_rows *rows, const fit_options *options)
{
    fit_options standard = fit_options_standard();
    NEED(out);
    *out = NULL;
    NEED(rows);
    if (rows->rows) NEED(rows->values);
    if (!options) options = &standard;
    TRY(check_rows(rows));
    bool image = rows->height > 1 || rows->width > 1;
    train_rows given = {.values = rows->values,
                        .labels = rows->labels,
                        .rows = rows->rows,
                        .in = {rows->height, rows->width, rows->channels},
                        .asked = rows->asked,
                        .scale = options->scale,
                        .first = options->first,
                        .weights = options->weights};
    recipe config;
    TRY(recipe_make(&config, options, given.in, image));
    AUTO_FREE int8_t *unlabeled = NULL;
    if (!rows->labels) {
        TRY(memory_new(&unlabeled, rows->rows, 1, "labels"));
        given.labels = unlabeled;
    }
    return model_fit(out, &given, image, &config, options, NULL);
}

model_facts detector_facts(const puad_detector *model)
{
    if (!model) return (model_facts){0};
    const recipe *config = &model->config;
    return (model_facts){
        .method = config->kind->name,
        .title = config->kind->title,
        .network = model_has_network(model) ? config->network : "none",
        .head = config->own_head[0] ? config->own_head : config->kind->head,
        .alpha_kind = config->alpha_kind,
        .version = model->version,
        .alpha = config->objective.alpha,
        .valid_loss = model->valid_loss,
        .seconds = model->seconds,
        .pretrain_seconds = model->pretrain_seconds,
        .rows = model->rows,
        .anomalies = model->anomalies,
        .normals = model->normals,
        .height = model->in.height,
        .width = model->in.width,
        .channels = model->in.channels,
        .best_epoch = model->best_epoch,
        .epochs = model->training.count,
        .parameters = model->parameter_count,
        .seed = config->seed,
    };
}
