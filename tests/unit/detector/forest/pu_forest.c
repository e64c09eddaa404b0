/* The size of a positive-unlabeled forest, which bounds the time to score a row. */
#include "detector/forest/pu_forest.h"

#include "base/rng.h"
#include "test.h"

enum { ROWS = 6000, COLUMNS = 4 };

/* Grows a forest on rows of which the first `anomalies` are labeled and shifted by `shift` in each column. */
static puad_status grow(random_trees *out, size_t anomalies, float shift, bool one_setting)
{
    static float values[ROWS * COLUMNS];
    static uint32_t numbers[ROWS];
    rng draws = rng_make(3, 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        numbers[i] = i;
        for (size_t c = 0; c < COLUMNS; c++)
            values[i * COLUMNS + c] = (float)rng_normal(&draws) + (i < anomalies ? shift : 0);
    }
    pu_rows rows = {.values = values,
                    .columns = COLUMNS,
                    .anomalies = numbers,
                    .anomaly_count = anomalies,
                    .unlabeled = numbers + anomalies,
                    .unlabeled_count = ROWS - anomalies,
                    .one_setting = one_setting};
    return pu_forest_fit(out, NULL, &rows, (double)NAN, 1, NULL);
}

TEST(few_labels_give_the_usual_number_of_trees)
{
    AUTO_TREES random_trees forest = {0};
    CHECK_OK(grow(&forest, 20, 3, true));
    CHECK_INT(forest.trees, PU_FOREST_ALPHAS * PU_FOREST_TREES);
}

TEST(the_size_of_a_forest_is_bounded_for_many_labels)
{
    for (int i = 0; i < 4; i++) {
        AUTO_TREES random_trees forest = {0};
        bool one_setting = i / 2;
        CHECK_OK(grow(&forest, i % 2 ? 2000 : 500, 1.5F, one_setting));
        if (one_setting) CHECK(forest.trees < PU_FOREST_ALPHAS * PU_FOREST_TREES);
        CHECK((forest.nodes - forest.trees) / 2 < PU_FOREST_STEPS * 5 / 4);
    }
}

/* Labels at random, so that trees are large. */
TEST(large_trees_are_enough_to_average)
{
    AUTO_TREES random_trees forest = {0};
    CHECK_OK(grow(&forest, 2000, 0, true));
    CHECK(forest.trees >= 200);
    CHECK(forest.trees < PU_FOREST_ALPHAS * PU_FOREST_TREES);
}
