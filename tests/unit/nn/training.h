/* A network with a head and rows to train on, for the tests of this folder. */
#ifndef TESTS_UNIT_NN_TRAINING_H
#define TESTS_UNIT_NN_TRAINING_H

#include "detector/network/head.h"
#include "test.h"

typedef struct setting {
    const char *network;
    head_kind head;
    size_t channels; /* of conv32's images */
    size_t capacity; /* largest batch */
    int threads;
    const kernels *k;
} setting;

typedef struct training {
    architecture plan;
    network *net;
    team *workers;
    head h;
    float *rows, *scores, *score_gradient, *output_gradient, center[128];
} training;

static inline shape row_shape(const setting *s)
{
    return strcmp(s->network, "conv32") == 0 ? (shape){32, 32, s->channels} : (shape){1, 1, 13};
}

static inline bool training_new(training *t, const setting *s)
{
    *t = (training){0};
    architecture_options wanted = {.in = row_shape(s), .head = s->head, .width = 40, .latent = 6};
    if (architecture_make(&t->plan, s->network, &wanted) != PUAD_OK ||
        team_new(&t->workers, s->threads) != PUAD_OK)
        return false;
    network_options storage = {.rows = s->capacity, .training = true, .workers = t->workers, .k = s->k};
    if (network_new(&t->net, t->plan.layers, t->plan.head, &storage) != PUAD_OK) return false;
    network_start(t->net, 5);
    size_t in = shape_size(wanted.in), out = shape_size(t->net->layers[t->plan.head - 1].out);
    t->h = (head){.kind = s->head, .outputs = out, .inputs = in, .center = t->center};
    for (size_t i = 0; i < 128; i++) t->center[i] = 0.1f;
    t->rows = malloc(s->capacity * in * sizeof(float));
    t->scores = malloc(s->capacity * sizeof(float));
    t->score_gradient = malloc(s->capacity * sizeof(float));
    t->output_gradient = malloc(s->capacity * out * sizeof(float));
    rng draws = rng_make(5, rng_stream("rows", 0));
    for (size_t i = 0; i < s->capacity * in; i++) t->rows[i] = (float)rng_uniform(&draws);
    return t->rows && t->scores && t->score_gradient && t->output_gradient;
}

static inline void training_free(training *t)
{
    network_free(t->net);
    team_free(t->workers);
    free(t->rows), free(t->scores), free(t->score_gradient), free(t->output_gradient);
}

static inline void score_rows(training *t, const float *rows, size_t count, bool mode)
{
    const float *out = network_forward(t->net, rows, count, t->plan.head, mode);
    head_score(&t->h, &t->net->options, t->scores, out, rows, count);
}

/* One step on the mean of the scores, the rows weighted unevenly. */
static inline void train_step(training *t, size_t count, const adam_options *adam)
{
    const float *out = network_forward(t->net, t->rows, count, t->plan.head, true);
    head_score(&t->h, &t->net->options, t->scores, out, t->rows, count);
    for (size_t i = 0; i < count; i++) t->score_gradient[i] = (i % 5 == 4 ? -0.1f : 1.0f) / (float)count;
    head_back(&t->h, &t->net->options, t->output_gradient, t->score_gradient,
              &(head_pass){t->scores, out, t->rows, count});
    network_backward(t->net, t->output_gradient, NULL);
    network_step(t->net, adam, t->plan.head);
}

#endif
