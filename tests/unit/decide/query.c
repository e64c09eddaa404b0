/* Queries take the top and unlike rows of the next ranks, never repeat, and follow the seed. */
#include "decide/query.h"

#include "base/rng.h"
#include "test.h"

enum { CLUSTERS = 8, EACH = 50, ROWS = CLUSTERS * EACH, COLUMNS = 10 };

/* Tight clusters far from one another. */
static void make(float *values)
{
    rng draws = rng_make(1, 1);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            values[row * COLUMNS + column] =
                (float)(0.01 * rng_normal(&draws) + (row / EACH == column ? 10 : 0));
}

/* The scores of clusters decrease, the first cluster has the highest ones. */
static void make_scores(float *scores)
{
    for (int row = 0; row < ROWS; row++) scores[row] = -(float)row;
}

TEST(one_row_in_ten_covers_clusters_below_the_top)
{
    float values[ROWS * COLUMNS], scores[ROWS];
    make(values);
    make_scores(scores);
    size_t chosen[70], count, seen[CLUSTERS] = {0};
    query_rows rows = {values, ROWS, COLUMNS, scores, 0, NULL, QUERY_FIND};
    CHECK_OK(query_choose(chosen, &count, &rows, 70, 0, NULL));
    CHECK_INT(count, 70);
    for (size_t i = 0; i < 63; i++) CHECK_INT(chosen[i], i);
    /* Ranks 63 to 209 reach into the fifth cluster; the second is at the top. */
    for (size_t i = 63; i < count; i++) {
        CHECK(chosen[i] >= 63 && chosen[i] < 210);
        seen[chosen[i] / EACH]++;
    }
    for (int cluster = 2; cluster < 5; cluster++) CHECK(seen[cluster] >= 1);
}

TEST(kinds_that_were_reviewed_are_not_chosen_for_diversity)
{
    float values[ROWS * COLUMNS], scores[ROWS];
    uint8_t asked[ROWS] = {0};
    make(values);
    make_scores(scores);
    for (int cluster = 2; cluster < 8; cluster += 2) asked[cluster * EACH + 7] = QUERY_ASKED;
    size_t chosen[20], count;
    query_rows rows = {values, ROWS, COLUMNS, scores, 0, asked, QUERY_FIND};
    for (int row = 0; row < 2 * EACH; row++) asked[row] = row % 10 ? QUERY_BARRED : QUERY_FREE;
    CHECK_OK(query_choose(chosen, &count, &rows, 20, 0, NULL));
    CHECK_INT(count, 20);
    for (size_t i = 0; i < count; i++) CHECK(!asked[chosen[i]]);
    /* Ten rows are left in the two first clusters, then eight of the third: all at the top. */
    for (size_t i = 10; i < 18; i++) CHECK_INT(chosen[i] / EACH, 2);
    CHECK_INT(chosen[0], 0);
}

TEST(every_row_is_queried_once)
{
    float values[20] = {0}, scores[20] = {0}; /* all equal: distances are uninformative */
    uint8_t asked[20] = {0};
    asked[7] = QUERY_ASKED;
    size_t chosen[30], count;
    bool seen[20] = {false};
    query_rows rows = {values, 20, 1, scores, 0, asked, QUERY_FIND};
    CHECK_OK(query_choose(chosen, &count, &rows, 30, 0, NULL));
    CHECK_INT(count, 19);
    for (size_t i = 0; i < count; i++) {
        CHECK(!seen[chosen[i]] && chosen[i] != 7);
        seen[chosen[i]] = true;
    }
}

/* One in twenty is an anomaly; those of the second kind score lower. */
TEST(anomalies_of_a_kind_that_scores_lower_are_found)
{
    enum { COUNT = 2000, ASKED = 40 };
    static float values[COUNT * 2], scores[COUNT];
    size_t chosen[ASKED], count, found[3] = {0};
    rng draws = rng_make(3, 3);
    for (int i = 0; i < COUNT; i++) {
        int kind = i % 20 ? 0 : 1 + i / 20 % 2;
        values[2 * i] = (float)(rng_normal(&draws) + (kind == 1 ? 8 : 0));
        values[2 * i + 1] = (float)(rng_normal(&draws) + (kind == 2 ? 8 : 0));
        scores[i] = (float)(0.5 * rng_normal(&draws) + (kind == 1 ? 6 : kind == 2 ? 2 : 0));
    }
    query_rows rows = {values, COUNT, 2, scores, 0.05, NULL, QUERY_FIND};
    CHECK_OK(query_choose(chosen, &count, &rows, ASKED, 0, NULL));
    for (size_t i = 0; i < count; i++) found[chosen[i] % 20 ? 0 : 1 + chosen[i] / 20 % 2]++;
    CHECK_INT(found[1], 36); /* the top */
    CHECK(found[2] >= 1);
}

TEST(threads_do_not_matter_and_the_seed_decides_what_is_random)
{
    float values[ROWS * COLUMNS], scores[ROWS];
    make(values);
    make_scores(scores);
    size_t chosen[3][30], other[30], count;
    for (int threads = 1; threads <= 3; threads++) {
        team *workers = NULL;
        CHECK_OK(team_new(&workers, threads));
        query_rows rows = {values, ROWS, COLUMNS, scores, 0, NULL, QUERY_FIND};
        CHECK_OK(query_choose(chosen[threads - 1], &count, &rows, 30, 5, workers));
        team_free(workers);
    }
    CHECK(memcmp(chosen[0], chosen[1], sizeof chosen[0]) == 0);
    CHECK(memcmp(chosen[0], chosen[2], sizeof chosen[0]) == 0);
    query_rows rows = {values, ROWS, COLUMNS, scores, 0.1, NULL, QUERY_LEARN};
    CHECK_OK(query_choose(chosen[0], &count, &rows, 30, 5, NULL));
    CHECK_OK(query_choose(chosen[1], &count, &rows, 30, 5, NULL));
    CHECK_OK(query_choose(other, &count, &rows, 30, 6, NULL));
    CHECK(memcmp(chosen[0], chosen[1], sizeof chosen[0]) == 0);
    CHECK(memcmp(chosen[0], other, sizeof other) != 0);
}

TEST(embeddings_that_are_not_finite_are_refused)
{
    float values[4] = {1, 2, INFINITY, 3}, scores[2] = {0};
    size_t chosen[1], count;
    query_rows rows = {values, 2, 2, scores, 0, NULL, QUERY_FIND};
    CHECK_FAILS(query_choose(chosen, &count, &rows, 1, 0, NULL), PUAD_NUMERIC, "row 1");
    rows.rows = 0;
    CHECK_FAILS(query_choose(chosen, &count, &rows, 1, 0, NULL), PUAD_INVALID, "rows");
}

TEST(find_queries_the_top_and_learn_queries_the_rank_where_anomalies_end)
{
    enum { COUNT = 1000, ASKED = 40 };
    float values[COUNT * 2], scores[COUNT];
    uint8_t asked[COUNT] = {0};
    rng draws = rng_make(2, 9);
    for (int i = 0; i < COUNT; i++) {
        values[2 * i] = (float)rng_normal(&draws);
        values[2 * i + 1] = (float)rng_normal(&draws);
        scores[i] = -(float)i; /* row i has rank i */
    }
    asked[0] = QUERY_ASKED;
    size_t chosen[ASKED], count, top = 0, middle = 0;
    bool seen[COUNT] = {false};
    query_rows rows = {values, COUNT, 2, scores, 0.2, asked, QUERY_FIND};
    CHECK_OK(query_choose(chosen, &count, &rows, ASKED, 1, NULL));
    CHECK_INT(count, ASKED);
    for (size_t i = 0; i < count; i++) top += chosen[i] >= 1 && chosen[i] <= 36;
    CHECK(top >= 36);
    rows.goal = QUERY_LEARN;
    CHECK_OK(query_choose(chosen, &count, &rows, ASKED, 1, NULL));
    CHECK_INT(count, ASKED);
    for (size_t i = 0; i < count; i++) {
        CHECK(!seen[chosen[i]] && chosen[i] != 0);
        seen[chosen[i]] = true;
        middle += chosen[i] >= 190 && chosen[i] <= 211;
    }
    CHECK(middle >= 20 && middle <= 26);
    rows.share = 1; /* at the lower end */
    CHECK_OK(query_choose(chosen, &count, &rows, ASKED, 1, NULL));
    CHECK_INT(count, ASKED);
    rows.rows = 3;
    CHECK_OK(query_choose(chosen, &count, &rows, ASKED, 1, NULL));
    CHECK_INT(count, 2);
}
