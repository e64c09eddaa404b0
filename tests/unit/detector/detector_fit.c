/* Requests that a fit rejects before it begins. */
#include "cli/library_values.h"
#include "detector/model/model.h"

#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST(more_columns_than_a_model_file_takes_are_refused)
{
    enum { COLUMNS = ROW_SIDE_MAX + 1 };
    float *values = calloc(2 * (size_t)COLUMNS, sizeof *values);
    REQUIRE(values);
    labeled_rows rows = {.values = values, .rows = 2, .height = 1, .width = 1, .channels = COLUMNS};
    puad_detector *model = NULL;
    fit_options options = fit_options_standard();
    options.method = "if";
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "1000001 columns", "1000000");
    rows.height = COLUMNS;
    rows.width = 2;
    rows.channels = rows.rows = 1;
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "1000001 x 2 x 1", "1000000");
    CHECK(model == NULL);
    free(values);
}

TEST(more_rows_than_a_model_file_takes_are_refused_unread)
{
    const float value = 1;
    labeled_rows rows = {&value, NULL, (size_t)MODEL_ROWS_MAX + 1, 1, 1, 1, NULL};
    puad_detector *model = NULL;
    CHECK_FAILS(detector_fit(&model, &rows, NULL), PUAD_INVALID, "1000000001 rows");
    CHECK(model == NULL);
}

TEST(the_widest_rows_that_a_fit_takes_are_a_model_that_loads)
{
    float *values = calloc(4 * (size_t)ROW_SIDE_MAX, sizeof *values);
    REQUIRE(values);
    for (size_t i = 0; i < 4 * (size_t)ROW_SIDE_MAX; i++) values[i] = (float)(i * 7 % 11);
    labeled_rows rows = {.values = values, .rows = 4, .height = 1, .width = 1, .channels = ROW_SIDE_MAX};
    puad_detector *model = NULL, *again = NULL;
    fit_options options = fit_options_standard();
    options.method = "if";
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_OK(detector_fit(&model, &rows, &options));
    CHECK_OK(puad_detector_save_memory(&bytes, &size, model));
    CHECK_OK(puad_detector_load_memory(&again, bytes, size));
    CHECK_NEAR((double)info_of(again).columns, ROW_SIDE_MAX, 0);
    puad_free(bytes);
    puad_detector_free(model);
    puad_detector_free(again);
    free(values);
}

TEST(the_center_of_an_unsupervised_method_does_not_depend_on_labeled_rows)
{
    enum { ROWS = 60, COLUMNS = 3 };
    float values[ROWS * COLUMNS], scores[2][ROWS];
    int8_t labels[ROWS];
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = (float)(i * 37 % 101) / 50 - 1;
    for (int i = 0; i < ROWS; i++) labels[i] = i < 6 ? PUAD_LABEL_ANOMALY : PUAD_LABEL_UNLABELED;
    labeled_rows rows = {values, labels, ROWS, 1, 1, COLUMNS, NULL};
    fit_options options = fit_options_standard();
    options.method = "deepsvdd";
    options.network = "mlp";
    options.epochs = 2;
    options.steps = 0;
    for (int turn = 0; turn < 2; turn++) {
        puad_detector *model = NULL;
        puad_scorer *scorer = NULL;
        CHECK_OK(detector_fit(&model, &rows, &options));
        CHECK_OK(scorer_new(&scorer, model, NULL, NULL));
        for (int i = 0; i < 6 * COLUMNS; i++) values[i] = 50; /* far outliers; the same rows are scored */
        CHECK_OK(scorer_run(scorer, scores[turn], values, ROWS));
        puad_scorer_free(scorer);
        puad_detector_free(model);
    }
    CHECK(memcmp(scores[0], scores[1], sizeof scores[0]) == 0);
}

/* 32x32 images of noise; the first third are labeled anomalies, with a brighter middle. */
static labeled_rows noise_images(size_t rows)
{
    static float values[60 * 1024];
    static int8_t labels[60];
    rng draws = rng_make(8, 0);
    for (size_t i = 0; i < rows * 1024; i++) {
        size_t x = i % 32;
        labels[i / 1024] = i / 1024 < rows / 3;
        values[i] = (float)rng_uniform(&draws) + (float)(labels[i / 1024] && x > 8 && x < 24);
    }
    return (labeled_rows){values, labels, rows, 32, 32, 1, NULL};
}

static void mirror_lines(float *to, const float *source, size_t lines)
{
    for (size_t i = 0; i < lines * 32; i++) to[i] = source[i / 32 * 32 + 31 - i % 32];
}

TEST(a_mirror_image_has_the_score_of_the_image_if_training_images_were_mirrored)
{
    enum { ROWS = 60 };
    static float mirrored[ROWS * 1024];
    float scores[2][ROWS];
    labeled_rows rows = noise_images(ROWS);
    mirror_lines(mirrored, rows.values, ROWS * 32);
    const char *const settings[] = {"augment=flip", "augment=shift"};
    for (int i = 0; i < 2; i++) {
        fit_options options = fit_options_standard();
        puad_detector *model = NULL;
        puad_scorer *scorer = NULL;
        options.method = "pulogistic";
        options.epochs = 1;
        options.steps = 0;
        options.settings = &settings[i];
        options.setting_count = 1;
        CHECK_OK(detector_fit(&model, &rows, &options));
        CHECK_OK(scorer_new(&scorer, model, NULL, NULL));
        CHECK_OK(scorer_run(scorer, scores[0], rows.values, ROWS));
        CHECK_OK(scorer_run(scorer, scores[1], mirrored, ROWS));
        double max = 0;
        for (size_t j = 0; j < ROWS; j++) max = fmax(max, fabs((double)(scores[0][j] - scores[1][j])));
        CHECK((max < 1e-5) == (i == 0));
        puad_scorer_free(scorer);
        puad_detector_free(model);
    }
}

TEST(a_model_keeps_what_was_chosen_from_the_images)
{
    puad_detector *model = NULL;
    labeled_rows rows = noise_images(60);
    fit_options options = fit_options_standard();
    options.method = "pulogistic";
    options.epochs = 1;
    options.steps = 0;
    CHECK_OK(detector_fit(&model, &rows, &options)); /* symmetric noise */
    CHECK_INT(model->config.augment, AUGMENT_FLIP);
    CHECK_NEAR(model->config.turned, 1.0 / 3, 1e-12);
    CHECK_NEAR(model->config.learning_rate, 1e-3, 0);
    puad_detector_free(model);
    float *first = (float *)(uintptr_t)rows.values;
    for (size_t i = 0; i < rows.rows * 1024; i++) first[i] += i % 32 == 3; /* a line on the left */
    CHECK_OK(detector_fit(&model, &rows, &options));
    CHECK_INT(model->config.augment, AUGMENT_SHIFT);
    CHECK_NEAR(model->config.learning_rate, 1e-4, 1e-12);
    puad_detector_free(model);
}
