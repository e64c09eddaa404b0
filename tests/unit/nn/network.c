/* Guarantees of a whole network: the same bits for any number of threads, gray images equal to three equal
 * channels, batches of any size, and steps that allocate nothing. */
#include "unit/nn/training.h"

/* Counts this program's allocations; glibc's functions remain available under these names. Sanitizers
 * bring their own allocator, which must not be replaced. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
static size_t allocations;
void *malloc(size_t size)
{
    __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size)
{
    __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
    __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_memalign(alignment, size);
}
#endif

static const struct {
    const char *network;
    head_kind head;
} forms[] = {{"conv32", HEAD_RECONSTRUCTION}, {"conv32", HEAD_DISTANCE}, {"mlp", HEAD_RECONSTRUCTION},
             {"mlp", HEAD_DISTANCE},          {"mlp", HEAD_ICL},         {"mlp", HEAD_NEUTRAL}};
enum { FORMS = sizeof forms / sizeof *forms };

/* The tables that serve for comparison rather than speed. */
static bool is_slow(const kernels *k)
{
    return strcmp(k->name, "reference") == 0 || strcmp(k->name, "wide") == 0;
}

static void check_threads(const kernels *k, const char *network_name, head_kind kind)
{
    bool slow = is_slow(k) && strcmp(network_name, "conv32") == 0;
    size_t rows = slow ? 2 : 9, steps = slow ? 1 : 20;
    training one;
    REQUIRE(training_new(&one, &(setting){network_name, kind, 3, rows, 1, k}));
    for (size_t i = 0; i < steps; i++) train_step(&one, rows, &adam_standard);
    for (int threads = 2; threads <= 3; threads++) {
        training more;
        REQUIRE(training_new(&more, &(setting){network_name, kind, 3, rows, threads, k}));
        for (size_t i = 0; i < steps; i++) train_step(&more, rows, &adam_standard);
        size_t bytes = one.net->parameter_count * sizeof(float);
        if (memcmp(one.net->parameters, more.net->parameters, bytes) != 0 ||
            memcmp(one.net->second_moment, more.net->second_moment, bytes) != 0 ||
            memcmp(one.net->state, more.net->state, one.net->state_count * sizeof(float)) != 0 ||
            memcmp(one.scores, more.scores, rows * sizeof(float)) != 0)
            TEST_FAIL("%s, %s head, %s: %d threads give other bits than one", network_name, head_name(kind),
                      k->name, threads);
        training_free(&more);
    }
    CHECK(isfinite(one.scores[0]));
    training_free(&one);
}

TEST(one_two_and_three_threads_give_the_same_bits_after_20_steps_on_every_instruction_set)
{
    for (const kernels *const *table = kernels_all(); *table; table++)
        for (size_t i = 0; i < FORMS; i++) {
            bool plain = strcmp((*table)->name, "reference") == 0; /* seconds a step for conv32 */
            if (!plain || forms[i].network[0] == 'm') check_threads(*table, forms[i].network, forms[i].head);
        }
}

static double distance(const float *a, const float *b, size_t count)
{
    double squares = 0;
    for (size_t i = 0; i < count; i++) squares += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sqrt(squares);
}

/* A large epsilon makes Adam's step smooth: with the default it is nearly the sign of the gradient, and
 * gradients near zero would change sign by rounding. */
static const adam_options smooth = {1e-3, 0.9, 0.999, 0.05, 1e-3, 0};

static void check_gray(head_kind kind, const kernels *k)
{
    enum { ROWS = 9, STEPS = 3 };
    training gray, color;
    REQUIRE(training_new(&gray, &(setting){"conv32", kind, 1, ROWS, 2, k}));
    REQUIRE(training_new(&color, &(setting){"conv32", kind, 3, ROWS, 2, k}));
    REQUIRE(gray.net->parameter_count == color.net->parameter_count);
    CHECK(memcmp(gray.net->parameters, color.net->parameters, gray.net->parameter_count * sizeof(float)) ==
          0);
    float *first = malloc(gray.net->parameter_count * sizeof(float));
    memcpy(first, gray.net->parameters, gray.net->parameter_count * sizeof(float));
    for (size_t i = 0; i < ROWS * 3072; i++) color.rows[i] = gray.rows[i / 3];
    for (int i = 0; i < STEPS; i++) train_step(&gray, ROWS, &smooth), train_step(&color, ROWS, &smooth);
    const size_t counts[] = {gray.net->layers[0].parameters, gray.net->parameter_count};
    for (int i = 0; i < 2;
         /* the first layer, and all: a pooled pixel that rounding decides differently moves a little */
         i++) {
        double moved = distance(gray.net->parameters, first, counts[i]);
        double apart = distance(gray.net->parameters, color.net->parameters, counts[i]);
        if (!(moved > 1e-3 && apart < 0.05 * moved))
            TEST_FAIL("%s, %s head: moved by %g, apart by %g", k->name, head_name(kind), moved, apart);
    }
    for (size_t i = 0; i < ROWS; i++)
        CHECK_NEAR(gray.scores[i], color.scores[i], 1e-3 * (1 + fabsf(color.scores[i])));
    CHECK(distance(gray.net->parameters, gray.net->parameters + 32, 32) >
          0.01); /* planes of tap 0: own weights each */
    CHECK(memcmp(gray.net->gradients, gray.net->gradients + 32, 32 * sizeof(float)) == 0);
    free(first);
    training_free(&gray), training_free(&color);
}

TEST(gray_images_train_the_three_stored_planes_as_three_equal_channels_do)
{
    for (const kernels *const *table = kernels_all(); *table; table++)
        for (int kind = HEAD_RECONSTRUCTION; kind <= HEAD_DISTANCE; kind++)
            if (!is_slow(*table)) check_gray((head_kind)kind, *table);
}

/* A row's score depends only on the row, to the bit, whatever batch it is in. */
TEST(evaluation_gives_a_row_the_same_score_in_any_batch)
{
    enum { ROWS = 141 };
    static const size_t sizes[] = {1, 2, 3, 5, 7, 13, 25, 129};
    for (size_t f = 0; f < FORMS; f++) {
        training t;
        REQUIRE(training_new(&t, &(setting){forms[f].network, forms[f].head, 3, ROWS, 2, NULL}));
        train_step(&t, 16, &adam_standard);
        float whole[ROWS];
        score_rows(&t, t.rows, ROWS, false);
        memcpy(whole, t.scores, sizeof whole);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t first = 0; first + sizes[s] <= ROWS; first += 61) {
                score_rows(&t, t.rows + first * t.h.inputs, sizes[s], false);
                if (memcmp(t.scores, whole + first, sizes[s] * sizeof(float)) != 0)
                    TEST_FAIL("%s, %s head: rows %zu.. score differently in a batch of %zu", forms[f].network,
                              head_name(forms[f].head), first, sizes[s]);
            }
        CHECK(whole[0] != whole[1]);
        training_free(&t);
    }
}

/* Without BatchNorm the gradient of a batch is the sum over its pieces; 128 images and more go through in
 * sweeps. */
static void check_pieces(const layer *one, size_t rows)
{
    team *workers = NULL;
    network *net = NULL;
    CHECK_OK(team_new(&workers, 2));
    CHECK_OK(
        network_new(&net, one, 1, &(network_options){.rows = rows, .training = true, .workers = workers}));
    network_start(net, 1);
    size_t in = shape_size(net->layers[0].in), out = shape_size(net->layers[0].out),
           count = net->parameter_count;
    float *x = malloc(rows * in * sizeof *x), *g = malloc(rows * out * sizeof *g),
          *back = malloc(rows * in * sizeof *back);
    float *whole = malloc(count * sizeof *whole), *piece_back = malloc(rows * in * sizeof *back);
    double *sum = calloc(count, sizeof *sum), scale = 0, worst = 0;
    rng draws = rng_make(2, 2);
    for (size_t i = 0; i < rows * in; i++) x[i] = (float)rng_normal(&draws);
    for (size_t i = 0; i < rows * out; i++) g[i] = (float)rng_normal(&draws);
    network_forward(net, x, rows, 1, true);
    network_backward(net, g, back);
    memcpy(whole, net->gradients, count * sizeof *whole);
    for (size_t first = 0; first < rows; first += 20) {
        size_t size = rows - first < 20 ? rows - first : 20;
        network_forward(net, x + first * in, size, 1, true);
        network_backward(net, g + first * out, piece_back + first * in);
        for (size_t i = 0; i < count; i++) sum[i] += net->gradients[i];
    }
    for (size_t i = 0; i < count; i++) scale += sum[i] * sum[i], worst = fmax(worst, fabs(sum[i] - whole[i]));
    if (!(worst <= 1e-4 * sqrt(scale / (double)count)))
        TEST_FAIL("%zu rows: weight gradient off by %g", rows, worst);
    CHECK(memcmp(back, piece_back, rows * in * sizeof *back) == 0);
    free(x), free(g), free(back), free(piece_back), free(whole), free(sum);
    network_free(net);
    team_free(workers);
}

TEST(batches_beyond_one_sweep_have_the_gradient_of_their_pieces)
{
    static const layer layers[] = {
        {.type = &layer_convolution, .in = {8, 8, 32}, .out = {0, 0, 32}, .taps = 5},
        {.type = &layer_convolution, .in = {4, 4, 32}, .out = {0, 0, 32}, .taps = 5, .upsample = true},
        {.type = &layer_convolution, .in = {8, 8, 3}, .out = {0, 0, 32}, .taps = 5},
        {.type = &layer_dense, .in = {1, 1, 50}, .out = {1, 1, 21}, .affine = true},
    };
    static const size_t sizes[] = {31, 32, 33, 65, 129};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) check_pieces(&layers[i], sizes[s]);
}

TEST(smaller_batches_train_in_a_network_made_for_larger_ones)
{
    for (size_t f = 0; f < FORMS; f++)
        for (size_t rows = 2; rows <= 9; rows += 7) {
            training exact, roomy;
            REQUIRE(training_new(&exact, &(setting){forms[f].network, forms[f].head, 3, rows, 2, NULL}));
            REQUIRE(training_new(&roomy, &(setting){forms[f].network, forms[f].head, 3, 31, 2, NULL}));
            train_step(&roomy, 31, &adam_standard); /* leaves its scratch full */
            network_start(roomy.net, 5);
            for (int i = 0; i < 3; i++)
                train_step(&exact, rows, &adam_standard), train_step(&roomy, rows, &adam_standard);
            CHECK(memcmp(exact.net->parameters, roomy.net->parameters,
                         exact.net->parameter_count * sizeof(float)) == 0);
            training_free(&exact), training_free(&roomy);
        }
}

TEST(a_step_and_a_scoring_pass_allocate_nothing)
{
#ifdef COUNTS_ALLOCATIONS
    for (size_t f = 0; f < FORMS; f++) {
        training t;
        REQUIRE(training_new(&t, &(setting){forms[f].network, forms[f].head, 3, 130, 2, NULL}));
        size_t before = allocations;
        CHECK(before > 0);
        train_step(&t, 130, &adam_standard);
        train_step(&t, 7, &adam_standard);
        score_rows(&t, t.rows, 130, false);
        CHECK_INT(allocations, before);
        training_free(&t);
    }
#else
    SKIP("allocations cannot be counted in this build");
#endif
}

TEST(the_sizes_of_a_network_are_known_without_making_it)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        architecture plan;
        architecture_options wanted = {.in = i < 2 ? (shape){32, 32, 1} : (shape){1, 1, 7},
                                       .head = forms[i].head};
        network *net = NULL;
        size_t parameters = 0, state = 0;
        CHECK_OK(architecture_make(&plan, forms[i].network, &wanted));
        CHECK_OK(network_sizes(&parameters, &state, plan.layers, plan.head));
        CHECK_OK(network_new(&net, plan.layers, plan.head, &(network_options){.rows = 1}));
        CHECK_INT(parameters, net->parameter_count);
        CHECK_INT(state, net->state_count);
        network_free(net);
    }
}

TEST(a_huge_layer_is_rejected_before_sizes_overflow)
{
    static const shape rows[] = {{1, 1, (size_t)1 << 33}, {(size_t)1 << 32, (size_t)1 << 32, 16}};
    for (size_t i = 0; i < 2; i++) {
        architecture plan;
        network *net = NULL;
        size_t parameters, state;
        CHECK_OK(architecture_make(&plan, "mlp", &(architecture_options){.in = {1, 1, 5}, .width = 1 << 10}));
        plan.layers[0].in = rows[i];
        CHECK_FAILS(network_sizes(&parameters, &state, plan.layers, plan.head), PUAD_INVALID, "layer 0");
        CHECK_FAILS(network_new(&net, plan.layers, plan.head, &(network_options){.rows = 1}), PUAD_INVALID,
                    "layer 0");
        CHECK(net == NULL);
    }
}
