/* One training step of every network and head against PyTorch: scores, loss, gradients, running moments,
 * parameters after Adam and the scores after the step. tests/parity/make_step.py computes the expected
 * values. */
#include "detector/network/head.h"
#include "io/safetensors.h"
#include "objective/objective.h"
#include "test.h"

#include <stdarg.h>

enum {
    SEED = 7,
    ROWS = 8,
    ANOMALIES = 2,
    SAMPLES = 160,
    STRIDE = 7919,
    COLUMNS = 11,
    WIDTH = 48,
    LATENT = 5
};

static const float *expect(const safetensors *file, size_t count, const char *format, ...)
{
    char name[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    const stored_tensor *tensor = NULL;
    if (safetensors_require(&tensor, file, name, TENSOR_F32, 1, &count) == PUAD_OK) return tensor->data;
    TEST_FAIL("%s", puad_last_error());
    return NULL;
}

static size_t sample_count(size_t count)
{
    return count < SAMPLES ? count : SAMPLES;
}
static size_t sample_place(size_t count, size_t i)
{
    return count <= SAMPLES ? i : i * STRIDE % count;
}

static double norm_of(const float *values, size_t count)
{
    double squares = 0;
    for (size_t i = 0; i < count; i++) squares += (double)values[i] * values[i];
    return sqrt(squares);
}

/* Samples, sum and norm of a tensor; errors are measured by the tensor's root mean square. */
static void check_tensor(const safetensors *file, const char *case_name, size_t layer_index, const char *part,
                         const float *got, size_t count, double tolerance)
{
    const float *samples = expect(file, sample_count(count), "%s/%zu/%s", case_name, layer_index, part);
    const float *sums = expect(file, 2, "%s/%zu/%s/sums", case_name, layer_index, part);
    if (!samples || !sums) return;
    double scale = sums[1] / sqrt((double)count), sum = 0, worst = 0;
    for (size_t i = 0; i < count; i++) sum += got[i];
    for (size_t i = 0; i < sample_count(count); i++)
        worst = fmax(worst, fabs(got[sample_place(count, i)] - samples[i]) / scale);
    if (!(worst <= tolerance))
        TEST_FAIL("%s layer %zu %s: off by %.3g of its root mean square", case_name, layer_index, part,
                  worst);
    if (!(fabs(norm_of(got, count) - sums[1]) <= tolerance * sums[1]))
        TEST_FAIL("%s layer %zu %s: norm %.8g, expected %.8g", case_name, layer_index, part,
                  norm_of(got, count), sums[1]);
    if (!(fabs(sum - sums[0]) <= tolerance * scale * (double)count))
        TEST_FAIL("%s layer %zu %s: sum %.8g, expected %.8g", case_name, layer_index, part, sum, sums[0]);
}

/* Adam's first step is -rate * g / (|g| + eps), with g the gradient including decay: almost a sign. If g
 * is as small as its error, the step may have either sign, so the tolerance there is the step itself; few
 * values may need it. */
static void check_after(const safetensors *file, const char *case_name, size_t layer_index,
                        const float *after, const float *gradient, const float *before, size_t count,
                        double tolerance)
{
    const float *samples = expect(file, sample_count(count), "%s/%zu/after", case_name, layer_index);
    if (!samples) return;
    double error = tolerance * norm_of(gradient, count) / sqrt((double)count);
    size_t open = 0;
    for (size_t i = 0; i < sample_count(count); i++) {
        size_t at = sample_place(count, i);
        double g = fabs(gradient[at] + 1e-3 * before[at]);
        open += g < 10 * error;
        double allowed = g < 10 * error ? 2.1e-4 : 1e-4 * 1e-3 + 1.2e-7 * fabs(samples[i]);
        if (!(fabs(after[at] - samples[i]) <= allowed))
            TEST_FAIL("%s layer %zu: parameter %zu after the step %.9g, expected %.9g (gradient %g)",
                      case_name, layer_index, at, after[at], samples[i], g);
    }
    if (open > sample_count(count) / 10)
        TEST_FAIL("%s layer %zu: %zu gradients are too small to tell", case_name, layer_index, open);
}

static void check_row_values(const safetensors *file, const char *case_name, const char *part,
                             const float *got, double tolerance)
{
    const float *expected = expect(file, ROWS, "%s/%s", case_name, part);
    for (size_t i = 0; expected && i < ROWS; i++)
        if (!(fabs(got[i] - expected[i]) <= tolerance * (fabs(expected[i]) + 0.2)))
            TEST_FAIL("%s %s: row %zu is %.9g, expected %.9g", case_name, part, i, got[i], expected[i]);
}

static double criterion_step(float *gradient, head_kind kind, const float *scores)
{
    puad_criterion criterion = {puad_objective_find("pu_abs"), puad_loss_pair_find(head_name(kind)),
                                puad_objective_options_standard()};
    criterion.options.weight = PUAD_WEIGHT_PRIOR;
    int8_t labels[ROWS] = {0};
    for (size_t i = ROWS - ANOMALIES; i < ROWS; i++) labels[i] = PUAD_LABEL_ANOMALY;
    double loss = NAN;
    void *workspace = malloc(puad_objective_workspace(criterion.objective, ROWS));
    if (objective_step(&loss, gradient, &criterion, scores, labels, ROWS, workspace) != PUAD_OK)
        TEST_FAIL("%s", puad_last_error());
    free(workspace);
    return loss;
}

/* The parameters as make_step.py draws them. */
static void start(network *net)
{
    network_start(net, SEED);
    for (size_t i = 0; i < net->layer_count; i++) {
        const layer *self = &net->layers[i];
        if (self->type != &layer_norm || !self->affine) continue;
        rng draws = rng_make(SEED, rng_stream("parity norm", i));
        for (size_t j = 0; j < self->parameters; j++)
            net->parameters[self->parameters_at + j] =
                (float)(0.2 * rng_uniform(&draws) - 0.1) + (j < self->parameters / 2 ? 1.0f : 0.0f);
    }
    network_weights_changed(net);
}

typedef struct step_case {
    const char *name, *network;
    head_kind head;
    size_t channels; /* of the drawn images; 0 for tables */
    size_t given;    /* channels passed to the network: a gray image as one or as three */
    size_t draw;     /* of the rows */
    bool linear;
} step_case;

static void draw_rows(float *rows, const step_case *c)
{
    size_t values = c->channels ? 1024 * c->channels : COLUMNS,
           copies = c->channels ? c->given / c->channels : 1;
    rng draws = rng_make(SEED, rng_stream("parity rows", c->draw));
    for (size_t i = 0; i < ROWS * values; i++) {
        float value = (float)rng_uniform(&draws);
        for (size_t copy = 0; copy < copies; copy++) *rows++ = value;
    }
}

static void run_step(const safetensors *file, const step_case *c, const kernels *k, network *net,
                     const architecture *plan)
{
    static float rows[ROWS * 3072], output_gradient[ROWS * 3072], center[128];
    float scores[ROWS], score_gradient[ROWS];
    double tolerance = c->channels ? 2e-4 : 5e-6; /* the Winograd forms lose a digit of precision */
    size_t in = shape_size(net->layers[0].in), out = shape_size(net->layers[plan->head - 1].out);
    float *before = malloc(net->parameter_count * sizeof *before);
    for (size_t i = 0; i < 128; i++) center[i] = 0.1f;
    draw_rows(rows, c);
    start(net);
    memcpy(before, net->parameters, net->parameter_count * sizeof *before);
    head h = {.kind = c->head, .outputs = out, .inputs = in, .center = center};
    const float *outputs = network_forward(net, rows, ROWS, plan->head, true);
    head_score(&h, &net->options, scores, outputs, rows, ROWS);
    double loss = criterion_step(score_gradient, c->head, scores);
    head_back(&h, &net->options, output_gradient, score_gradient, &(head_pass){scores, outputs, rows, ROWS});
    network_backward(net, output_gradient, NULL);
    network_step(net, &adam_standard, plan->head);
    check_row_values(file, c->name, "scores", scores, 2e-5);
    const float *expected_loss = expect(file, 1, "%s/loss", c->name);
    if (expected_loss) CHECK_NEAR(loss, *expected_loss, 2e-5 * fabs(*expected_loss));
    for (size_t i = 0; i < plan->head; i++) {
        const layer *self = &net->layers[i];
        size_t at = self->parameters_at, count = self->parameters;
        if (self->state)
            check_tensor(file, c->name, i, "state", net->state + self->state_at, self->state, 1e-5);
        if (!count) continue;
        check_tensor(file, c->name, i, "gradient", net->gradients + at, count, tolerance);
        check_tensor(file, c->name, i, "after", net->parameters + at, count, 1.0);
        check_after(file, c->name, i, net->parameters + at, net->gradients + at, before + at, count,
                    tolerance);
    }
    outputs = network_forward(net, rows, ROWS, plan->head, false);
    head_score(&h, &net->options, scores, outputs, rows, ROWS);
    check_row_values(file, c->name, "scores_after", scores, 1e-4);
    if (test_failures) printf("  with the kernels for %s and %zu channels given\n", k->name, c->given);
    free(before);
}

static void check_case(step_case c)
{
    AUTO_SAFETENSORS safetensors file = {0};
    CHECK_OK(safetensors_open(&file, "tests/parity/step.safetensors", 1 << 22));
    architecture_options wanted = {.in = c.channels ? (shape){32, 32, c.given} : (shape){1, 1, COLUMNS},
                                   .head = c.head,
                                   .linear_code = c.linear,
                                   .width = WIDTH,
                                   .latent = LATENT};
    architecture plan;
    CHECK_OK(architecture_make(&plan, c.network, &wanted));
    team *workers = NULL;
    CHECK_OK(team_new(&workers, 2));
    for (const kernels *const *table = kernels_all(); *table; table++) {
        if (c.channels && strcmp((*table)->name, "reference") == 0)
            continue; /* slow; conformance/kernels.c covers it */
        network *net = NULL;
        network_options storage = {.rows = ROWS, .training = true, .workers = workers, .k = *table};
        CHECK_OK(network_new(&net, plan.layers, plan.head, &storage));
        run_step(&file, &c, *table, net, &plan);
        network_free(net);
    }
    team_free(workers);
}

TEST(a_step_of_conv32_with_the_reconstruction_head_equals_pytorchs)
{
    check_case((step_case){"conv32-reconstruction", "conv32", HEAD_RECONSTRUCTION, 3, 3, 206, false});
}

TEST(a_step_of_conv32_with_the_distance_head_equals_pytorchs)
{
    check_case((step_case){"conv32-distance", "conv32", HEAD_DISTANCE, 3, 3, 186, false});
    check_case((step_case){"conv32-distance-linear", "conv32", HEAD_DISTANCE, 3, 3, 186, true});
}

TEST(gray_images_as_one_channel_or_as_three_equal_ones_give_pytorchs_step)
{
    for (size_t given = 1; given <= 3; given += 2) {
        check_case(
            (step_case){"conv32-reconstruction-gray", "conv32", HEAD_RECONSTRUCTION, 1, given, 116, false});
        check_case((step_case){"conv32-distance-gray", "conv32", HEAD_DISTANCE, 1, given, 210, false});
    }
}

TEST(a_step_of_mlp_equals_pytorchs)
{
    check_case((step_case){"mlp-reconstruction", "mlp", HEAD_RECONSTRUCTION, 0, 1, 0, false});
    check_case((step_case){"mlp-distance", "mlp", HEAD_DISTANCE, 0, 1, 0, false});
}

TEST(a_step_of_the_logit_head_equals_pytorchs)
{
    check_case((step_case){"conv32-logit", "conv32", HEAD_LOGIT, 3, 3, 254, false});
    check_case((step_case){"mlp-logit", "mlp", HEAD_LOGIT, 0, 1, 0, false});
}
