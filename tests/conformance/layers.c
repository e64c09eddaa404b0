/* Every layer against finite differences in every mode, convolutions against their definition, fused forms
 * against unfused ones, gray images against three equal channels, and any number of threads against one. */
#include "kernels/reference.h"
#include "nn/convolution.h"
#include "nn/network.h"
#include "test.h"

static void draw(float *out, size_t count, uint64_t stream)
{
    rng draws = rng_make(11, stream);
    for (size_t i = 0; i < count; i++) out[i] = (float)rng_normal(&draws);
}

static network *make(const layer *layers, size_t count, size_t rows, int threads, const kernels *k,
                     team **workers)
{
    network *net = NULL;
    *workers = NULL;
    if (team_new(workers, threads) != PUAD_OK) return NULL;
    network_options options = {.rows = rows, .training = true, .workers = *workers, .k = k};
    if (network_new(&net, layers, count, &options) != PUAD_OK) return NULL;
    network_start(net, 3);
    return net;
}

static double dot(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)a[i] * b[i];
    return sum;
}

/* The loss is a fixed random combination of the outputs; its slope along a random direction of all parameters
 * and inputs must equal the difference of two forward passes. */
static void check_gradients(const char *what, const layer *layers, size_t count, size_t rows, bool training)
{
    team *workers;
    network *net = make(layers, count, rows, 1, kernels_named("reference"), &workers);
    REQUIRE(net);
    size_t in = rows * shape_size(net->layers[0].in), out = rows * layer_values(&net->layers[count - 1]);
    size_t parameters = net->parameter_count;
    float *x = calloc(in, 4), *moved = calloc(in, 4), *direction = calloc(in, 4), *gradient = calloc(in, 4);
    float *combination = calloc(out, 4), *p = calloc(parameters + 1, 4),
          *p_direction = calloc(parameters + 1, 4);
    float *state = calloc(net->state_count + 1, 4);
    draw(x, in, 1);
    draw(direction, in, 2);
    draw(combination, out, 3);
    draw(p_direction, parameters, 4);
    for (size_t i = 0; i < parameters; i++) net->parameters[i] += 0.1f * p_direction[(i * 7) % parameters];
    for (size_t i = 0; i < net->state_count; i++) net->state[i] = 0.5f + 0.1f * (float)(i % 5);
    memcpy(p, net->parameters, parameters * 4);
    memcpy(state, net->state, net->state_count * 4);
    network_weights_changed(net);
    network_forward(net, x, rows, count, training);
    network_backward(net, combination, gradient);
    double slope = dot(gradient, direction, in) + dot(net->gradients, p_direction, parameters), best = 1e30;
    double loss[2];
    for (double step = 3e-4; step < 4e-2; step *= 3) {
        for (int side = 0; side < 2; side++) {
            double move = side ? step : -step;
            memcpy(net->state, state, net->state_count * 4);
            for (size_t i = 0; i < in; i++) moved[i] = (float)(x[i] + move * direction[i]);
            for (size_t i = 0; i < parameters; i++)
                net->parameters[i] = (float)(p[i] + move * p_direction[i]);
            network_weights_changed(net);
            loss[side] = dot(network_forward(net, moved, rows, count, training), combination, out);
        }
        double error = fabs((loss[1] - loss[0]) / (2 * step) - slope) / (1 + fabs(slope));
        if (error < best) best = error;
    }
    if (!(best < 3e-3))
        TEST_FAIL("%s (training %d): slope %g, relative error %g", what, training, slope, best);
    free(x), free(moved), free(direction), free(gradient), free(combination), free(p), free(p_direction),
        free(state);
    network_free(net);
    team_free(workers);
}

static void check_both(const char *what, layer only, size_t rows)
{
    check_gradients(what, &only, 1, rows, false);
    check_gradients(what, &only, 1, rows, true);
}

TEST(convolution_gradients_are_right)
{
    for (size_t taps = 3; taps <= 5; taps += 2)
        for (int form = 0; form < 4; form++) {
            bool wide = form & 1;
            layer one = {.type = &layer_convolution,
                         .in = {4, 4, wide ? 16 : 3},
                         .out = {0, 0, wide ? 16 : 5},
                         .taps = taps,
                         .upsample = form & 2};
            if (one.upsample) one.taps = 5;
            check_both("convolution", one, 2);
        }
    check_both("gray convolution",
               (layer){.type = &layer_convolution, .in = {5, 6, 1}, .out = {0, 0, 4}, .taps = 5, .repeat = 3},
               2);
    check_both("one pixel", (layer){.type = &layer_convolution, .in = {1, 1, 2}, .out = {0, 0, 3}, .taps = 5},
               3);
}

TEST(norm_gradients_are_right)
{
    for (int form = 0; form < 8; form++)
        check_both("norm",
                   (layer){.type = &layer_norm,
                           .in = {form & 4 ? 1 : 4, form & 4 ? 1 : 4, 5},
                           .affine = form & 1,
                           .pool = (form & 2) && !(form & 4),
                           .slope = form & 1 ? 0.01f : 0.3f},
                   form & 4 ? 70 : 4);
}

TEST(dense_gradients_are_right)
{
    for (int bias = 0; bias < 2; bias++) {
        check_both("dense", (layer){.type = &layer_dense, .in = {2, 3, 4}, .out = {1, 1, 7}, .affine = bias},
                   5);
        check_both("dense 32",
                   (layer){.type = &layer_dense, .in = {1, 1, 50}, .out = {1, 1, 32}, .affine = bias}, 30);
    }
}

TEST(gradients_of_layers_without_parameters_are_right)
{
    check_both("leaky", (layer){.type = &layer_leaky, .in = {2, 2, 3}, .slope = 0.01f}, 3);
    check_both("relu", (layer){.type = &layer_leaky, .in = {2, 2, 3}, .slope = 0}, 3);
    check_both("sigmoid", (layer){.type = &layer_sigmoid, .in = {2, 2, 3}}, 3);
    check_both("pool", (layer){.type = &layer_pool, .in = {4, 4, 3}}, 3);
    check_both("upsample", (layer){.type = &layer_upsample, .in = {3, 2, 3}}, 3);
    check_both("unflatten", (layer){.type = &layer_unflatten, .in = {1, 1, 24}, .out = {2, 3, 4}}, 3);
}

TEST(gradients_of_layers_for_windows_are_right)
{
    check_both("spread", (layer){.type = &layer_spread, .in = {1, 1, 21}, .out = {1, 5, 9}}, 3);
    check_both("conv1d", (layer){.type = &layer_conv1d, .in = {1, 9, 3}, .out = {0, 0, 5}, .taps = 5}, 3);
    check_both("conv1d 32", (layer){.type = &layer_conv1d, .in = {1, 8, 24}, .out = {0, 0, 32}, .taps = 5},
               2);
    check_both("one step", (layer){.type = &layer_conv1d, .in = {1, 1, 2}, .out = {0, 0, 3}, .taps = 5}, 4);
}

TEST(gradients_of_two_parallel_dense_layers_are_right)
{
    for (int bias = 0; bias < 2; bias++) {
        check_both("split dense",
                   (layer){.type = &layer_dense,
                           .in = {1, 1, 11},
                           .out = {1, 1, 9},
                           .split_in = 8,
                           .split_out = 5,
                           .affine = bias},
                   5);
        check_both("split dense 64",
                   (layer){.type = &layer_dense,
                           .in = {1, 1, 40},
                           .out = {1, 1, 64},
                           .split_in = 37,
                           .split_out = 32,
                           .affine = bias},
                   30);
    }
}

/* Three windows of two of seven columns, and a plain row with its views: the same vectors in both forms. */
TEST(gradients_of_layers_for_views_are_right)
{
    layer windows = {.type = &layer_windows, .in = {1, 1, 7}, .window = 2, .views_out = 3};
    layer even = {.type = &layer_windows, .in = {1, 1, 8}, .window = 3, .views_out = 4};
    layer pair = {.type = &layer_dense, .out = {1, 1, 8}, .split_in = 5, .split_out = 4, .affine = true};
    layer smooth = {.type = &layer_sigmoid};
    layer last = {.type = &layer_dense, .out = {1, 1, 36}, .split_in = 4, .split_out = 18};
    layer matching = {.type = &layer_contrast, .pairs = true, .temperature = 0.5f};
    layer contrast = {.type = &layer_contrast, .temperature = 0.5f};
    layer turns = {.type = &layer_turns, .in = {3, 3, 2}, .views_out = 4};
    layer mirror = {.type = &layer_mirror, .in = {2, 3, 2}, .views_out = 2};
    layer average = {.type = &layer_average};
    layer masks = {.type = &layer_masks, .out = {1, 1, 7}};
    layer logits = {.type = &layer_dense, .in = {1, 1, 7}, .out = {1, 1, 21}, .affine = true};
    layer code = {.type = &layer_dense, .out = {1, 1, 6}, .affine = true};
    layer four = {.type = &layer_dense, .out = {1, 1, 4}, .affine = true};
    layer choice = {.type = &layer_choice};
    check_both("windows", windows, 3);
    check_both("turns", turns, 3);
    check_both("mirror", mirror, 3);
    for (int training = 0; training < 2; training++) {
        check_gradients("windows and matching", (layer[]){windows, pair, smooth, last, matching}, 5, 4,
                        training);
        check_gradients("windows and contrast", (layer[]){windows, pair, smooth, last, contrast}, 5, 4,
                        training);
        check_gradients("masks", (layer[]){logits, masks}, 2, 3, training);
        check_gradients("masks and contrast", (layer[]){logits, masks, code, contrast}, 4, 4, training);
        check_gradients("turns and choice", (layer[]){turns, four, choice}, 3, 4, training);
        check_gradients("mirror and average", (layer[]){mirror, four, average}, 3, 4, training);
        check_gradients("of the row alone", (layer[]){even, matching}, 2, 3, training);
    }
}

TEST(a_chain_of_layers_has_the_right_gradient)
{
    layer chain[] = {
        {.type = &layer_convolution, .in = {8, 8, 3}, .out = {0, 0, 16}, .taps = 5},
        {.type = &layer_norm,
         .affine = true,
         .slope = 1}, /* no kinks: many of them would blur the differences */
        {.type = &layer_convolution, .out = {0, 0, 16}, .taps = 5},
        {.type = &layer_norm, .slope = 1},
        {.type = &layer_dense, .out = {1, 1, 8}},
        {.type = &layer_norm, .affine = true, .slope = 1},
        {.type = &layer_unflatten, .out = {2, 2, 2}},
        {.type = &layer_convolution, .out = {0, 0, 3}, .taps = 5, .upsample = true},
        {.type = &layer_sigmoid},
        {.type = &layer_norm, .slope = 1},
    };
    check_gradients("chain", chain, 10, 6, true);
    check_gradients("chain", chain, 10, 6, false);
}

/* Forward, input gradient and weight gradient of one layer on one instruction set. */
typedef struct results {
    float *out, *in_gradient, *weight_gradient;
    size_t out_count, in_count, weight_count;
} results;

static results run_layers(const layer *layers, size_t count, const float *weights, const float *x,
                          const float *g, size_t rows, const kernels *k, int threads)
{
    team *workers;
    network *net = make(layers, count, rows, threads, k, &workers);
    results r = {0};
    if (!net) return r;
    r.in_count = rows * shape_size(net->layers[0].in);
    r.out_count = rows * layer_values(&net->layers[count - 1]);
    r.weight_count = net->parameter_count;
    r.out = malloc(r.out_count * 4), r.in_gradient = malloc(r.in_count * 4),
    r.weight_gradient = malloc(r.weight_count * 4);
    if (weights) memcpy(net->parameters, weights, r.weight_count * 4);
    network_weights_changed(net);
    memcpy(r.out, network_forward(net, x, rows, count, true), r.out_count * 4);
    network_backward(net, g, r.in_gradient);
    memcpy(r.weight_gradient, net->gradients, r.weight_count * 4);
    network_free(net);
    team_free(workers);
    return r;
}

static void free_results(results *r)
{
    free(r->out), free(r->in_gradient), free(r->weight_gradient);
}

static void check_same(const char *what, const float *got, const float *want, size_t count, double tolerance)
{
    double scale = 0;
    for (size_t i = 0; i < count; i++) scale += (double)want[i] * want[i];
    scale = sqrt(scale / (double)(count + 1)) + 1e-9;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(got[i] - want[i]) <= tolerance * scale)) {
            TEST_FAIL("%s: value %zu of %zu is %g, expected %g (scale %g)", what, i, count, got[i], want[i],
                      scale);
            return;
        }
}

/* A zero vector has no direction, and equal vectors cannot be distinguished. */
TEST(the_contrast_of_equal_vectors_is_that_of_guessing)
{
    enum { VIEWS = 5 };
    layer chain[] = {{.type = &layer_windows, .in = {1, 1, 6}, .window = 2, .views_out = VIEWS},
                     {.type = &layer_contrast, .temperature = 0.1f}};
    float rows[12] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, gradient[2] = {1, 1};
    results r = run_layers(chain, 2, NULL, rows, gradient, 2, kernels_best(), 1);
    REQUIRE(r.out);
    for (size_t i = 0; i < 2; i++) CHECK_NEAR(r.out[i], logf(VIEWS - 1), 1e-5);
    for (size_t i = 0; i < r.in_count; i++) CHECK(isfinite(r.in_gradient[i]));
    free_results(&r);
}

TEST(views_are_the_same_on_every_instruction_set_and_for_any_threads)
{
    enum { ROWS = 37, COLUMNS = 23 };
    layer chain[] = {
        {.type = &layer_windows, .in = {1, 1, COLUMNS}, .window = 3, .views_out = 19},
        {.type = &layer_dense, .out = {1, 1, 64}, .split_in = 20, .split_out = 32, .affine = true},
        {.type = &layer_leaky},
        {.type = &layer_dense, .out = {1, 1, 24}, .split_in = 32, .split_out = 12, .affine = true},
        {.type = &layer_contrast, .pairs = true, .temperature = 0.1f}};
    static float x[ROWS * COLUMNS], g[ROWS];
    draw(x, ROWS * COLUMNS, 1);
    draw(g, ROWS, 2);
    results want = run_layers(chain, 5, NULL, x, g, ROWS, kernels_named("reference"), 1);
    REQUIRE(want.out);
    for (const kernels *const *table = kernels_all(); *table; table++) {
        results one = run_layers(chain, 5, NULL, x, g, ROWS, *table, 1),
                three = run_layers(chain, 5, NULL, x, g, ROWS, *table, 3);
        REQUIRE(one.out && three.out);
        check_same("scores", one.out, want.out, one.out_count, 3e-5);
        check_same("input gradient", one.in_gradient, want.in_gradient, one.in_count, 2e-4);
        check_same("weight gradient", one.weight_gradient, want.weight_gradient, one.weight_count, 2e-4);
        CHECK(memcmp(one.out, three.out, one.out_count * 4) == 0);
        CHECK(memcmp(one.in_gradient, three.in_gradient, one.in_count * 4) == 0);
        CHECK(memcmp(one.weight_gradient, three.weight_gradient, one.weight_count * 4) == 0);
        free_results(&one), free_results(&three);
    }
    free_results(&want);
}

TEST(convolutions_equal_their_definition_on_every_instruction_set)
{
    static const size_t shapes[][4] = {/* height, width, in, out */ {16, 16, 32, 64},
                                       {8, 8, 64, 32},
                                       {4, 4, 32, 32},
                                       {5, 4, 32, 64},
                                       {4, 12, 32, 64},
                                       {32, 32, 32, 32},
                                       {32, 32, 3, 32},
                                       {7, 9, 5, 6},
                                       {2, 3, 1, 17},
                                       {1, 1, 4, 3},
                                       {4, 4, 8, 128}};
    static float x[2000000], w[300000], g[2000000], out[2000000], back[2000000], sums[300000];
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t taps = 3; taps <= 5; taps += 2)
            for (size_t rows = 1; rows <= 14; rows += 13) {
                reference_shape form = {rows, shapes[s][0], shapes[s][1], shapes[s][2], shapes[s][3], taps};
                size_t pixels = rows * form.height * form.width,
                       weights = taps * taps * form.in_channels * form.out_channels;
                draw(x, pixels * form.in_channels, 1);
                draw(g, pixels * form.out_channels, 2);
                draw(w, weights, 3);
                reference_convolve(out, x, w, &form);
                reference_convolve_back(back, g, w, &form);
                reference_convolve_weights(sums, x, g, &form);
                for (const kernels *const *table = kernels_all(); *table; table++)
                    for (int direct = 0; direct < 2; direct++) {
                        if (strcmp((*table)->name, "reference") == 0 && pixels > 400) continue; /* slow */
                        layer one = {.type = &layer_convolution,
                                     .in = {form.height, form.width, form.in_channels},
                                     .out = {0, 0, form.out_channels},
                                     .taps = taps,
                                     .direct = direct};
                        results r = run_layers(&one, 1, w, x, g, rows, *table, 2);
                        REQUIRE(r.out);
                        char what[100];
                        snprintf(what, sizeof what, "%s taps %zu shape %zu rows %zu direct %d",
                                 (*table)->name, taps, s, rows, direct);
                        /* tiles with 8x8 points round by 2e-6 to 5e-6 in RMS, the definition by less than
                         * 1e-6 */
                        double tolerance =
                            taps == 5 && convolution_effective(&one, *table).winograd ? 6e-5 : 3e-5;
                        check_same(what, r.out, out, r.out_count, tolerance);
                        check_same(what, r.in_gradient, back, r.in_count, tolerance);
                        check_same(what, r.weight_gradient, sums, r.weight_count, tolerance);
                        free_results(&r);
                    }
            }
}

TEST(convolutions_of_windows_are_the_same_on_every_instruction_set_and_for_any_threads)
{
    enum { ROWS = 37 };
    layer chain[] = {{.type = &layer_spread, .in = {1, 1, 5 * 21}, .out = {1, 19, 15}},
                     {.type = &layer_conv1d, .out = {0, 0, 32}, .taps = 5},
                     {.type = &layer_conv1d, .out = {0, 0, 7}, .taps = 5}};
    float x[ROWS * 105], g[ROWS * 5 * 7];
    draw(x, ROWS * 105, 1);
    draw(g, ROWS * 5 * 7, 2);
    results want = run_layers(chain, 3, NULL, x, g, ROWS, kernels_named("reference"), 1);
    for (const kernels *const *k = kernels_all(); *k; k++) {
        results one = run_layers(chain, 3, NULL, x, g, ROWS, *k, 1);
        results three = run_layers(chain, 3, NULL, x, g, ROWS, *k, 3);
        CHECK_INT(one.out_count, ROWS * 5 * 7);
        check_same((*k)->name, one.out, want.out, want.out_count, 1e-4);
        check_same((*k)->name, one.in_gradient, want.in_gradient, want.in_count, 1e-4);
        check_same((*k)->name, one.weight_gradient, want.weight_gradient, want.weight_count, 1e-4);
        CHECK(memcmp(one.out, three.out, one.out_count * 4) == 0);
        CHECK(memcmp(one.in_gradient, three.in_gradient, one.in_count * 4) == 0);
        CHECK(memcmp(one.weight_gradient, three.weight_gradient, one.weight_count * 4) == 0);
        free_results(&one), free_results(&three);
    }
    free_results(&want);
}

TEST(fused_up_sampling_equals_up_sampling_then_convolution)
{
    static const size_t shapes[][4] = {{4, 4, 128, 64}, {8, 8, 64, 32}, {16, 16, 32, 3},
                                       {4, 8, 64, 32},  {3, 5, 2, 7},   {1, 1, 3, 3}};
    static float x[400000], g[800000];
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (const kernels *const *table = kernels_all(); *table; table++) {
            size_t rows = s == 1 ? 14 : 3; /* 14: more tiles than one item or sweep takes */
            if (strcmp((*table)->name, "reference") == 0 && s < 4) continue;
            shape in = {shapes[s][0], shapes[s][1], shapes[s][2]};
            draw(x, rows * shape_size(in), 1);
            draw(g, rows * 4 * in.height * in.width * shapes[s][3], 2);
            layer fused = {.type = &layer_convolution,
                           .in = in,
                           .out = {0, 0, shapes[s][3]},
                           .taps = 5,
                           .upsample = true};
            layer apart[] = {
                {.type = &layer_upsample, .in = in},
                {.type = &layer_convolution, .out = {0, 0, shapes[s][3]}, .taps = 5, .direct = true}};
            size_t weights = 25 * in.channels * shapes[s][3];
            float *w = malloc(weights * 4);
            draw(w, weights, 3);
            results one = run_layers(&fused, 1, w, x, g, rows, *table, 2),
                    two = run_layers(apart, 2, w, x, g, rows, *table, 1);
            REQUIRE(one.out && two.out);
            check_same("output", one.out, two.out, one.out_count, 3e-5);
            check_same("input gradient", one.in_gradient, two.in_gradient, one.in_count, 3e-5);
            check_same("weight gradient", one.weight_gradient, two.weight_gradient, one.weight_count, 3e-5);
            free_results(&one), free_results(&two), free(w);
        }
}

TEST(norm_with_pool_equals_norm_then_pool)
{
    static float x[8 * 6 * 5 * 4], g[8 * 3 * 2 * 5];
    draw(x, sizeof x / 4, 1);
    draw(g, sizeof g / 4, 2);
    layer fused = {.type = &layer_norm, .in = {6, 4, 5}, .affine = true, .pool = true, .slope = 0.01f};
    layer apart[] = {{.type = &layer_norm, .in = {6, 4, 5}, .affine = true, .slope = 0.01f},
                     {.type = &layer_pool}};
    for (const kernels *const *table = kernels_all(); *table; table++) {
        results one = run_layers(&fused, 1, NULL, x, g, 8, *table, 2),
                two = run_layers(apart, 2, NULL, x, g, 8, *table, 2);
        REQUIRE(one.out && two.out);
        check_same("output", one.out, two.out, one.out_count, 1e-5);
        check_same("input gradient", one.in_gradient, two.in_gradient, one.in_count, 2e-5);
        check_same("gradient", one.weight_gradient, two.weight_gradient, one.weight_count, 2e-5);
        free_results(&one), free_results(&two);
    }
}

/* Covers every row of layers.def: a layer must name all it has to keep. */
TEST(every_layer_names_all_it_has_to_keep)
{
    static const layer_type *const types[] = {
#define LAYER(name) &layer_##name,
#include "nn/layers.def"
#undef LAYER
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int affine = 0; affine < 2; affine++) {
            layer one = {.type = types[i],
                         .in = {4, 4, 8},
                         .out = {4, 4, 8},
                         .taps = 3,
                         .repeat = 1,
                         .affine = affine,
                         .slope = 0.1f};
            layer_tensor named[LAYER_TENSORS_MAX];
            size_t parameters, state;
            one.views = 1;
            one.type->plan(&one, kernels_best(), 2);
            size_t count = layer_tensors(&one, named, &parameters, &state);
            if (parameters != one.parameters || state != one.state)
                TEST_FAIL("layer %s names %zu of %zu parameters and %zu of %zu numbers of its state",
                          one.type->name, parameters, one.parameters, state, one.state);
            for (size_t j = 0; j < count; j++)
                for (size_t k = 0; k < j; k++) CHECK(strcmp(named[j].name, named[k].name) != 0);
        }
}
