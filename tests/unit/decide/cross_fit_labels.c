/* A labeled anomaly's score is from a model trained without it. */
#include "decide/cross_fit_labels.h"

#include "base/rng.h"
#include "test.h"

enum { ROWS = 306, COLUMNS = 3, LABELED = 6 };
static float values[ROWS * COLUMNS];
static int8_t labels[ROWS];

static labeled_rows make_rows(void)
{
    rng draws = rng_make(1, rng_stream("rows", 0));
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = i % 51 == 0;
        for (size_t c = 0; c < COLUMNS; c++)
            values[i * COLUMNS + c] = (float)(rng_normal(&draws) + (labels[i] ? 3 : 0));
    }
    return (labeled_rows){values, labels, ROWS, 1, 1, COLUMNS, NULL};
}

TEST(a_fold_is_scored_by_a_model_without_it)
{
    labeled_rows rows = make_rows();
    fit_options options = fit_options_standard();
    options.method = "committee";
    uint32_t which[LABELED];
    float scores[LABELED], expected;
    for (uint32_t i = 0; i < LABELED; i++) which[i] = 51 * i;
    CHECK_OK(fold_labels(scores, which, LABELED, &rows, &(fold_scale){0}, &options));
    for (size_t left_out = 0; left_out < LABELED; left_out++) { /* fewer labels than folds: one by one */
        static float kept[ROWS * COLUMNS];
        static int8_t kept_labels[ROWS];
        size_t count = 0;
        for (size_t i = 0; i < ROWS; i++) {
            if (i == which[left_out]) continue;
            for (size_t c = 0; c < COLUMNS; c++) kept[count * COLUMNS + c] = values[i * COLUMNS + c];
            kept_labels[count++] = labels[i];
        }
        labeled_rows without = {kept, kept_labels, count, 1, 1, COLUMNS, NULL};
        puad_detector *model = NULL;
        puad_scorer *scorer = NULL;
        CHECK_OK(detector_fit(&model, &without, &options));
        CHECK_OK(scorer_new(&scorer, model, NULL, NULL));
        CHECK_OK(scorer_run(scorer, &expected, values + which[left_out] * COLUMNS, 1));
        CHECK_NEAR(scores[left_out], expected, 1e-6);
        puad_scorer_free(scorer);
        puad_detector_free(model);
    }
}

TEST(a_score_keeps_its_place_on_another_scale)
{
    static const float source[] = {0, 1, 1, 1, 3}, to[] = {10, 20, 30, 40, 50};
    CHECK_NEAR(fold_rescale(0, source, to, 5), 10, 1e-6);
    CHECK_NEAR(fold_rescale(0.5F, source, to, 5), 15, 1e-6);
    CHECK_NEAR(fold_rescale(1, source, to, 5), 30, 1e-6); /* the middle of those that tie */
    CHECK_NEAR(fold_rescale(2, source, to, 5), 45, 1e-6);
    CHECK_NEAR(fold_rescale(4, source, to, 5), 50, 1e-6);
    CHECK_NEAR(fold_rescale(60, source, to, 5), 60, 1e-6); /* fractions remain fractions */
    CHECK_NEAR(fold_rescale(-1, source, to, 5), -1, 1e-6);
}

/* Uninformative labels have an AUROC of one half, even if the fold models give lower scores. */
TEST(models_of_fewer_labels_do_not_lower_the_ranks_of_labels)
{
    enum { TRAIN = 400, HELD = 300, LABELS = 100, WIDTH = 4 };
    static float all[(TRAIN + HELD) * WIDTH], held_scores[HELD], scores[LABELS];
    static int8_t marks[TRAIN];
    static uint32_t which[LABELS];
    double sum = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        rng draws = rng_make(seed, rng_stream("rows", 1));
        for (size_t i = 0; i < (TRAIN + HELD) * WIDTH; i++) all[i] = (float)rng_normal(&draws);
        for (size_t i = 0; i < TRAIN; i++) marks[i] = i < LABELS;
        for (size_t i = 0; i < LABELS; i++) which[i] = (uint32_t)i;
        labeled_rows rows = {all, marks, TRAIN, 1, 1, WIDTH, NULL};
        fit_options options = fit_options_standard();
        options.method = "committee";
        options.seed = seed;
        puad_detector *model = NULL;
        puad_scorer *scorer = NULL;
        CHECK_OK(detector_fit(&model, &rows, &options));
        CHECK_OK(scorer_new(&scorer, model, NULL, NULL));
        CHECK_OK(scorer_run(scorer, held_scores, all + TRAIN * WIDTH, HELD));
        fold_scale scale = {all + TRAIN * WIDTH, held_scores, HELD};
        CHECK_OK(fold_labels(scores, which, LABELS, &rows, &scale, &options));
        for (size_t i = 0; i < LABELS; i++)
            for (size_t k = 0; k < HELD; k++) sum += scores[i] > held_scores[k];
        puad_scorer_free(scorer);
        puad_detector_free(model);
    }
    CHECK_NEAR(sum / (4.0 * LABELS * HELD), 0.5, 0.05);
}
