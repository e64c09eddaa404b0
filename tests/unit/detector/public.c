/* The guarantees of public calls about their arguments. */
#include "cli/library_values.h"
#include "test.h"

#include "detector/model/fit_options.h"

#include <puad/advanced.h>
#include <stdlib.h>

/* For preconditions of a test. */
#define MUST(call)                                                                                           \
    do {                                                                                                     \
        if ((call) != PUAD_OK) abort();                                                                      \
    } while (0)

enum { ROWS = 30, COLUMNS = 2 };

static float values[ROWS * COLUMNS];
static labeled_rows rows = {values, NULL, ROWS, 1, 1, COLUMNS, NULL};

static puad_dataset *small_data(void)
{
    puad_table *table = NULL;
    puad_dataset *data = NULL;
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = (float)(i * 7 % 11);
    MUST(puad_table_new(&table, ROWS));
    MUST(puad_table_add_float_matrix(table, NULL, values, COLUMNS, 0, 0));
    MUST(puad_dataset_from_table(&data, table, NULL, NULL));
    puad_table_free(table);
    return data;
}

static puad_options *option(const char *name, const char *text)
{
    puad_options *options = NULL;
    MUST(puad_options_new(&options));
    MUST(puad_options_set(options, name, text));
    return options;
}

/* A forest, which trains quickly. */
static puad_detector *small_model(void)
{
    puad_detector *model = NULL;
    fit_options options = fit_options_standard();
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = (float)(i * 7 % 11);
    options.method = "if";
    if (detector_fit(&model, &rows, &options) != PUAD_OK) TEST_FAIL("%s", puad_last_error());
    return model;
}

TEST(out_is_null_after_a_failure)
{
    int some = 0;
    puad_options *wrong = option("set", "none=such"), *odd = option("delimiter", "two");
    puad_detector *model = small_model();
    puad_dataset *data = small_data();
    REQUIRE(model && data);
#define CHECK_NULLED(type, call)                                                                             \
    do {                                                                                                     \
        type *out = (void *)&some;                                                                           \
        CHECK((call) != PUAD_OK);                                                                            \
        CHECK(out == NULL);                                                                                  \
    } while (0)
    CHECK_NULLED(puad_dataset, puad_dataset_open(&out, test_path("absent"), NULL, NULL));
    CHECK_NULLED(puad_dataset, puad_dataset_open(&out, NULL, NULL, NULL));
    CHECK_NULLED(puad_dataset, puad_dataset_open(&out, "x.csv", NULL, odd));
    CHECK_NULLED(puad_dataset, puad_dataset_open(&out, "x.csv", model, NULL));
    CHECK_NULLED(puad_dataset, puad_dataset_from_table(&out, NULL, NULL, NULL));
    CHECK_NULLED(puad_dataset, puad_dataset_from_table(&out, NULL, model, NULL));
    CHECK_NULLED(puad_dataset, puad_dataset_from_pixels(&out,
                                                        &(puad_pixels){sizeof(puad_pixels), (void *)values,
                                                                       (puad_pixel)9, 1, 1, 1, 1, NULL},
                                                        NULL, NULL));
    CHECK_NULLED(puad_detector, puad_detector_fit(&out, data, wrong));
    CHECK_NULLED(puad_detector, puad_detector_fit(&out, NULL, NULL));
    CHECK_NULLED(puad_detector, puad_detector_refit(&out, NULL, data, NULL));
    CHECK_NULLED(puad_detector, puad_detector_load_memory(&out, (const unsigned char *)"no", 2));
    CHECK_NULLED(puad_stream, puad_stream_open(&out, model, "x.csv", NULL));
    CHECK_NULLED(puad_prior, puad_prior_estimate(&out, data, NULL));
    CHECK_NULLED(puad_operating, puad_operating_new(&out, model, 16, NULL));
    CHECK_NULLED(puad_detector, puad_detector_load(&out, test_path("absent")));
    CHECK_NULLED(puad_scorer, puad_scorer_new(&out, NULL, NULL));
    puad_options_free(wrong);
    puad_options_free(odd);
    puad_dataset_free(data);
    puad_detector_free(model);
}

TEST(null_is_refused_by_the_name_of_the_call_and_the_argument)
{
    puad_detector *model = small_model(), *made = NULL;
    puad_dataset *data = NULL, *opened = NULL;
    puad_scorer *scorer = NULL, *other = NULL;
    float scores[ROWS];
    REQUIRE(model);
    data = small_data();
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
#define CHECK_NEEDS(argument, function, ...)                                                                 \
    CHECK_FAILS(function(__VA_ARGS__), PUAD_INVALID, #function, argument)
    CHECK_NEEDS("out", puad_dataset_open, NULL, "x.csv", NULL, NULL);
    CHECK_NEEDS("path", puad_dataset_open, &opened, NULL, NULL, NULL);
    CHECK_NEEDS("path", puad_dataset_open, &opened, NULL, model, NULL);
    CHECK_NEEDS("out", puad_dataset_from_table, NULL, NULL, NULL, NULL);
    CHECK_NEEDS("table", puad_dataset_from_table, &opened, NULL, NULL, NULL);
    CHECK_NEEDS("out", puad_dataset_from_pixels, NULL, NULL, NULL, NULL);
    CHECK_NEEDS("given", puad_dataset_from_pixels, &opened, NULL, NULL, NULL);
    CHECK_NEEDS("out", puad_dataset_from_array, NULL, NULL, NULL, NULL);
    CHECK_NEEDS("given", puad_dataset_from_array, &opened, NULL, NULL, NULL);
    CHECK_NEEDS("out", puad_detector_fit, NULL, data, NULL);
    CHECK_NEEDS("data", puad_detector_fit, &made, NULL, NULL);
    CHECK_NEEDS("source", puad_detector_refit, &made, NULL, data, NULL);
    CHECK_NEEDS("model", puad_detector_save, NULL, test_path("m"));
    CHECK_NEEDS("path", puad_detector_save, model, NULL);
    CHECK_NEEDS("out", puad_detector_load, NULL, test_path("m"));
    CHECK_NEEDS("path", puad_detector_load, &made, NULL);
    CHECK_NEEDS("out", puad_scorer_new, NULL, model, NULL);
    CHECK_NEEDS("model", puad_scorer_new, &other, NULL, NULL);
    CHECK_NEEDS("scorer", puad_scorer_run_encoded, NULL, scores, values, ROWS, COLUMNS);
    CHECK_NEEDS("scores", puad_scorer_run_encoded, scorer, NULL, values, ROWS, COLUMNS);
    CHECK_NEEDS("values", puad_scorer_run_encoded, scorer, scores, NULL, ROWS, COLUMNS);
    CHECK_OK(puad_scorer_run_encoded(scorer, NULL, NULL, 0, COLUMNS));
    CHECK_FAILS(puad_scorer_run_encoded(scorer, scores, values, 1, 3), PUAD_INVALID, "3", "2");
    CHECK_NEEDS("scorer", puad_scorer_run, NULL, scores, ROWS, data);
    CHECK_NEEDS("data", puad_scorer_run, scorer, scores, ROWS, NULL);
    puad_objective_options options = puad_objective_options_standard();
    const puad_objective *objective = puad_objective_find("pu_abs");
    puad_criterion whole = {objective, puad_loss_pair_find("logit"), options}, half = whole;
    double loss, score = 1, buffer[64];
    int8_t label = 0;
    CHECK_NEEDS("out_loss", puad_objective_evaluate, &whole, NULL, NULL, &score, &label, 1, buffer);
    CHECK_NEEDS("criterion", puad_objective_evaluate, NULL, &loss, NULL, &score, &label, 1, buffer);
    CHECK_NEEDS("scores", puad_objective_evaluate, &whole, &loss, NULL, NULL, &label, 1, buffer);
    CHECK_NEEDS("labels", puad_objective_evaluate, &whole, &loss, NULL, &score, NULL, 1, buffer);
    CHECK_NEEDS("workspace", puad_objective_evaluate, &whole, &loss, NULL, &score, &label, 1, NULL);
    half.losses = NULL;
    CHECK_NEEDS("criterion->losses", puad_objective_evaluate, &half, &loss, NULL, &score, &label, 1, buffer);
    half = whole;
    half.objective = NULL;
    CHECK_NEEDS("criterion->objective", puad_objective_evaluate, &half, &loss, NULL, &score, &label, 1,
                buffer);
    puad_scorer_free(scorer);
    puad_dataset_free(data);
    puad_detector_free(model);
}

TEST(a_count_without_its_list_is_refused)
{
    puad_detector *made = NULL;
    const char *none[] = {NULL};
    fit_options fit = fit_options_standard();
    fit.setting_count = 1;
    CHECK_FAILS(detector_fit(&made, &rows, &fit), PUAD_INVALID, "setting_count", "setting 0");
    fit.settings = none;
    CHECK_FAILS(detector_fit(&made, &rows, &fit), PUAD_INVALID, "setting_count", "setting 0");
}

static double no_loss(void *context, const puad_objective_batch *batch)
{
    (void)context, (void)batch;
    return 0;
}

TEST(an_incomplete_custom_head_or_objective_is_rejected)
{
    puad_detector *made = NULL;
    puad_own_head head = {.name = "own"};
    puad_objective objective = {.evaluate = no_loss};
    fit_options options = fit_options_standard();
    options.method = "pusvdd";
    options.head = &head;
    CHECK_FAILS(detector_fit(&made, &rows, &options), PUAD_INVALID, "'own'", "evaluate");
    options.head = NULL;
    options.objective = &objective;
    CHECK_FAILS(detector_fit(&made, &rows, &options), PUAD_INVALID, "name", "evaluate");
}

TEST(null_options_are_the_defaults)
{
    puad_detector *made = NULL;
    puad_detector_free(small_model()); /* fills the values */
    float few[4 * COLUMNS];
    memcpy(few, values, sizeof few);
    labeled_rows small = {few, NULL, 4, 1, 1, COLUMNS, NULL};
    CHECK_OK(detector_fit(&made, &small, NULL));
    model_facts facts = detector_facts(made);
    CHECK_TEXT(facts.method, "committee");
    CHECK_TEXT(facts.alpha_kind, "assumed");
    puad_detector_free(made);
}

TEST(getters_accept_null)
{
    CHECK(puad_dataset_rows(NULL) == 0 && dataset_of(NULL).columns == 0 && !dataset_of(NULL).image);
    CHECK(!dataset_of(NULL).values && !dataset_of(NULL).labels && !puad_dataset_id(NULL, 0));
    CHECK(!puad_dataset_note(NULL, 0));
    CHECK(dataset_of(NULL).note_count == 0 && puad_dataset_count(NULL, PUAD_LABEL_UNLABELED) == 0);
    puad_model_info info = {.struct_size = sizeof info};
    puad_dataset_rows_info encoded = {.struct_size = sizeof encoded};
    CHECK_FAILS(puad_detector_info(NULL, &info), PUAD_INVALID, "puad_detector_info", "model");
    CHECK_FAILS(puad_dataset_info(NULL, &encoded), PUAD_INVALID, "puad_dataset_info", "data");
    CHECK(!puad_objective_find(NULL) && !puad_loss_pair_find(NULL) && puad_objective_workspace(NULL, 1) == 0);
}

static double first_value(void *context, float *slopes, const float *given, size_t count, const float *row,
                          size_t columns)
{
    (void)context, (void)row, (void)columns;
    for (size_t i = 0; slopes && i < count; i++) slopes[i] = i == 0;
    return given[0];
}

TEST(a_custom_head_works_only_with_its_detector)
{
    puad_detector *forest = small_model(), *made = NULL;
    puad_scorer *scorer = NULL;
    REQUIRE(forest);
    puad_own_head head = {"first", 0, first_value, puad_loss_pair_find("logit"), NULL};
    CHECK_FAILS(scorer_new(&scorer, forest, NULL, &head), PUAD_INVALID, "'first'");
    fit_options options = fit_options_standard();
    options.method = "if";
    options.head = &head;
    CHECK_FAILS(detector_fit(&made, &rows, &options), PUAD_INVALID, "method if", "head");
    options.objective = puad_objective_find("pu_abs");
    CHECK_FAILS(detector_fit(&made, &rows, &options), PUAD_INVALID, "method if", "head");
    options.head = NULL;
    CHECK_FAILS(detector_fit(&made, &rows, &options), PUAD_INVALID, "method if", "objective");
    char name[100];
    memset(name, 'n', sizeof name);
    name[99] = 0;
    head.name = name;
    options.method = "puae";
    options.method = "pusvdd";
    options.head = &head;
    CHECK_FAILS(detector_fit(&made, &rows, &options), PUAD_INVALID, "'nnnn", "63");
    puad_detector_free(forest);
}
