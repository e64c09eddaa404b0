/* Requests that a fit rejects before it begins. */
#include "cli/library_values.h"
#include "detector/model/model.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

TEST(more_columns_than_a_model_file_takes_are_refused)
{
    enum { COLUMNS = ROW_SIDE_MOST + 1 };
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
    labeled_rows rows = {&value, NULL, (size_t)MODEL_ROWS_MOST + 1, 1, 1, 1};
    puad_detector *model = NULL;
    CHECK_FAILS(detector_fit(&model, &rows, NULL), PUAD_INVALID, "1000000001 rows");
    CHECK(model == NULL);
}

TEST(the_widest_rows_that_a_fit_takes_are_a_model_that_loads)
{
    float *values = calloc(4 * (size_t)ROW_SIDE_MOST, sizeof *values);
    REQUIRE(values);
    for (size_t i = 0; i < 4 * (size_t)ROW_SIDE_MOST; i++) values[i] = (float)(i * 7 % 11);
    labeled_rows rows = {.values = values, .rows = 4, .height = 1, .width = 1, .channels = ROW_SIDE_MOST};
    puad_detector *model = NULL, *again = NULL;
    fit_options options = fit_options_standard();
    options.method = "if";
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_OK(detector_fit(&model, &rows, &options));
    CHECK_OK(puad_detector_save_memory(&bytes, &size, model));
    CHECK_OK(puad_detector_load_memory(&again, bytes, size));
    CHECK_NEAR((double)info_of(again).columns, ROW_SIDE_MOST, 0);
    puad_bytes_free(bytes);
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
    labeled_rows rows = {values, labels, ROWS, 1, 1, COLUMNS};
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
