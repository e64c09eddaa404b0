/* What the public calls promise about their arguments. */
#include "test.h"

#include <puad/puad.h>

enum { ROWS = 30, COLUMNS = 2 };

static float values[ROWS * COLUMNS];
static puad_rows rows = {values, NULL, ROWS, 1, 1, COLUMNS};

/* A forest, which is trained in no time. */
static puad_detector *small_model(void)
{
    puad_detector *model = NULL;
    puad_fit_options options = puad_fit_options_standard();
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = (float)(i * 7 % 11);
    options.method = "if";
    options.threads = 1;
    if (puad_detector_fit(&model, &rows, &options) != PUAD_OK) TEST_FAIL("%s", puad_last_error());
    return model;
}

TEST(out_is_null_after_a_failure)
{
    int some = 0;
    puad_fit_options wrong = puad_fit_options_standard();
    puad_dataset_options odd = {.decimal = 'x'};
    puad_detector *model = small_model();
    REQUIRE(model);
    wrong.method = "none such";
    int8_t labels[ROWS] = {7};
    puad_dataset *data = NULL;
    CHECK_OK(puad_dataset_from_floats(&data, values, ROWS, COLUMNS, NULL));
#define CHECK_NULLED(type, call)                                                                             \
    do {                                                                                                     \
        type *out = (void *)&some;                                                                           \
        CHECK((call) != PUAD_OK);                                                                            \
        CHECK(out == NULL);                                                                                  \
    } while (0)
    CHECK_NULLED(puad_dataset, puad_dataset_open(&out, test_path("absent"), NULL));
    CHECK_NULLED(puad_dataset, puad_dataset_open(&out, NULL, NULL));
    CHECK_NULLED(puad_dataset, puad_dataset_open(&out, "x.csv", &odd));
    CHECK_NULLED(puad_dataset, puad_dataset_open_for(&out, model, "x.csv", NULL));
    CHECK_NULLED(puad_dataset, puad_dataset_from_floats(&out, NULL, 1, 1, NULL));
    CHECK_NULLED(puad_dataset, puad_dataset_from_floats(&out, values, ROWS, COLUMNS, labels));
    CHECK_NULLED(puad_dataset, puad_dataset_from_images(&out, (void *)values, 1, 1, 1, 2, NULL));
    CHECK_NULLED(puad_detector, puad_detector_fit(&out, &rows, &wrong));
    CHECK_NULLED(puad_detector, puad_detector_fit_dataset(&out, data, &wrong));
    CHECK_NULLED(puad_detector, puad_detector_fit_dataset(&out, NULL, NULL));
    CHECK_NULLED(puad_detector, puad_detector_load(&out, test_path("absent")));
    puad_dataset_free(data);
    puad_detector_free(model);
}
