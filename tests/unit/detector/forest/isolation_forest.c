/* The isolation forest: path lengths, ranking of outliers, and the same bits for any team. */
#include "detector/forest/isolation_forest.h"
#include "base/rng.h"
#include "test.h"

enum { ROWS = 1000, COLUMNS = 5 };

/* Normal rows; the last `apart` of them are moved away. */
static float *make_rows(size_t rows, size_t columns, size_t apart, uint64_t seed)
{
    float *values = malloc(rows * columns * sizeof *values);
    rng draws = rng_make(seed, rng_stream("rows", 0));
    for (size_t i = 0; i < rows * columns; i++) values[i] = (float)rng_normal(&draws);
    for (size_t i = (rows - apart) * columns; i < rows * columns; i++) values[i] += 6;
    return values;
}

static void fit_and_score(float *scores, isolation_forest *forest, const float *values, size_t rows,
                          size_t columns, uint64_t seed, int threads)
{
    team *workers = NULL;
    CHECK_OK(team_new(&workers, threads));
    CHECK_OK(isolation_forest_fit(forest, values, rows, columns, FOREST_TREES, FOREST_SAMPLE, seed, workers));
    CHECK_OK(isolation_forest_check(forest));
    isolation_forest_score(scores, forest, values, rows, workers);
    team_free(workers);
}

TEST(average_path_lengths_are_the_published_ones)
{
    CHECK_NEAR(isolation_average_path(0), 0, 0);
    CHECK_NEAR(isolation_average_path(1), 0, 0);
    CHECK_NEAR(isolation_average_path(2), 1, 0);
    CHECK_NEAR(isolation_average_path(5), 2.327020052042847, 1e-12);
    CHECK_NEAR(isolation_average_path(999), 12.967939922, 1e-6);
}

TEST(outliers_score_highest)
{
    AUTO_FREE float *values = make_rows(ROWS, COLUMNS, 10, 1);
    float scores[ROWS];
    AUTO_FOREST isolation_forest forest = {0};
    fit_and_score(scores, &forest, values, ROWS, COLUMNS, 0, 1);
    float least_apart = 1, most_normal = 0;
    for (int i = 0; i < ROWS; i++) {
        CHECK(scores[i] > 0 && scores[i] < 1);
        if (i >= ROWS - 10)
            least_apart = fminf(least_apart, scores[i]);
        else
            most_normal = fmaxf(most_normal, scores[i]);
    }
    CHECK(least_apart > most_normal);
}

TEST(one_two_and_three_threads_give_the_same_bits)
{
    AUTO_FREE float *values = make_rows(ROWS + 7, COLUMNS, 10, 2);
    float scores[3][ROWS + 7];
    AUTO_FOREST isolation_forest first = {0}, second = {0}, third = {0};
    fit_and_score(scores[0], &first, values, ROWS + 7, COLUMNS, 3, 1);
    fit_and_score(scores[1], &second, values, ROWS + 7, COLUMNS, 3, 2);
    fit_and_score(scores[2], &third, values, ROWS + 7, COLUMNS, 3, 3);
    size_t nodes = first.trees * 255;
    CHECK(memcmp(first.threshold, second.threshold, nodes * sizeof(float)) == 0);
    CHECK(memcmp(first.feature, third.feature, nodes * sizeof(int32_t)) == 0);
    CHECK(memcmp(scores[0], scores[1], sizeof scores[0]) == 0);
    CHECK(memcmp(scores[0], scores[2], sizeof scores[0]) == 0);
}

TEST(another_seed_grows_another_forest)
{
    AUTO_FREE float *values = make_rows(ROWS, COLUMNS, 0, 2);
    float scores[2][ROWS];
    AUTO_FOREST isolation_forest first = {0}, second = {0};
    fit_and_score(scores[0], &first, values, ROWS, COLUMNS, 3, 1);
    fit_and_score(scores[1], &second, values, ROWS, COLUMNS, 4, 1);
    CHECK(memcmp(scores[0], scores[1], sizeof scores[0]) != 0);
}

TEST(a_row_scores_the_same_alone_and_among_others)
{
    AUTO_FREE float *values = make_rows(ROWS, COLUMNS, 10, 4);
    float scores[ROWS];
    AUTO_FOREST isolation_forest forest = {0};
    fit_and_score(scores, &forest, values, ROWS, COLUMNS, 0, 2);
    for (int i = 0; i < ROWS; i += 37) {
        float alone;
        isolation_forest_score(&alone, &forest, values + i * COLUMNS, 1, NULL);
        CHECK(alone == scores[i]);
    }
}

/* Path lengths by hand: every tree on {0, 1} splits between them, so each path is 1 and c(2) = 1. */
TEST(two_different_rows_score_one_half)
{
    float values[2] = {0, 1}, scores[2];
    AUTO_FOREST isolation_forest forest = {0};
    fit_and_score(scores, &forest, values, 2, 1, 0, 1);
    CHECK_INT(forest.depth, 1);
    CHECK_NEAR(scores[0], 0.5, 1e-7);
    CHECK_NEAR(scores[1], 0.5, 1e-7);
}

TEST(a_single_row_scores_one_half)
{
    float values[3] = {1, 2, 3}, scores[1];
    AUTO_FOREST isolation_forest forest = {0};
    fit_and_score(scores, &forest, values, 1, 3, 0, 1);
    CHECK_NEAR(scores[0], 0.5, 1e-7);
}

TEST(constant_data_scores_one_half_everywhere)
{
    float values[300 * 2], scores[300];
    for (int i = 0; i < 600; i++) values[i] = 7;
    AUTO_FOREST isolation_forest forest = {0};
    fit_and_score(scores, &forest, values, 300, 2, 0, 2);
    for (int i = 0; i < 300; i++) CHECK_NEAR(scores[i], 0.5, 1e-7);
}

/* If columns were drawn among all, 99 of 100 nodes would end the tree at once. */
TEST(constant_columns_are_never_split_on)
{
    float *values = calloc(400 * 100, sizeof *values), scores[400];
    for (int i = 0; i < 400; i++) values[i * 100 + 63] = i == 200 ? 5000 : (float)i;
    AUTO_FOREST isolation_forest forest = {0};
    fit_and_score(scores, &forest, values, 400, 100, 0, 1);
    size_t splits = 0;
    for (size_t i = 0; i < forest.trees * 255; i++)
        if (isfinite(forest.threshold[i])) {
            CHECK_INT(forest.feature[i], 63);
            splits++;
        }
    CHECK(splits > 100 * 40);
    for (int i = 0; i < 400; i++) CHECK(scores[i] <= scores[200]);
    free(values);
}

TEST(columns_that_vary_are_split_on_equally_often_at_the_root)
{
    AUTO_FREE float *values = make_rows(ROWS, COLUMNS, 0, 9);
    AUTO_FOREST isolation_forest forest = {0};
    for (int i = 0; i < ROWS; i++) values[i * COLUMNS + 1] = 3; /* one constant column */
    CHECK_OK(isolation_forest_fit(&forest, values, ROWS, COLUMNS, 2000, 64, 0, NULL));
    int roots[COLUMNS] = {0};
    for (size_t tree = 0; tree < 2000; tree++) roots[forest.feature[tree * 63]]++;
    CHECK_INT(roots[1], 0);
    for (int column = 0; column < COLUMNS; column++)
        if (column != 1) CHECK_NEAR(roots[column], 500, 80);
}

TEST(duplicates_score_the_same_and_lower_than_a_lone_row)
{
    float values[500], scores[500];
    for (int i = 0; i < 500; i++) values[i] = i < 499 ? (float)(i % 2) : 9;
    AUTO_FOREST isolation_forest forest = {0};
    fit_and_score(scores, &forest, values, 500, 1, 0, 1);
    for (int i = 2; i < 499; i++) CHECK(scores[i] == scores[i % 2]);
    CHECK(scores[499] > scores[0] && scores[499] > scores[1]);
}

TEST(fewer_rows_than_the_sample_use_all_of_them_and_a_smaller_depth)
{
    AUTO_FREE float *values = make_rows(100, 3, 2, 5);
    float scores[100];
    AUTO_FOREST isolation_forest forest = {0};
    fit_and_score(scores, &forest, values, 100, 3, 0, 1);
    CHECK_INT(forest.sample, 100);
    CHECK_INT(forest.depth, 7);
    for (int i = 0; i < 98; i++) CHECK(scores[i] < scores[98] && scores[i] < scores[99]);
}

/* A pair with the same row twice is constant and cannot be split. The threshold lies between the two rows,
 * so the mean over trees is that of all pairs. */
TEST(a_sample_holds_no_row_twice_and_every_row_equally_often)
{
    float values[5] = {0, 1, 2, 3, 4};
    AUTO_FOREST isolation_forest forest = {0};
    CHECK_OK(isolation_forest_fit(&forest, values, 5, 1, 5000, 2, 0, NULL));
    double sum = 0;
    for (size_t tree = 0; tree < 5000; tree++) {
        CHECK(isfinite(forest.threshold[tree]));
        sum += forest.threshold[tree];
    }
    CHECK_NEAR(sum / 5000, 2, 0.06);
}

TEST(extreme_values_are_split_and_scored)
{
    float values[64], scores[64];
    for (int i = 0; i < 64; i++) values[i] = i % 2 ? 3.4e38F : -3.4e38F;
    values[0] = 0;
    AUTO_FOREST isolation_forest forest = {0};
    fit_and_score(scores, &forest, values, 64, 1, 0, 1);
    for (int i = 0; i < 64; i++) CHECK(isfinite(scores[i]));
}

TEST(sizes_out_of_range_are_refused)
{
    float value = 0;
    isolation_forest forest = {0};
    CHECK_FAILS(isolation_forest_fit(&forest, &value, 0, 1, 100, 256, 0, NULL), PUAD_INVALID, "0 rows",
                "4294967295");
    CHECK_FAILS(isolation_forest_fit(&forest, &value, 1, 0, 100, 256, 0, NULL), PUAD_INVALID, "0 columns",
                "2147483647");
    CHECK_FAILS(isolation_forest_fit(&forest, &value, 1, 1, 0, 256, 0, NULL), PUAD_INVALID, "0 trees",
                "100000");
    CHECK_FAILS(isolation_forest_new(&forest, 100, 17, 256, 3), PUAD_INVALID, "17", "16");
}

TEST(a_forest_with_a_column_out_of_range_is_refused)
{
    AUTO_FREE float *values = make_rows(100, 3, 2, 5);
    AUTO_FOREST isolation_forest forest = {0};
    CHECK_OK(isolation_forest_fit(&forest, values, 100, 3, 10, 64, 0, NULL));
    CHECK_OK(isolation_forest_check(&forest));
    forest.feature[17] = 3;
    CHECK_FAILS(isolation_forest_check(&forest), PUAD_FORMAT, "node 17");
    forest.feature[17] = 0;
    forest.path[5] = NAN;
    CHECK_FAILS(isolation_forest_check(&forest), PUAD_FORMAT, "leaf 5");
}
