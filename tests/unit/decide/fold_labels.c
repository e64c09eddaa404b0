/* A labeled anomaly's score is that of a model that was trained without it. */
#include "decide/fold_labels.h"

#include "base/rng.h"
#include "test.h"

enum { ROWS = 306, COLUMNS = 3, LABELED = 6 };
static float values[ROWS * COLUMNS];
static int8_t labels[ROWS];

static puad_rows make_rows(void)
{
    rng draws = rng_make(1, rng_stream("rows", 0));
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = i % 51 == 0;
        for (size_t c = 0; c < COLUMNS; c++)
            values[i * COLUMNS + c] = (float)(rng_normal(&draws) + (labels[i] ? 3 : 0));
    }
    return (puad_rows){values, labels, ROWS, 1, 1, COLUMNS};
}

TEST(a_fold_is_scored_by_a_model_without_it)
{
    puad_rows rows = make_rows();
    puad_fit_options options = puad_fit_options_standard();
    options.method = "committee";
    options.threads = 1;
    uint32_t which[LABELED];
    float scores[LABELED], expected;
    for (uint32_t i = 0; i < LABELED; i++) which[i] = 51 * i;
    CHECK_OK(fold_labels(scores, which, LABELED, &rows, &options));
    for (size_t left_out = 0; left_out < LABELED; left_out++) { /* fewer labels than folds: one by one */
        static float kept[ROWS * COLUMNS];
        static int8_t kept_labels[ROWS];
        size_t count = 0;
        for (size_t i = 0; i < ROWS; i++) {
            if (i == which[left_out]) continue;
            for (size_t c = 0; c < COLUMNS; c++) kept[count * COLUMNS + c] = values[i * COLUMNS + c];
            kept_labels[count++] = labels[i];
        }
        puad_rows without = {kept, kept_labels, count, 1, 1, COLUMNS};
        puad_detector *model = NULL;
        puad_scorer *scorer = NULL;
        CHECK_OK(detector_fit(&model, &without, &options));
        CHECK_OK(scorer_new(&scorer, model, 1, NULL));
        CHECK_OK(scorer_run(scorer, &expected, values + which[left_out] * COLUMNS, 1));
        CHECK_NEAR(scores[left_out], expected, 1e-6);
        puad_scorer_free(scorer);
        puad_detector_free(model);
    }
}
