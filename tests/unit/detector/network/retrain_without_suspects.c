/* Training again without the unlabeled rows that look most anomalous. */
#include "detector/network/retrain_without_suspects.h"
#include "base/rng.h"
#include "detector/model/model.h"
#include "objective/objective.h"
#include "test.h"

#include <math.h>

enum { ROWS = 600, COLUMNS = 4, HIDDEN = 90, LABELED = 10 };
static float values[ROWS * COLUMNS];
static int8_t labels[ROWS];

/* Normal rows, and anomalies that are off in the first column alone: the first rows labeled, then hidden
 * ones. */
static train_rows make_rows(void)
{
    rng draws = rng_make(5, 0);
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = i < LABELED;
        for (size_t j = 0; j < COLUMNS; j++) values[i * COLUMNS + j] = (float)(0.05 * rng_normal(&draws));
        if (i < LABELED + HIDDEN) values[i * COLUMNS] += 0.6F;
    }
    return (train_rows){.values = values, .labels = labels, .rows = ROWS, .in = {1, 1, COLUMNS}};
}

static train_settings settings_for(const char *method)
{
    const detector_kind *kind = detector_kind_find(method);
    recipe config = {.kind = kind,
                     .trains = detector_kind_objective(kind),
                     .network = "mlp",
                     .head = strcmp(method, "puae") == 0 ? HEAD_RECONSTRUCTION : HEAD_DISTANCE,
                     .depth = 1,
                     .width = 16,
                     .epochs = 200,
                     .pretrain_epochs = 200,
                     .steps = 60,
                     .batch = 128,
                     .learning_rate = 1e-3,
                     .decay = adam_standard.decay,
                     .objective = puad_objective_options_standard()};
    config.objective.alpha = (double)HIDDEN / (ROWS - LABELED);
    return (train_settings){.config = config};
}

static size_t marked_among(const bool *marked, size_t first, size_t count)
{
    size_t found = 0;
    for (size_t i = first; i < first + count; i++) found += marked[i];
    return found;
}

TEST(the_fraction_of_unlabeled_rows_with_the_highest_scores_is_marked)
{
    train_rows rows = make_rows();
    train_settings s = settings_for("pusvdd");
    trainer *state = NULL;
    AUTO_FREE bool *marked = NULL;
    size_t count = 0;
    float scores[ROWS], min = INFINITY, max = -INFINITY;
    CHECK_OK(trainer_new(&state, &s, &rows));
    CHECK_OK(trainer_run(state));
    CHECK_OK(suspects_mark(&marked, &count, state, 0.1));
    trainer_score(state, scores);
    CHECK_INT(count, (ROWS - LABELED) / 10);
    CHECK_INT(marked_among(marked, 0, LABELED), 0);
    CHECK_INT(marked_among(marked, 0, ROWS), count);
    for (size_t i = LABELED; i < ROWS; i++) {
        if (marked[i])
            min = fminf(min, scores[i]);
        else
            max = fmaxf(max, scores[i]);
    }
    CHECK(min >= max);
    trainer_free(state);
}

TEST(rows_left_out_are_not_trained_on_but_scored)
{
    for (int which = 0; which < 2; which++) {
        train_rows rows = make_rows();
        train_settings s = settings_for(which ? "puae" : "pusvdd");
        trainer *state = NULL;
        bool marked[ROWS] = {0};
        float scores[ROWS], again[ROWS];
        for (size_t i = LABELED; i < LABELED + HIDDEN; i++) marked[i] = true;
        CHECK_OK(trainer_new(&state, &s, &rows));
        CHECK_OK(trainer_run(state));
        CHECK_OK(suspects_train_again(&state, &s, &rows, marked));
        CHECK_INT(state->split.training_count, ROWS - HIDDEN);
        for (size_t i = 0; i < state->split.training_count; i++) CHECK(!marked[state->split.training[i]]);
        trainer_score(state, scores);
        size_t above = 0;
        for (size_t i = LABELED; i < LABELED + HIDDEN; i++)
            for (size_t j = LABELED + HIDDEN; j < ROWS; j++) above += scores[i] > scores[j];
        CHECK((double)above / (HIDDEN * (ROWS - LABELED - HIDDEN)) > 0.9);
        trainer_free(state);

        /* The left-out rows have no effect, except that the columns keep their deviation. */
        for (size_t i = LABELED; which && i < LABELED + HIDDEN; i++) values[i * COLUMNS] = 7;
        CHECK_OK(trainer_new(&state, &s, &rows));
        CHECK_OK(suspects_train_again(&state, &s, &rows, marked));
        trainer_score(state, again);
        CHECK(memcmp(scores + LABELED + HIDDEN, again + LABELED + HIDDEN,
                     (ROWS - LABELED - HIDDEN) * sizeof *scores) == 0);
        trainer_free(state);
    }
}

static bool drops(const char *method, size_t epochs, const char *setting)
{
    fit_options options = fit_options_standard();
    recipe config;
    options.method = method;
    options.steps = epochs ? 0 : SIZE_MAX;
    options.epochs = epochs ? epochs : options.epochs;
    options.settings = &setting;
    options.setting_count = setting != NULL;
    puad_status status = recipe_make(&config, &options, (shape){1, 1, COLUMNS}, false);
    return status == PUAD_OK && config.drops_suspects;
}

TEST(positive_unlabeled_methods_drop_suspects_on_tables_by_default)
{
    CHECK(drops("pusvdd", 0, NULL));
    CHECK(drops("puae", 0, NULL));
    CHECK(!drops("pusvdd", 0, "suspects=keep"));
    CHECK(!drops("pusvdd", 30, NULL)); /* given epochs select the plain schedule */
    CHECK(drops("pusvdd", 30, "suspects=drop"));
    CHECK(!drops("deepsad", 0, NULL));
    recipe config;
    fit_options options = fit_options_standard();
    options.method = "pusvdd";
    CHECK_OK(recipe_make(&config, &options, (shape){32, 32, 1}, true));
    CHECK(!config.drops_suspects);
    options.method = "deepsad";
    const char *setting = "suspects=drop";
    options.settings = &setting;
    options.setting_count = 1;
    CHECK(recipe_make(&config, &options, (shape){1, 1, COLUMNS}, false) == PUAD_INVALID);
}

/* The model with the default config and this alpha, as its scores of the training rows. */
static void fit_and_score(float *scores, double alpha, const char *setting)
{
    fit_options options = fit_options_standard();
    options.method = "pusvdd";
    options.alpha = alpha;
    options.settings = &setting;
    options.setting_count = 1;
    train_rows rows = make_rows();
    labeled_rows given = {.values = rows.values,
                          .labels = rows.labels,
                          .rows = ROWS,
                          .height = 1,
                          .width = 1,
                          .channels = COLUMNS};
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    CHECK_OK(detector_fit(&model, &given, &options));
    CHECK(model->training.count > 0);
    CHECK_OK(scorer_new(&scorer, model, NULL, NULL));
    CHECK_OK(scorer_run(scorer, scores, values, ROWS));
    puad_scorer_free(scorer);
    puad_detector_free(model);
}

TEST(without_hidden_anomalies_there_are_no_suspects)
{
    float kept[ROWS], dropped[ROWS];
    fit_and_score(kept, 0, "suspects=keep");
    fit_and_score(dropped, 0, "suspects=drop");
    CHECK(memcmp(kept, dropped, sizeof kept) == 0);
    fit_and_score(kept, 0.15, "suspects=keep");
    fit_and_score(dropped, 0.15, "suspects=drop");
    CHECK(memcmp(kept, dropped, sizeof kept) != 0);
}
