/* One training by several ranks, which are threads here: exchanges, results, and rejected requests. */
#include "nn/ranks.h"
#include "base/rng.h"
#include "base/threads.h"
#include "detector/model/model.h"
#include "detector/network/trainer.h"
#include "prior/pu_classifier.h"
#include "test.h"

#include <pthread.h>
#include <puad/dataset.h>

enum { RANKS_MAX = 5 };

/* The exchange between the ranks: rank 0 adds in pairs, as <puad/options.h> requires. */
static struct {
    pthread_barrier_t barrier;
    void *given[RANKS_MAX];
    int size;
    bool broken;
} place;

#define SUM(type)                                                                                            \
    static puad_status sum_##type(void *context, type *values, size_t count)                                 \
    {                                                                                                        \
        int rank = *(int *)context;                                                                          \
        if (place.broken) return status_fail(PUAD_IO, "the line is cut");                                    \
        place.given[rank] = values;                                                                          \
        pthread_barrier_wait(&place.barrier);                                                                \
        for (int apart = 1; rank == 0 && apart < place.size; apart *= 2)                                     \
            for (int to = 0; to + apart < place.size; to += 2 * apart)                                       \
                for (size_t i = 0; i < count; i++)                                                           \
                    ((type *)place.given[to])[i] += ((type *)place.given[to + apart])[i];                    \
        pthread_barrier_wait(&place.barrier);                                                                \
        if (rank > 0) memcpy(values, place.given[0], count * sizeof *values);                                \
        pthread_barrier_wait(&place.barrier);                                                                \
        return PUAD_OK;                                                                                      \
    }
SUM(float)
SUM(double)

static puad_status broadcast(void *context, void *bytes, size_t size)
{
    int rank = *(int *)context;
    if (place.broken) return status_fail(PUAD_IO, "the line is cut");
    place.given[rank] = bytes;
    pthread_barrier_wait(&place.barrier);
    if (rank > 0) memcpy(bytes, place.given[0], size);
    pthread_barrier_wait(&place.barrier);
    return PUAD_OK;
}

/* The work of a rank, and its result. */
typedef struct worker {
    pthread_t thread;
    int rank;
    puad_ranks ranks;
    void (*run)(struct worker *self);
    puad_status status;
    char message[256];
    train_settings settings;
    train_rows rows;
    trainer *state;
} worker;

static void *work(void *context)
{
    worker *self = context;
    self->run(self);
    snprintf(self->message, sizeof self->message, "%s", self->status == PUAD_OK ? "" : puad_last_error());
    return NULL;
}

static void run_ranks(worker workers[], int size)
{
    place.size = size;
    pthread_barrier_init(&place.barrier, NULL, (unsigned)size);
    for (int i = 0; i < size; i++) {
        worker *one = &workers[i];
        one->rank = i;
        one->ranks = (puad_ranks){i, size, sum_float, sum_double, broadcast, &one->rank};
        pthread_create(&one->thread, NULL, work, one);
    }
    for (int i = 0; i < size; i++) pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&place.barrier);
}

static void train(worker *self)
{
    self->settings.ranks = &self->ranks;
    self->status = trainer_new(&self->state, &self->settings, &self->rows);
    if (self->status == PUAD_OK) self->status = trainer_run(self->state);
}

static train_settings settings_for(const char *method, const char *net, size_t steps, size_t batch)
{
    const detector_kind *kind = detector_kind_find(method);
    recipe config = {.kind = kind,
                     .trains = detector_kind_objective(kind),
                     .head = strcmp(kind->head, "distance") == 0 ? HEAD_DISTANCE : HEAD_RECONSTRUCTION,
                     .noise = kind->noise,
                     .epochs = 200,
                     .pretrain_epochs = 200,
                     .steps = steps,
                     .batch = batch,
                     .learning_rate = strcmp(net, "mlp") == 0 ? 1e-3 : 1e-4,
                     .decay = adam_standard.decay,
                     .objective = puad_objective_options_standard()};
    snprintf(config.network, sizeof config.network, "%s", net);
    return (train_settings){.config = config};
}

static float *values;
static int8_t labels[600];

static train_rows make_rows(size_t rows, shape in)
{
    size_t columns = shape_size(in);
    rng draws = rng_make(3, 0);
    free(values);
    values = malloc(rows * columns * sizeof *values);
    for (size_t i = 0; i < rows; i++) {
        labels[i] = i % 6 == 0 ? 1 : i % 29 == 0 ? -1 : 0;
        double middle = 0.5 + 0.1 * rng_normal(&draws) + (i % 3 == 0 ? 0.3 : 0);
        for (size_t j = 0; j < columns; j++)
            values[i * columns + j] = (float)(middle + 0.2 * sin((double)(i + j % 37)) * rng_uniform(&draws));
    }
    return (train_rows){.values = values, .labels = labels, .rows = rows, .in = in};
}

/* The largest difference, and the largest value. */
static double differs(const float *a, const float *b, size_t count, double *out_most)
{
    double worst = 0;
    *out_most = 0;
    for (size_t i = 0; i < count; i++) {
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
        *out_most = fmax(*out_most, fabs((double)a[i]));
    }
    return worst;
}

/* Trains with `size` ranks; false if that failed. */
static bool train_with(worker workers[], int size, const train_settings *s, const train_rows *rows)
{
    bool fine = true;
    for (int i = 0; i < size; i++) workers[i] = (worker){.run = train, .settings = *s, .rows = *rows};
    run_ranks(workers, size);
    for (int i = 0; i < size; i++) {
        fine = fine && workers[i].status == PUAD_OK;
        if (workers[i].status != PUAD_OK) TEST_FAIL("rank %d of %d: %s", i, size, workers[i].message);
    }
    return fine;
}

static void free_trainers(worker workers[], int size)
{
    for (int i = 0; i < size; i++) trainer_free(workers[i].state);
}

static void check_same_on_all(const worker workers[], int size)
{
    const network *first = workers[0].state->net;
    for (int i = 1; i < size; i++) {
        const network *other = workers[i].state->net;
        CHECK(memcmp(first->parameters, other->parameters, first->parameter_count * sizeof(float)) == 0);
        CHECK(memcmp(first->state, other->state, first->state_count * sizeof(float)) == 0);
    }
}

/* One, two and four ranks add the same numbers in the same order; three round differently. */
static void check_like_one(const train_settings *s, const train_rows *rows, int size, const char *what)
{
    worker one[1], several[RANKS_MAX];
    double max;
    REQUIRE(train_with(one, 1, s, rows) && train_with(several, size, s, rows));
    const network *a = one[0].state->net, *b = several[0].state->net;
    double worst = differs(a->parameters, b->parameters, a->parameter_count, &max);
    if (!(worst <= (size == 3 ? 1e-5 : 0)))
        TEST_FAIL("%s, %d ranks: weights differ by %g", what, size, worst);
    if (size != 3) CHECK(memcmp(a->state, b->state, a->state_count * sizeof(float)) == 0);
    check_same_on_all(several, size);
    free_trainers(one, 1);
    free_trainers(several, size);
}

TEST(twenty_steps_of_a_table_end_in_the_weights_of_one_rank)
{
    static const char *const methods[] = {"puae", "pudae", "pusvdd", "pnuae", "soel", "loe"};
    train_rows rows = make_rows(500, (shape){1, 1, 7});
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int size = 2; size <= 4; size++) {
            train_settings s = settings_for(methods[m], "mlp", 20, 63); /* no multiple of anything */
            if (size == 3 && strcmp(methods[m], "loe") == 0) continue;  /* sorts rows by the last bits */
            check_like_one(&s, &rows, size, methods[m]);
        }
}

TEST(twenty_steps_of_images_end_in_the_weights_of_one_rank)
{
    static const char *const methods[] = {"puae", "pusvdd"};
    train_rows rows = make_rows(70, (shape){32, 32, 1});
    for (size_t m = 0; m < 2; m++)
        for (int size = 2; size <= 4; size += 2) {
            train_settings s = settings_for(methods[m], "conv32", 20, 21);
            check_like_one(&s, &rows, size, methods[m]);
        }
}

/* The root mean square of the differences, as a share of that of the values. */
static double apart(const float *a, const float *b, size_t count)
{
    double differences = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        differences += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        squares += (double)a[i] * (double)a[i];
    }
    return squares > 0 ? sqrt(differences / squares) : sqrt(differences);
}

/* The largest part of a layer's gradients in which two networks differ. */
static double gradients_apart(const network *a, const network *b)
{
    double max = 0;
    for (size_t i = 0; i < a->layer_count; i++) {
        size_t at = a->layers[i].parameters_at;
        max = fmax(max, apart(a->gradients + at, b->gradients + at, a->layers[i].parameters));
    }
    return max;
}

/* With other numbers of ranks the weights for images cannot be compared: where a gradient is near 0, its
 * last bits decide the direction of Adam's step. Single gradients cannot either: a value may be so close
 * to zero before LeakyReLU, or to another one pooled with it, that the last bits decide where its gradient
 * goes. All gradients of a layer together can be compared: such values moved them by at most 0.02, and one
 * missing row of 24 moves them by more than the bound. */
TEST(a_step_of_images_has_the_gradients_and_moments_of_one_rank)
{
    static const char *const methods[] = {"puae", "deepsad"};
    const double bound = 0.05;
    for (size_t m = 0; m < 2; m++) {
        worker one[1], fewer[1], several[RANKS_MAX];
        train_rows rows = make_rows(24, (shape){32, 32, 1}), less = rows;
        less.rows--;
        train_settings s = settings_for(methods[m], "conv32", 1, 24);
        REQUIRE(train_with(one, 1, &s, &rows) && train_with(fewer, 1, &s, &less) &&
                train_with(several, 3, &s, &rows));
        const network *a = one[0].state->net, *b = several[0].state->net;
        double gradients = gradients_apart(a, b), moments = apart(a->state, b->state, a->state_count);
        if (!(gradients <= bound && moments <= 1e-4))
            TEST_FAIL("%s: gradients differ by %g, moments by %g", methods[m], gradients, moments);
        gradients = gradients_apart(a, fewer[0].state->net);
        if (!(gradients > bound)) TEST_FAIL("%s: a row less goes unnoticed: %g", methods[m], gradients);
        check_same_on_all(several, 3);
        free_trainers(one, 1);
        free_trainers(fewer, 1);
        free_trainers(several, 3);
    }
}

/* Turned images count as anomalies in the objective, which every rank evaluates on the whole batch. */
TEST(ranks_turn_the_same_images)
{
    worker one[1], plain[1], several[RANKS_MAX];
    train_rows rows = make_rows(90, (shape){32, 32, 1});
    for (size_t i = 0; i < 90 * 1024; i++)
        values[i] += (float)(i / 32 % 32) / 32; /* brighter at the bottom */
    train_settings s = settings_for("pulogistic", "conv32", 1, 60), without;
    s.config.head = HEAD_LOGISTIC;
    s.config.augment = AUGMENT_FLIP;
    s.config.turned = 0.5;
    without = s;
    without.config.turned = 0;
    REQUIRE(train_with(one, 1, &s, &rows) && train_with(plain, 1, &without, &rows) &&
            train_with(several, 3, &s, &rows));
    CHECK(one[0].state->turns.count > 0);
    CHECK(memcmp(one[0].state->labels, several[2].state->labels, one[0].state->batch_most) == 0);
    CHECK(memcmp(one[0].state->labels, plain[0].state->labels, one[0].state->batch_most) != 0);
    CHECK(gradients_apart(one[0].state->net, several[2].state->net) <= 0.05);
    CHECK(gradients_apart(one[0].state->net, plain[0].state->net) > 0.05);
    check_same_on_all(several, 3);
    free_trainers(one, 1);
    free_trainers(plain, 1);
    free_trainers(several, 3);
}

TEST(a_batch_may_have_fewer_rows_than_there_are_ranks)
{
    train_rows rows = make_rows(3, (shape){32, 32, 1});
    worker one[1], several[RANKS_MAX];
    train_settings s = settings_for("ae", "conv32", 1, 4);
    labels[0] = 0; /* the autoencoder uses unlabeled rows */
    REQUIRE(train_with(one, 1, &s, &rows) && train_with(several, 5, &s, &rows));
    const network *a = one[0].state->net, *b = several[0].state->net;
    double max, worst = differs(a->gradients, b->gradients, a->parameter_count, &max);
    CHECK_NEAR(worst / max, 0, 1e-4);
    check_same_on_all(several, 5);
    free_trainers(one, 1);
    free_trainers(several, 5);
}

static puad_answer stop_in_second_epoch(void *context, const puad_progress *now)
{
    (void)context;
    return now->epoch == 1 && now->batch == 2 ? PUAD_FINISH : PUAD_GO_ON;
}

TEST(all_ranks_end_when_one_of_them_is_asked_to)
{
    train_rows rows = make_rows(500, (shape){1, 1, 7});
    worker several[3];
    for (int i = 0; i < 3; i++) {
        several[i] = (worker){.run = train, .settings = settings_for("puae", "mlp", 0, 64), .rows = rows};
        several[i].settings.config.epochs = 9;
        if (i == 1) several[i].settings.progress = stop_in_second_epoch;
    }
    run_ranks(several, 3);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(several[i].status, PUAD_OK);
        CHECK_INT(several[i].state->at.epoch, 2);
    }
    free_trainers(several, 3);
}

/* Fits from outside, by a file. */
static const char *method = "puae", *other_option, *other_value;
static char rows_path[256]; /* test_path is not thread-safe */

static void fit(worker *self)
{
    puad_options *options = NULL;
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    puad_options_new(&options);
    puad_options_set(options, "label_column", "label");
    puad_options_set(options, "method", method);
    puad_options_set(options, "alpha", "0.1");
    puad_options_set(options, "steps", "5");
    puad_options_set(options, "force", "yes");
    puad_options_set_ranks(options, &self->ranks);
    if (self->rank == 1 && other_option) puad_options_set(options, other_option, other_value);
    self->status = puad_dataset_open(&data, rows_path, NULL, options);
    if (self->status == PUAD_OK) self->status = puad_detector_fit(&model, data, options);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

static void check_fit(puad_status expected, const char *text)
{
    worker two[2] = {{.run = fit}, {.run = fit}};
    char rows[8192] = "a,b,label\n";
    size_t used = strlen(rows);
    rng draws = rng_make(4, 0);
    for (int i = 0; i < 200; i++)
        used += (size_t)snprintf(rows + used, sizeof rows - used, "%.4f,%.4f,%d\n",
                                 rng_normal(&draws) + (i % 8 == 0), rng_normal(&draws), i % 8 == 0);
    snprintf(rows_path, sizeof rows_path, "%s", test_path("rows.csv"));
    FILE *file = fopen(rows_path, "w");
    REQUIRE(file && fputs(rows, file) >= 0 && fclose(file) == 0);
    run_ranks(two, 2);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(two[i].status, expected);
        if (!strstr(two[i].message, text))
            TEST_FAIL("rank %d said '%s', expected '%s'", i, two[i].message, text);
    }
}

TEST(ranks_that_fit_the_same_succeed)
{
    check_fit(PUAD_OK, "");
}

TEST(ranks_with_other_options_are_refused_by_all)
{
    static const char *const others[][2] = {{"seed", "7"}, {"alpha", "auto"}, {"steps", "6"}, {"lr", "0.01"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        other_option = others[i][0];
        other_value = others[i][1];
        check_fit(PUAD_INVALID, "1 of 2 processes have other options");
    }
    other_option = NULL;
}

TEST(a_method_without_a_network_is_not_divided)
{
    method = "committee";
    check_fit(PUAD_INVALID, "committee");
    method = "puae";
}

TEST(a_failed_exchange_fails_the_fit)
{
    place.broken = true;
    check_fit(PUAD_IO, "the line is cut");
    place.broken = false;
}

/* Alpha's classifier by several ranks, rank 1 of which may be stopped. */
enum { CLASSIFIED = 300, CLASSIFIED_COLUMNS = 4 };
static float votes[RANKS_MAX][CLASSIFIED];
static puad_stop *stop_second;

static void classify(worker *self)
{
    rank_group all = ranks_of(&self->ranks);
    AUTO_TEAM team *workers = NULL;
    REQUIRE(team_new(&workers, 1) == PUAD_OK);
    if (self->rank == 1) team_set_stop(workers, stop_second);
    self->status = pu_classify(
        votes[self->rank],
        &(prior_rows){.values = values, .labels = labels, .rows = CLASSIFIED, .columns = CLASSIFIED_COLUMNS},
        3, workers, &all);
}

TEST(ranks_classify_together_and_have_the_bits_of_one)
{
    float alone[CLASSIFIED];
    make_rows(CLASSIFIED, (shape){1, 1, CLASSIFIED_COLUMNS});
    for (size_t few = 0; few < 2; few++) { /* two labels, two folds: three ranks of five have none */
        for (size_t i = 0; i < CLASSIFIED; i++) labels[i] = i % 6 == 0 && (!few || i < 12);
        CHECK_OK(pu_classify(
            alone,
            &(prior_rows){
                .values = values, .labels = labels, .rows = CLASSIFIED, .columns = CLASSIFIED_COLUMNS},
            3, NULL, NULL));
        for (int size = 2; size <= RANKS_MAX; size++) {
            worker several[RANKS_MAX] = {0};
            for (int i = 0; i < size; i++) several[i].run = classify;
            run_ranks(several, size);
            for (int i = 0; i < size; i++) {
                CHECK_INT(several[i].status, PUAD_OK);
                CHECK(memcmp(votes[i], alone, sizeof alone) == 0);
            }
        }
    }
}

TEST(a_rank_that_is_stopped_while_it_classifies_stops_all)
{
    worker several[3] = {{.run = classify}, {.run = classify}, {.run = classify}};
    make_rows(CLASSIFIED, (shape){1, 1, CLASSIFIED_COLUMNS});
    CHECK_OK(puad_stop_new(&stop_second));
    puad_stop_request(stop_second);
    run_ranks(several, 3);
    puad_stop_free(stop_second);
    stop_second = NULL;
    for (int i = 0; i < 3; i++) CHECK_INT(several[i].status, PUAD_CANCELLED);
    CHECK(strstr(several[0].message, "1 of 3") != NULL);
}

TEST(parts_make_the_whole_and_differ_by_one_at_most)
{
    for (size_t count = 0; count < 20; count++) {
        size_t next = 0;
        for (int rank = 0; rank < 3; rank++) {
            puad_ranks ranks = {.rank = rank, .size = 3};
            rank_group all = ranks_of(&ranks);
            size_t first, own = ranks_part(&all, &first, count);
            CHECK_INT(first, next);
            CHECK(own <= ranks_part_most(&all, count) && own + 1 >= ranks_part_most(&all, count));
            next = first + own;
        }
        CHECK_INT(next, count);
    }
}
