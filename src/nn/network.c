/* Runs a chain of layers and owns its memory. */
#include "nn/network.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const adam_options adam_standard = {1e-4, 0.9, 0.999, 1e-8, 1e-3, 0};

enum { PARAMETERS_A_BLOCK = 16384 }; /* parameters per work item of an Adam step or a sum */

/* Checks a layer's output shape; dimensions that are not set are 0. */
static puad_status check_shape(size_t layer_index, shape s)
{
    size_t size;
    if (!size_multiply(&size, s.height ? s.height : 1, s.width ? s.width : 1) ||
        !size_multiply(&size, size, s.channels ? s.channels : 1) || size > LAYER_VALUES_MAX)
        FAIL(PUAD_INVALID, "layer %zu of the network: rows of %zu x %zu x %zu values, at most %d",
             layer_index, s.height, s.width, s.channels, LAYER_VALUES_MAX);
    return PUAD_OK;
}

/* Whether a layer names all of its parameters and state, so that a model file is complete. */
static bool names_all(const layer *self)
{
    layer_tensor named[LAYER_TENSORS_MAX];
    size_t parameters, state;
    layer_tensors(self, named, &parameters, &state);
    return parameters == self->parameters && state == self->state;
}

/* Configures a layer after its predecessor and computes its sizes. */
static puad_status plan_layer(layer *self, const layer *before, size_t layer_index, const kernels *k,
                              size_t rows)
{
    if (before) {
        assert(shape_size(self->in) == 0 || shape_size(self->in) == shape_size(before->out));
        self->in = before->out;
    }
    self->views = before ? before->views_out : 1;
    if (!self->views_out) self->views_out = self->views;
    TRY(check_shape(layer_index, self->in));
    TRY(check_shape(layer_index, self->out));
    self->type->plan(self, k, rows * self->views);
    assert(names_all(self));
    TRY(check_shape(layer_index, self->out));
    if (layer_values(self) > LAYER_VALUES_MAX)
        FAIL(PUAD_INVALID, "layer %zu of the network: %zu views of %zu values of each row, at most %d",
             layer_index, self->views_out, shape_size(self->out), LAYER_VALUES_MAX);
    return PUAD_OK;
}

puad_status network_sizes(size_t *out_parameters, size_t *out_state, const layer *layers, size_t count)
{
    layer previous = {0};
    *out_parameters = *out_state = 0;
    for (size_t i = 0; i < count; i++) {
        layer self = layers[i];
        TRY(plan_layer(&self, i ? &previous : NULL, i, kernels_best(), 1));
        *out_parameters += self.parameters;
        *out_state += self.state;
        previous = self;
    }
    return PUAD_OK;
}

static puad_status plan_layers(network *net, const layer *layers, size_t count)
{
    size_t shared = 0;
    for (size_t i = 0; i < count; i++) {
        layer *self = &net->layers[i];
        *self = layers[i];
        TRY(plan_layer(self, i ? self - 1 : NULL, i, net->options.k, net->options.rows));
        self->parameters_at = net->parameter_count;
        self->state_at = net->state_count;
        net->parameter_count += self->parameters;
        net->state_count += self->state;
        if (self->shared > shared) shared = self->shared;
        if (self->thread > net->thread_stride) net->thread_stride = self->thread;
        TRY(arena_new(&net->memory, &net->keep[i], self->keep, sizeof(float)));
    }
    net->layer_count = count;
    net->thread_stride = round_to(net->thread_stride, 16);
    TRY(arena_new(&net->memory, &net->shared, shared, sizeof(float)));
    return arena_new(&net->memory, &net->thread, net->thread_stride * (size_t)team_size(net->options.workers),
                     sizeof(float));
}

/* Whether the gradient by the input of layer i may overwrite that input. */
static bool writes_in_place(const network *net, size_t i)
{
    return i > 0 && net->layers[i].type->back_in_place && !net->layers[i - 1].type->reads_output;
}

/* For training, every activation is kept; for scoring, two blocks alternate. */
static puad_status plan_activations(network *net)
{
    size_t rows = net->options.rows, largest = 0, gradient = 0;
    size_t given = shape_size(net->layers[0].in);
    bool reads_given = false;
    for (size_t i = 0; i < net->layer_count; i++) {
        const layer *self = &net->layers[i];
        size_t out = layer_values(self), in = self->views * shape_size(self->in);
        if (out > largest) largest = out;
        if (i > 0 && !writes_in_place(net, i) && in > gradient) gradient = in;
        if (self->type->reads_given) reads_given = true;
        if (net->options.training)
            TRY(arena_new(&net->memory, &net->activations[i + 1], rows * out, sizeof(float)));
    }
    if (net->options.training) {
        for (int i = 0; i < 2; i++)
            TRY(arena_new(&net->memory, &net->gradient_blocks[i], rows * gradient, sizeof(float)));
        if (reads_given) TRY(arena_new(&net->memory, &net->given_gradient, rows * given, sizeof(float)));
        return PUAD_OK;
    }
    for (int i = 0; i < 2; i++) TRY(arena_new(&net->memory, &net->turns[i], rows * largest, sizeof(float)));
    return PUAD_OK;
}

static puad_status plan_parameters(network *net)
{
    size_t count = net->parameter_count, largest = 0;
    TRY(arena_new(&net->memory, &net->parameters, count, sizeof(float)));
    TRY(arena_new(&net->memory, &net->state, net->state_count, sizeof(float)));
    if (!net->options.training) return PUAD_OK;
    for (size_t i = 0; i < net->layer_count; i++)
        if (net->layers[i].parameters > largest) largest = net->layers[i].parameters;
    for (int i = 0; i < 2; i++) TRY(arena_new(&net->memory, &net->part_gradients[i], largest, sizeof(float)));
    TRY(arena_new(&net->memory, &net->gradients, count, sizeof(float)));
    TRY(arena_new(&net->memory, &net->first_moment, count, sizeof(float)));
    return arena_new(&net->memory, &net->second_moment, count, sizeof(float));
}

puad_status network_new(network **out, const layer *layers, size_t count, const network_options *options)
{
    TRY(kernels_check());
    if (count == 0 || count > NETWORK_LAYERS_MAX)
        FAIL(PUAD_INVALID, "a network has 1 to %d layers", NETWORK_LAYERS_MAX);
    if (options->rows == 0) FAIL(PUAD_INVALID, "a network needs capacity for at least one row");
    AUTO_NETWORK network *net = NULL;
    TRY(memory_new(&net, 1, sizeof *net, "network"));
    net->options = *options;
    if (!net->options.k) net->options.k = kernels_best();
    TRY(plan_layers(net, layers, count));
    TRY(plan_activations(net));
    TRY(plan_parameters(net));
    network_weights_changed(net);
    *out = net;
    net = NULL;
    return PUAD_OK;
}

void network_cleanup(network **owner)
{
    network_free(*owner);
}

void network_free(network *net)
{
    if (!net) return;
    arena_free(&net->memory);
    free(net);
}

void network_weights_changed(network *net)
{
    for (size_t i = 0; i < net->layer_count; i++) net->weights_changed[i] = true;
}

void network_start(network *net, uint64_t seed)
{
    for (size_t i = 0; i < net->layer_count; i++) {
        const layer *self = &net->layers[i];
        float *parameters = net->parameters + self->parameters_at;
        if (self->fan_in) {
            rng draws = rng_make(seed, rng_stream("weights", i));
            double bound = 1 / sqrt((double)self->fan_in);
            for (size_t j = 0; j < self->parameters; j++)
                parameters[j] = (float)((2 * rng_uniform(&draws) - 1) * bound);
        }
        if (self->type->start) self->type->start(self, parameters, net->state + self->state_at);
    }
    if (net->options.training) {
        memset(net->first_moment, 0, net->parameter_count * sizeof(float));
        memset(net->second_moment, 0, net->parameter_count * sizeof(float));
    }
    net->steps = 0;
    network_weights_changed(net);
}

static const float *input_of(const network *net, size_t i)
{
    return i > 0 ? net->activations[i] : net->input;
}

static pass pass_of(network *net, size_t i)
{
    const layer *self = &net->layers[i];
    return (pass){
        .workers = net->options.workers,
        .ranks = net->options.ranks,
        .k = net->options.k,
        .rows = net->last_rows * self->views,
        .parts = ranks_parts(net->options.ranks),
        .given = net->input,
        .training = net->last_training,
        .weights_changed = net->weights_changed[i],
        .parameters = net->parameters + self->parameters_at,
        .gradients = net->gradients ? net->gradients + self->parameters_at : NULL,
        .state = net->state + self->state_at,
        .keep = net->keep[i],
        .shared = net->shared,
        .thread = net->thread,
        .thread_stride = net->thread_stride,
    };
}

/* Whether layer i applies the following leaky layer: not if a backward pass may need the value between
 * them. */
static bool does_both(const network *net, size_t i)
{
    return !net->options.training && net->layers[i].type->takes_slope &&
           net->layers[i + 1].type == &layer_leaky;
}

const float *network_forward(network *net, const float *in, size_t rows, size_t end, bool training)
{
    assert(rows <= net->options.rows && end <= net->layer_count);
    net->input = in;
    net->last_rows = rows;
    net->last_end = end;
    net->last_training = training;
    for (size_t i = 0; i < end; i++) {
        pass now = pass_of(net, i);
        if (rows == 0 && !net->layers[i].type->sums_batch) continue;
        if (!net->options.training) net->activations[i + 1] = net->turns[input_of(net, i) == net->turns[0]];
        bool both = i + 1 < end && does_both(net, i);
        if (both) now.slope = &net->layers[i + 1].slope;
        net->layers[i].type->forward(&net->layers[i], &now, input_of(net, i), net->activations[i + 1]);
        net->weights_changed[i] = false;
        if (!both) continue;
        net->activations[i + 2] = net->activations[i + 1];
        net->weights_changed[++i] = false;
    }
    return input_of(net, end);
}

/* The gradient by a layer's weights, summed over parts of the batch in the order of ranks_join. */
typedef struct weights_job {
    network *net;
    const layer *self;
    const pass *now;
    const float *in, *out_gradient;
} weights_job;

typedef struct add_job {
    const network *net;
    float *to;
    const float *source;
    size_t count;
} add_job;

static void add_block(void *context, size_t item, int thread)
{
    (void)thread;
    const add_job *job = context;
    size_t at = item * PARAMETERS_A_BLOCK, count = job->count - at;
    if (count > PARAMETERS_A_BLOCK) count = PARAMETERS_A_BLOCK;
    job->net->options.k->add(job->to + at, job->source + at, count);
}

static void weights_of_parts(const weights_job *job, size_t part, size_t parts, float *to)
{
    const layer *self = job->self;
    if (parts == 1) {
        pass now = *job->now;
        size_t first = pass_part_begin(self, &now, part);
        now.rows = pass_part_begin(self, &now, part + 1) - first;
        now.gradients = to;
        if (now.rows == 0)
            memset(to, 0, self->parameters * sizeof *to);
        else
            self->type->weights(self, &now, job->in + first * shape_size(self->in),
                                job->out_gradient + first * shape_size(self->out));
        return;
    }
    float *right = job->net->part_gradients[parts > 2];
    weights_of_parts(job, part, parts / 2, to);
    weights_of_parts(job, part + parts / 2, parts / 2, right);
    add_job sum = {job->net, to, right, self->parameters};
    team_run(job->now->workers, (sum.count + PARAMETERS_A_BLOCK - 1) / PARAMETERS_A_BLOCK, add_block, &sum);
}

static void go_back(network *net, const float *out_gradient, float *in_gradient, bool parameters)
{
    const float *gradient = out_gradient;
    bool reads_given = false;
    int turn = 0;
    for (size_t i = net->last_end; i-- > 0;) {
        const layer *self = &net->layers[i];
        pass now = pass_of(net, i);
        if (!parameters) now.gradients = NULL;
        if (now.rows == 0 && !self->type->sums_batch) {
            if (parameters) memset(now.gradients, 0, self->parameters * sizeof(float));
            continue;
        }
        if (in_gradient && self->type->reads_given) {
            now.given_gradient = net->given_gradient;
            reads_given = true;
        }
        /* If no earlier layer has parameters, the gradient by the input is needed only if the caller
         * requests it. */
        bool needed = in_gradient || self->parameters_at > 0;
        float *target = !needed                   ? NULL
                        : i == 0                  ? in_gradient
                        : writes_in_place(net, i) ? net->activations[i]
                                                  : net->gradient_blocks[turn];
        if (target == net->gradient_blocks[turn]) turn = !turn;
        self->type->backward(self, &now, input_of(net, i), net->activations[i + 1], gradient, target);
        if (parameters && self->type->weights) {
            weights_job job = {net, self, &now, input_of(net, i), gradient};
            weights_of_parts(&job, 0, now.parts, now.gradients);
        }
        if (!needed) return;
        gradient = target;
    }
    if (reads_given)
        net->options.k->add(in_gradient, net->given_gradient, net->last_rows * shape_size(net->layers[0].in));
}

void network_backward(network *net, const float *out_gradient, float *in_gradient)
{
    assert(net->options.training);
    size_t used = network_parameters_before(net, net->last_end);
    memset(net->gradients + used, 0, (net->parameter_count - used) * sizeof(float));
    go_back(net, out_gradient, in_gradient, true);
}

void network_input_gradient(network *net, const float *out_gradient, float *in_gradient)
{
    assert(net->options.training);
    go_back(net, out_gradient, in_gradient, false);
}

typedef struct step_job {
    network *net;
    adam_step step;
    size_t count;
} step_job;

static void step_block(void *context, size_t item, int thread)
{
    (void)thread;
    const step_job *job = context;
    network *net = job->net;
    size_t at = item * PARAMETERS_A_BLOCK, count = job->count - at;
    if (count > PARAMETERS_A_BLOCK) count = PARAMETERS_A_BLOCK;
    net->options.k->adam(net->parameters + at, net->gradients + at, net->first_moment + at,
                         net->second_moment + at, &job->step, count);
}

void network_step(network *net, const adam_options *options, size_t end)
{
    double time = (double)++net->steps;
    step_job job = {.net = net, .count = network_parameters_before(net, end)};
    job.step = (adam_step){
        .rate = (float)(options->rate / (1 - pow(options->beta1, time))),
        .correction = (float)(1 / sqrt(1 - pow(options->beta2, time))),
        .beta1 = (float)options->beta1,
        .beta2 = (float)options->beta2,
        .epsilon = (float)options->epsilon,
        .decay = (float)options->decay,
        .keep = (float)(1 - options->rate * options->decoupled),
    };
    team_run(net->options.workers, (job.count + PARAMETERS_A_BLOCK - 1) / PARAMETERS_A_BLOCK, step_block,
             &job);
    for (size_t i = 0; i < end; i++) net->weights_changed[i] = true;
}

size_t network_parameters_before(const network *net, size_t end)
{
    return end == net->layer_count ? net->parameter_count : net->layers[end].parameters_at;
}
