/* The training loop: phases, epochs, batches. */
#include "detector/network/trainer.h"

#include "base/clock.h"

#include "objective/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CYCLE_RISE 0.25  /* fraction of the steps in which the rate rises */
#define CYCLE_BEGIN 0.04 /* the initial rate, as a fraction of the maximum */

/* The rate for images that cannot be mirrored, as a fraction of that for photographs: objects in one
 * position are learned quickly, and the labeled anomalies by heart (docs/explanation/networks.md). */
#define ALIGNED_RATE 0.1

#define VALIDATION 0.1 /* fraction of the rows */

/* A decoupled decay is this many times the one that is added to the gradient. */
enum { DECOUPLED_DECAY = 10 };

static adam_options adam_of(const recipe *config)
{
    adam_options adam = adam_standard;
    adam.rate = config->learning_rate;
    adam.decay = config->decay;
    if (config->head == HEAD_LOGISTIC) {
        adam.decay = 0;
        adam.decoupled = config->decay * DECOUPLED_DECAY;
    }
    return adam;
}

/* Whether the rate rises and falls to 0 over all steps; then the last weights are kept. */
static bool has_cycle(const recipe *config)
{
    return config->head == HEAD_LOGISTIC;
}

/* The number of layers that run in a phase, followed by the head. */
static size_t phase_end(const trainer *state, train_phase phase)
{
    return phase == PHASE_PRETRAIN ? state->plan.count : state->plan.head;
}

static head trainer_head(const trainer *state, train_phase phase)
{
    head_kind kind = phase == PHASE_PRETRAIN ? HEAD_RECONSTRUCTION : state->settings.config.head;
    size_t outputs = layer_values(&state->net->layers[phase_end(state, phase) - 1]);
    head h = {
        .kind = kind, .outputs = outputs, .inputs = shape_size(state->data.in), .center = state->center};
    if (state->settings.own_head) {
        h.own = state->settings.own_head->evaluate;
        h.own_context = state->settings.own_head->context;
    }
    return h;
}

static puad_criterion phase_criterion(const trainer *state, train_phase phase)
{
    const train_settings *s = &state->settings;
    if (phase == PHASE_TRAIN)
        return (puad_criterion){s->config.trains,
                                s->own_head ? s->own_head->losses : detector_kind_losses(s->config.kind),
                                s->config.objective};
    return (puad_criterion){puad_objective_find("unsupervised"), puad_loss_pair_find("reconstruction"),
                            puad_objective_options_standard()};
}

static bool uses(const puad_objective *objective, int8_t label)
{
    unsigned bit = label == PUAD_LABEL_ANOMALY  ? PUAD_USES_ANOMALIES
                   : label == PUAD_LABEL_NORMAL ? PUAD_USES_NORMALS
                                                : PUAD_USES_UNLABELED;
    return objective->labels & bit;
}

static puad_status new_buffers(trainer *state)
{
    size_t inputs = shape_size(state->data.in), outputs = 0, rows = state->capacity;
    size_t max =
        state->split.validation_count > state->batch_most ? state->split.validation_count : state->batch_most;
    for (size_t i = 0; i < state->plan.count; i++) {
        size_t size = layer_values(&state->net->layers[i]);
        if (size > outputs && (i + 1 == state->plan.count || i + 1 == state->plan.code)) outputs = size;
    }
    arena *memory = &state->memory;
    size_t workspace = puad_objective_workspace(state->settings.config.trains, max);
    size_t plain = puad_objective_workspace(puad_objective_find("unsupervised"), max);
    TRY(arena_new(memory, &state->inputs, rows * inputs, sizeof(float)));
    TRY(arena_new(memory, &state->targets, rows * inputs, sizeof(float)));
    TRY(arena_new(memory, &state->output_gradient, rows * outputs, sizeof(float)));
    TRY(arena_new(memory, &state->scores, max + 1, sizeof(float)));
    TRY(arena_new(memory, &state->score_gradient, max, sizeof(float)));
    TRY(arena_new(memory, &state->labels, max, sizeof(int8_t)));
    TRY(arena_new(memory, &state->workspace, workspace > plain ? workspace : plain, 1));
    TRY(arena_new(memory, &state->best_parameters, state->net->parameter_count, sizeof(float)));
    TRY(arena_new(memory, &state->best_state, state->net->state_count, sizeof(float)));
    return arena_new(memory, &state->center, outputs, sizeof(float));
}

/* With a given number of steps the last weights are the result: with few labels the best of many
 * validation losses is random, and held-out labels are missing in training. */
static bool keeps_last(const recipe *config)
{
    return (config->steps || has_cycle(config)) && !config->patience;
}

static puad_status build(trainer *state)
{
    const train_settings *settings = &state->settings;
    const recipe *s = &settings->config;
    puad_criterion criterion = phase_criterion(state, PHASE_TRAIN);
    if (!criterion.objective || !criterion.losses)
        FAIL(PUAD_INVALID, "training needs an objective and its losses");
    if (s->batch < 2) FAIL(PUAD_INVALID, "batch is %zu, a batch has at least 2 rows", s->batch);
    TRY(objective_options_check(&criterion.options));
    double held_out = keeps_last(s) ? 0 : VALIDATION;
    TRY(validation_split_new(&state->split, state->data.labels, state->data.rows, held_out, s->seed));
    if (state->data.left_out) validation_split_leave_out(&state->split, state->data.left_out);
    const train_images images = {state->data.values, state->data.labels, state->data.rows, state->data.in};
    recipe *chosen = &state->settings.config;
    if (s->augment == AUGMENT_AUTO) TRY(augment_choose(&chosen->augment, &images));
    bool mirrors = chosen->augment == AUGMENT_FLIP;
    if (s->rate_chosen && !mirrors) chosen->learning_rate *= ALIGNED_RATE;
    if (s->turned > 0 && mirrors) TRY(augment_turns(&state->turns, &images));
    size_t usable = 0;
    for (size_t i = 0; i < state->split.training_count; i++)
        usable += uses(criterion.objective, state->data.labels[state->split.training[i]]);
    if (usable < 2)
        FAIL(PUAD_INVALID, "only %zu of %zu rows can be trained on; at least 2 are needed", usable,
             state->data.rows);
    architecture_options wanted = {.in = state->data.in,
                                   .head = s->head,
                                   .linear_code = s->linear_code,
                                   .depth = s->depth,
                                   .width = s->width,
                                   .window = s->window,
                                   .latent = s->latent};
    TRY(architecture_make(&state->plan, s->network, &wanted));
    state->ranks = ranks_of(settings->ranks);
    state->batch_most = s->batch + 1; /* a single remaining row joins the previous batch */
    state->capacity = ranks_part_most(&state->ranks, state->batch_most);
    network_options storage = {
        .rows = state->capacity, .training = true, .workers = settings->workers, .ranks = &state->ranks};
    puad_status status = network_new(&state->net, state->plan.layers, state->plan.count, &storage);
    if (status == PUAD_OK) {
        network_start(state->net, s->seed);
        status = new_buffers(state);
    }
    if (status == PUAD_MEMORY) status_prefix("a batch of %zu rows", s->batch);
    TRY(status);
    state->at.phase = s->head == HEAD_DISTANCE ? PHASE_PRETRAIN : PHASE_TRAIN;
    state->at.best_loss = INFINITY;
    state->at.last_loss = NAN;
    return PUAD_OK;
}

puad_status trainer_new(trainer **out, const train_settings *settings, const train_rows *data)
{
    AUTO_TRAINER trainer *state = NULL;
    TRY(memory_new(&state, 1, sizeof *state, "training"));
    state->settings = *settings;
    state->data = *data;
    TRY(build(state));
    *out = state;
    state = NULL;
    return PUAD_OK;
}

void trainer_cleanup(trainer **owner)
{
    trainer_free(*owner);
}

void trainer_free(trainer *state)
{
    if (!state) return;
    network_free(state->net);
    validation_split_free(&state->split);
    arena_free(&state->memory);
    free(state);
}

/* Copies the rows of a batch, with new noise for each row and epoch. */
typedef struct gather_job {
    trainer *state;
    const uint32_t *rows;
    uint64_t stream; /* of the first row */
    double noise;
    augment_kind augment;
} gather_job;

/* Quarter turns of an unlabeled image that serves as an anomaly in this batch; 0 for all others. */
static int turn_of(const trainer *state, uint32_t row, uint64_t stream)
{
    if (state->turns.count == 0 || state->at.phase != PHASE_TRAIN ||
        state->data.labels[row] != PUAD_LABEL_UNLABELED)
        return 0;
    rng draws = rng_make(state->settings.config.seed, rng_stream("turn", stream));
    return augment_draw_turn(&state->turns, state->settings.config.turned, &draws);
}

static void gather_row(void *context, size_t i, int thread)
{
    (void)thread;
    const gather_job *job = context;
    trainer *state = job->state;
    size_t size = shape_size(state->data.in);
    const float *source = state->data.values + job->rows[i] * size;
    float *input = state->inputs + i * size;
    image_change change = {job->augment, turn_of(state, job->rows[i], job->stream + i)};
    if (change.kind == AUGMENT_NONE && change.turn == 0) {
        memcpy(input, source, size * sizeof *input);
    } else {
        rng draws = rng_make(state->settings.config.seed, rng_stream("augment", job->stream + i));
        augment_image(input, source, state->data.in, change, &draws);
    }
    if (job->noise == 0) return;
    memcpy(state->targets + i * size, input, size * sizeof *input);
    rng draws = rng_make(state->settings.config.seed, rng_stream("noise", job->stream + i));
    for (size_t j = 0; j < size; j++) input[j] += (float)(job->noise * rng_normal(&draws));
}

/* Whether the normals' part of a positive-unlabeled risk, r = mean_U neg - alpha mean_A neg, was negative
 * in this step. The losses of the rows are still at the start of the workspace. */
static void count_risk(trainer *state, const puad_criterion *criterion, size_t count)
{
    unsigned needs = PUAD_USES_UNLABELED | PUAD_USES_ANOMALIES | PUAD_ESTIMATES_RISK;
    if (state->at.phase != PHASE_TRAIN || (criterion->objective->labels & needs) != needs) return;
    const puad_losses *losses = state->workspace;
    double sums[2] = {0}, rows[2] = {0};
    for (size_t i = 0; i < count; i++) {
        if (state->labels[i] == PUAD_LABEL_NORMAL) continue;
        sums[state->labels[i]] += losses[i].neg;
        rows[state->labels[i]]++;
    }
    if (rows[0] == 0 || rows[1] == 0) return;
    state->at.steps++;
    state->at.negative_steps += sums[0] / rows[0] < criterion->options.alpha * sums[1] / rows[1];
}

static puad_status take_answer(trainer *state, puad_answer answer)
{
    if (answer == PUAD_ABORT) FAIL(PUAD_CANCELLED, "training was cancelled");
    if (answer == PUAD_FINISH) state->finishing = true;
    return PUAD_OK;
}

/* Answers are numbers that can be added over ranks: any rank may request the end. */
enum { ABORT_VALUE = 65536 };

static float answer_value(puad_answer answer)
{
    return answer == PUAD_ABORT ? ABORT_VALUE : answer == PUAD_FINISH ? 1 : 0;
}

static puad_answer answer_of_all(float sum)
{
    return sum >= ABORT_VALUE ? PUAD_ABORT : sum > 0 ? PUAD_FINISH : PUAD_GO_ON;
}

/* Gathers the scores of the whole batch, of which each rank has computed its part. Each rank then
 * evaluates the objective, whose means, orders and corrections need the whole batch. The answers of the
 * progress callbacks are sent along to save a message. */
static puad_status share_scores(trainer *state, size_t count, size_t first, size_t rows)
{
    if (!ranks_several(&state->ranks)) return PUAD_OK;
    memset(state->scores, 0, first * sizeof(float));
    memset(state->scores + first + rows, 0, (count - first - rows) * sizeof(float));
    state->scores[count] = answer_value(state->answer);
    state->answer = PUAD_GO_ON;
    ranks_sum(&state->ranks, state->scores, count + 1);
    TRY(state->ranks.status);
    return take_answer(state, answer_of_all(state->scores[count]));
}

/* The rate of a step: in a cycle it rises by half a cosine in the first quarter of all steps, then falls
 * to 0. */
static double rate_of(const trainer *state)
{
    double rate = state->settings.config.learning_rate,
           part = (double)state->net->steps / (double)state->step_count;
    if (!has_cycle(&state->settings.config) || state->at.phase != PHASE_TRAIN) return rate;
    if (part < CYCLE_RISE)
        return rate * (CYCLE_BEGIN + (1 - CYCLE_BEGIN) * (1 - cos(M_PI * part / CYCLE_RISE)) / 2);
    return rate * (1 + cos(M_PI * (fmin(part, 1) - CYCLE_RISE) / (1 - CYCLE_RISE))) / 2;
}

/* One step on a batch; this rank's part, `rows` from `first` on, is in state->inputs. Adds to *loss. */
static puad_status train_batch(trainer *state, const puad_criterion *criterion, size_t count, size_t first,
                               size_t rows, const float *targets, double *out_loss)
{
    train_phase phase = state->at.phase;
    size_t end = phase_end(state, phase);
    network *net = state->net;
    head h = trainer_head(state, phase);
    const float *outputs = network_forward(net, state->inputs, rows, end, true);
    float *scores = state->scores + first;
    head_score(&h, &net->options, scores, outputs, targets, rows);
    TRY(share_scores(state, count, first, rows));
    TRY(objective_step(out_loss, state->score_gradient, criterion, state->scores, state->labels, count,
                       state->workspace));
    count_risk(state, criterion, count);
    head_pass forward = {scores, outputs, targets, rows};
    head_back(&h, &net->options, state->output_gradient, state->score_gradient + first, &forward);
    network_backward(net, state->output_gradient, NULL);
    ranks_sum(&state->ranks, net->gradients, network_parameters_before(net, end));
    TRY(state->ranks.status);
    adam_options adam = adam_of(&state->settings.config);
    adam.rate = rate_of(state);
    network_step(net, &adam, end);
    return PUAD_OK;
}

static void score_phase(trainer *state, train_phase phase, float *scores, const float *values, size_t rows)
{
    size_t size = shape_size(state->data.in), end = phase_end(state, phase);
    head h = trainer_head(state, phase);
    for (size_t first = 0; first < rows; first += state->capacity) {
        size_t count = rows - first < state->capacity ? rows - first : state->capacity;
        const float *outputs = network_forward(state->net, values + first * size, count, end, false);
        head_score(&h, &state->net->options, scores + first, outputs, values + first * size, count);
    }
}

void trainer_score_rows(trainer *state, float *scores, const float *values, size_t rows)
{
    score_phase(state, PHASE_TRAIN, scores, values, rows);
}

puad_status trainer_score(trainer *state, float *scores)
{
    size_t first, rows = ranks_part(&state->ranks, &first, state->data.rows);
    score_phase(state, PHASE_TRAIN, scores + first, state->data.values + first * shape_size(state->data.in),
                rows);
    ranks_gather(&state->ranks, scores, state->data.rows);
    return state->ranks.status;
}

/* Scores the listed rows batch by batch; their labels go to state->labels. */
static puad_status score_listed(trainer *state, train_phase phase, const uint32_t *list, size_t count)
{
    size_t size = shape_size(state->data.in), begin, own = ranks_part(&state->ranks, &begin, count);
    for (size_t first = begin; first < begin + own; first += state->capacity) {
        size_t left = begin + own - first, rows = left < state->capacity ? left : state->capacity;
        for (size_t i = 0; i < rows; i++)
            memcpy(state->inputs + i * size, state->data.values + list[first + i] * size,
                   size * sizeof(float));
        score_phase(state, phase, state->scores + first, state->inputs, rows);
    }
    for (size_t i = 0; i < count; i++) state->labels[i] = state->data.labels[list[i]];
    ranks_gather(&state->ranks, state->scores, count);
    return state->ranks.status;
}

/* The objective over the whole validation part at once; NaN if there is none. */
static puad_status validate(trainer *state, const puad_criterion *criterion, double *out_loss)
{
    *out_loss = NAN;
    if (state->split.validation_count == 0) return PUAD_OK;
    TRY(score_listed(state, state->at.phase, state->split.validation, state->split.validation_count));
    return objective_step(out_loss, NULL, criterion, state->scores, state->labels,
                          state->split.validation_count, state->workspace);
}

static void keep_best(trainer *state)
{
    memcpy(state->best_parameters, state->net->parameters, state->net->parameter_count * sizeof(float));
    memcpy(state->best_state, state->net->state, state->net->state_count * sizeof(float));
}

static void restore_best(trainer *state)
{
    memcpy(state->net->parameters, state->best_parameters, state->net->parameter_count * sizeof(float));
    memcpy(state->net->state, state->best_state, state->net->state_count * sizeof(float));
    network_weights_changed(state->net);
}

/* Calls the progress callback. With several ranks, answers arrive with the next batch, at the end of an
 * epoch at once. */
static puad_status ask(trainer *state, const puad_progress *now)
{
    const train_settings *s = &state->settings;
    puad_answer answer = s->progress ? s->progress(s->progress_context, now) : PUAD_GO_ON;
    if (!ranks_several(&state->ranks)) return take_answer(state, answer);
    if (answer > state->answer) state->answer = answer;
    if (now->batch < now->batches) return PUAD_OK;
    float sum = answer_value(state->answer);
    state->answer = PUAD_GO_ON;
    ranks_sum(&state->ranks, &sum, 1);
    TRY(state->ranks.status);
    return take_answer(state, answer_of_all(sum));
}

/* Whether the caller has requested a stop; all ranks stop together. */
static puad_status check_stop(trainer *state)
{
    puad_status status = team_check_stop(state->settings.workers);
    if (!ranks_several(&state->ranks)) return status;
    if (status != PUAD_OK) state->answer = PUAD_ABORT;
    return PUAD_OK;
}

/* Runs the batches of one epoch. */
static puad_status train_epoch(trainer *state, const puad_criterion *criterion, sampler *batches,
                               puad_progress *now)
{
    const train_settings *s = &state->settings;
    double noise = state->at.phase == PHASE_TRAIN ? s->config.noise : 0, sum = 0;
    uint64_t stream = (uint64_t)state->at.epoch << 32;
    sampler_epoch(batches, state->at.epoch * 2 + state->at.phase);
    for (size_t b = 0; b < now->batches; b++) {
        size_t count, first, own;
        const uint32_t *rows = sampler_batch(batches, b, &count);
        for (size_t i = 0; i < count; i++)
            state->labels[i] =
                turn_of(state, rows[i], stream + i) ? PUAD_LABEL_ANOMALY : state->data.labels[rows[i]];
        own = ranks_part(&state->ranks, &first, count);
        gather_job job = {.state = state,
                          .rows = rows + first,
                          .stream = stream + first,
                          .noise = noise,
                          .augment = state->at.phase == PHASE_TRAIN ? s->config.augment : AUGMENT_NONE};
        team_run(s->workers, own, gather_row, &job);
        stream += count;
        double loss = 0;
        puad_status status = train_batch(state, criterion, count, first, own,
                                         noise > 0 ? state->targets : state->inputs, &loss);
        if (status != PUAD_OK) {
            status_prefix("%s stopped in epoch %zu, batch %zu",
                          state->at.phase == PHASE_TRAIN ? "training" : "pretraining", state->at.epoch, b);
            return status;
        }
        sum += loss;
        TRY(check_stop(state));
        now->batch = b + 1;
        now->train_loss = sum / (double)(b + 1);
        if (b + 1 < now->batches) TRY(ask(state, now));
    }
    return PUAD_OK;
}

/* Validates the epoch, keeps its weights if they are the best, calls the callbacks. */
static puad_status end_epoch(trainer *state, const puad_criterion *criterion, puad_progress *now,
                             double begun)
{
    const train_settings *s = &state->settings;
    train_position *at = &state->at;
    puad_status status = validate(state, criterion, &at->last_loss);
    if (status != PUAD_OK) {
        status_prefix("validation after epoch %zu", at->epoch);
        return status;
    }
    if (isnan(at->last_loss)) at->last_loss = now->train_loss;
    /* so that all ranks choose the same epoch */
    ranks_broadcast(&state->ranks, &at->last_loss, sizeof at->last_loss);
    TRY(state->ranks.status);
    if (at->last_loss < at->best_loss || keeps_last(&s->config)) {
        at->best_loss = at->last_loss;
        at->best_epoch = at->epoch;
        keep_best(state);
    }
    at->epoch++;
    double spent = seconds_now() - begun;
    now->valid_loss = at->last_loss;
    now->best_epoch = at->best_epoch;
    now->seconds = spent;
    double *total = at->phase == PHASE_TRAIN ? &at->seconds : &at->pretrain_seconds;
    *total = spent;
    if (s->epoch_done) TRY(s->epoch_done(s->context, state, now));
    return ask(state, now);
}

static puad_status list_usable(uint32_t **out, size_t *out_count, trainer *state,
                               const puad_objective *objective)
{
    uint32_t *list = NULL;
    TRY(memory_new(&list, state->split.training_count, sizeof *list, "row numbers"));
    size_t count = 0;
    for (size_t i = 0; i < state->split.training_count; i++)
        if (uses(objective, state->data.labels[state->split.training[i]]))
            list[count++] = state->split.training[i];
    *out = list;
    *out_count = count;
    return PUAD_OK;
}

static puad_status run_phase(trainer *state, size_t epochs)
{
    const recipe *s = &state->settings.config;
    train_position *at = &state->at;
    puad_criterion criterion = phase_criterion(state, at->phase);
    AUTO_FREE uint32_t *usable = NULL;
    size_t count = 0, anomalies = 0, normals = 0;
    TRY(list_usable(&usable, &count, state, criterion.objective));
    for (size_t i = 0; i < count; i++) {
        anomalies += state->data.labels[usable[i]] == PUAD_LABEL_ANOMALY;
        normals += state->data.labels[usable[i]] == PUAD_LABEL_NORMAL;
    }
    if (count == 0) FAIL(PUAD_INVALID, "no rows to train on");
    sampler_kind kind =
        s->sampler_given ? s->sampler
                         : sampler_choose(criterion.objective->labels, count, anomalies, normals, s->batch);
    if (at->phase == PHASE_PRETRAIN) kind = SAMPLER_SHUFFLE;
    AUTO_SAMPLER sampler batches = {0};
    sampler_plan plan = {kind,   state->data.labels, usable, count, criterion.objective->labels, s->batch,
                         s->seed};
    TRY(sampler_new(&batches, &plan));
    if (batches.batch_most > state->batch_most)
        FAIL(PUAD_INVALID, "a batch of %zu rows does not fit", batches.batch_most);
    if (s->steps && epochs > (s->steps - 1) / batches.batches + 1)
        epochs = (s->steps - 1) / batches.batches + 1;
    if (at->phase == PHASE_TRAIN && epochs * batches.batches < s->steps_least)
        epochs = (s->steps_least - 1) / batches.batches + 1;
    state->step_count = epochs * batches.batches;
    if (s->steps && s->steps < state->step_count) state->step_count = s->steps;
    double begun = seconds_now() - (at->phase == PHASE_TRAIN ? at->seconds : at->pretrain_seconds);
    puad_progress now = {.pretraining = at->phase == PHASE_PRETRAIN,
                         .epochs = epochs,
                         .batches = batches.batches,
                         .valid_loss = at->last_loss};
    while (at->epoch < epochs && !state->finishing) {
        if (s->patience && at->epoch > at->best_epoch && at->epoch - at->best_epoch > s->patience) break;
        size_t left = s->steps ? s->steps - at->epoch * batches.batches : batches.batches;
        now.batches = left < batches.batches ? left : batches.batches;
        now.epoch = at->epoch;
        now.seconds = seconds_now() - begun;
        TRY(train_epoch(state, &criterion, &batches, &now));
        TRY(end_epoch(state, &criterion, &now, begun));
    }
    if (isinf(at->best_loss)) keep_best(state); /* zero epochs: keep the initial weights */
    restore_best(state);
    return PUAD_OK;
}

/* Adds the embeddings of listed rows, in evaluation mode and in row order. */
static void add_codes(trainer *state, double *sums, size_t outputs, const uint32_t *list, size_t count)
{
    size_t size = shape_size(state->data.in);
    for (size_t first = 0; first < count; first += state->capacity) {
        size_t rows = count - first < state->capacity ? count - first : state->capacity;
        for (size_t i = 0; i < rows; i++)
            memcpy(state->inputs + i * size, state->data.values + list[first + i] * size,
                   size * sizeof(float));
        const float *codes = network_forward(state->net, state->inputs, rows, state->plan.code, false);
        for (size_t i = 0; i < rows * outputs; i++) sums[i % outputs] += codes[i];
    }
}

/* c from the embeddings of the training rows that the objective uses, summed in parts like a batch. */
static puad_status find_center(trainer *state)
{
    size_t count = 0, outputs = shape_size(state->net->layers[state->plan.code - 1].out);
    size_t parts = ranks_parts(&state->ranks), begin;
    AUTO_FREE double *sums = NULL;
    AUTO_FREE uint32_t *list = NULL;
    TRY(memory_new(&sums, parts * outputs, sizeof *sums, "the center"));
    TRY(list_usable(&list, &count, state, phase_criterion(state, PHASE_TRAIN).objective));
    if (count == 0) FAIL(PUAD_INVALID, "no rows to train on");
    size_t own = ranks_part(&state->ranks, &begin, count);
    for (size_t part = 0; part < parts; part++) {
        size_t first = ranks_part_begin(own, part, parts), end = ranks_part_begin(own, part + 1, parts);
        add_codes(state, sums + part * outputs, outputs, list + begin + first, end - first);
    }
    for (size_t i = 0; i < outputs; i++) {
        double of_parts[RANKS_PARTS_MAX];
        for (size_t part = 0; part < parts; part++) of_parts[part] = sums[part * outputs + i];
        sums[i] = ranks_join(of_parts, parts);
    }
    ranks_sum_doubles(&state->ranks, sums, outputs);
    head_center(state->center, sums, outputs, count);
    return state->ranks.status;
}

static puad_status begin_training(trainer *state)
{
    TRY(find_center(state));
    network *net = state->net;
    memset(net->first_moment, 0, net->parameter_count * sizeof(float));
    memset(net->second_moment, 0, net->parameter_count * sizeof(float));
    net->steps = 0;
    double spent = state->at.pretrain_seconds;
    state->at = (train_position){
        .phase = PHASE_TRAIN, .best_loss = INFINITY, .last_loss = NAN, .pretrain_seconds = spent};
    state->finishing = false;
    return PUAD_OK;
}

puad_status trainer_pretrain(trainer *state)
{
    return state->at.phase == PHASE_PRETRAIN ? run_phase(state, state->settings.config.pretrain_epochs)
                                             : PUAD_OK;
}

void trainer_adopt_pretraining(trainer *state, const float *parameters, const float *moving, double seconds)
{
    memcpy(state->best_parameters, parameters, state->net->parameter_count * sizeof(float));
    memcpy(state->best_state, moving, state->net->state_count * sizeof(float));
    state->at.epoch = state->settings.config.pretrain_epochs;
    state->at.best_loss = 0; /* the weights are given */
    state->at.pretrain_seconds = seconds;
}

puad_status trainer_run(trainer *state)
{
    if (state->at.phase == PHASE_PRETRAIN) {
        TRY(trainer_pretrain(state));
        state->cut_short = state->finishing; /* one epoch of training still gives a model */
        TRY(begin_training(state));
        if (state->cut_short) state->settings.config.epochs = state->settings.config.epochs ? 1 : 0;
    }
    TRY(run_phase(state, state->settings.config.epochs));
    state->at.done = true;
    return PUAD_OK;
}
