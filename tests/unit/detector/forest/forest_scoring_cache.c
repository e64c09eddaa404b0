/* Prepared forests give the bits of walking: small trees and large, values at thresholds, incomplete
 * groups of rows, and forests that cannot be prepared. */
#include "detector/forest/forest_scoring_cache.h"

#include "base/rng.h"
#include "test.h"

enum { ROWS = 700, COLUMNS = 5, POSITIVES = 60 };

static void make_rows(float *values, uint32_t *numbers)
{
    rng draws = rng_make(4, rng_stream("rows", 0));
    /* Few different values in two columns, so that many lie at a threshold. */
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = i % COLUMNS < 2 ? (float)rng_below(&draws, 4) : (float)rng_normal(&draws);
    for (int i = 0; i < POSITIVES; i++) values[i * COLUMNS + 3] += 2;
    for (uint32_t i = 0; i < ROWS; i++) numbers[i] = i;
}

static puad_status grow(ensemble *parts, const float *values, const uint32_t *numbers, size_t sample)
{
    trees_plan plan = {.values = values,
                       .columns = COLUMNS,
                       .positives = numbers,
                       .positive_count = POSITIVES,
                       .negatives = numbers + POSITIVES,
                       .negative_count = ROWS - POSITIVES,
                       .trees = 37,
                       .sample = sample,
                       .seed = 5,
                       .stream = "test"};
    TRY(random_trees_grow(&parts->trees, &plan, NULL));
    return isolation_forest_fit(&parts->isolation, values, ROWS, COLUMNS, 21, 128, 6, NULL);
}

static void check_same(const ensemble *parts, const float *values, size_t rows)
{
    static float walked[2][ROWS], made[2][ROWS];
    ready_trees ready;
    AUTO_ARENA arena scratch = {0};
    CHECK_OK(ready_trees_make(&ready, parts));
    CHECK(ready.isolation.trees == parts->isolation.trees && ready.trees.trees == parts->trees.trees);
    CHECK_OK(forests_score(walked[0], walked[1], parts, NULL, values, NULL, rows, NULL, &scratch));
    CHECK_OK(forests_score(made[0], made[1], parts, &ready, values, NULL, rows, NULL, &scratch));
    for (int i = 0; i < 2; i++)
        for (size_t row = 0; row < rows; row++)
            if (made[i][row] != walked[i][row])
                TEST_FAIL("%s, %zu rows: row %zu has %.9g, walking %.9g", i ? "trees" : "isolation", rows,
                          row, (double)made[i][row], (double)walked[i][row]);
    ready_trees_free(&ready);
}

TEST(scores_have_the_bits_of_walking)
{
    static float values[ROWS * COLUMNS];
    static uint32_t numbers[ROWS];
    make_rows(values, numbers);
    const size_t samples[] = {2, 30, 500}, rows[] = {1, 15, 16, 47, 48, 64, 65, ROWS};
    for (int s = 0; s < 3; s++) {
        ensemble parts = {0};
        CHECK_OK(grow(&parts, values, numbers, samples[s]));
        for (int r = 0; r < 8; r++) check_same(&parts, values, rows[r]);
        ensemble_free(&parts);
    }
}

TEST(leaves_that_are_not_multiples_of_the_unit_are_refused)
{
    static float values[ROWS * COLUMNS];
    static uint32_t numbers[ROWS];
    make_rows(values, numbers);
    ensemble parts = {0};
    CHECK_OK(grow(&parts, values, numbers, 30));
    CHECK_OK(random_trees_check(&parts.trees));
    CHECK_OK(isolation_forest_check(&parts.isolation));
    for (size_t i = 0; i < parts.trees.nodes; i++)
        if (parts.trees.feature[i] < 0) parts.trees.threshold[i] *= 0.99999F;
    parts.isolation.path[0] += 1e-5F;
    CHECK_FAILS(random_trees_check(&parts.trees), PUAD_FORMAT, "node");
    CHECK_FAILS(isolation_forest_check(&parts.isolation), PUAD_FORMAT, "leaf");
    ensemble_free(&parts);
}

/* The sums of damaged coded trees differ, so that equal scores show which rows were walked. */
TEST(few_rows_are_walked_even_if_forests_are_prepared)
{
    static float values[ROWS * COLUMNS], walked[2][ROWS], scores[2][ROWS];
    static uint32_t numbers[ROWS];
    make_rows(values, numbers);
    ensemble parts = {0};
    ready_trees ready;
    AUTO_ARENA arena scratch = {0};
    CHECK_OK(grow(&parts, values, numbers, 30));
    CHECK_OK(ready_trees_make(&ready, &parts));
    for (size_t i = 0; i < ready.trees.trees; i++) ready.trees.first[i] += 100;
    for (size_t i = 0; i < ready.isolation.trees; i++) ready.isolation.first[i] += 100;
    CHECK_OK(forests_score(walked[0], walked[1], &parts, NULL, values, NULL, ROWS, NULL, &scratch));
    CHECK_OK(forests_score(scores[0], scores[1], &parts, &ready, values, NULL, 8, NULL, &scratch));
    for (int i = 0; i < 2; i++) CHECK(memcmp(walked[i], scores[i], 8 * sizeof **scores) == 0);
    CHECK_OK(forests_score(scores[0], scores[1], &parts, &ready, values, NULL, 64, NULL, &scratch));
    for (int i = 0; i < 2; i++) CHECK(memcmp(walked[i], scores[i], 64 * sizeof **scores) != 0);
    ready_trees_free(&ready);
    ensemble_free(&parts);
}
