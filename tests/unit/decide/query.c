/* Queries are spread out, never repeat, prefer high scores and follow the seed. */
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

TEST(queries_cover_every_cluster)
{
    float values[ROWS * COLUMNS];
    make(values);
    for (uint64_t seed = 0; seed < 20; seed++) {
        size_t chosen[CLUSTERS], count;
        int seen[CLUSTERS] = {0};
        CHECK_OK(query_choose(chosen, &count,
                              &(query_rows){values, ROWS, COLUMNS, NULL, 0, NULL, QUERY_DIVERSE}, CLUSTERS,
                              seed, NULL));
        CHECK_INT(count, CLUSTERS);
        for (size_t i = 0; i < count; i++) seen[chosen[i] / EACH]++;
        for (int cluster = 0; cluster < CLUSTERS; cluster++) CHECK_INT(seen[cluster], 1);
    }
}

TEST(reviewed_clusters_are_not_queried)
{
    float values[ROWS * COLUMNS];
    uint8_t asked[ROWS] = {0};
    make(values);
    asked[3] = asked[EACH + 3] = 1;
    size_t chosen[6], count;
    CHECK_OK(query_choose(chosen, &count, &(query_rows){values, ROWS, COLUMNS, NULL, 0, asked, QUERY_DIVERSE},
                          6, 0, NULL));
    for (size_t i = 0; i < 6; i++) CHECK(chosen[i] / EACH >= 2);
}

TEST(every_row_is_queried_once)
{
    float values[20] = {0}; /* all equal: distances are uninformative */
    uint8_t asked[20] = {0};
    asked[7] = 1;
    size_t chosen[30], count;
    bool seen[20] = {false};
    CHECK_OK(query_choose(chosen, &count, &(query_rows){values, 20, 1, NULL, 0, asked, QUERY_DIVERSE}, 30, 0,
                          NULL));
    CHECK_INT(count, 19);
    for (size_t i = 0; i < count; i++) {
        CHECK(!seen[chosen[i]] && chosen[i] != 7);
        seen[chosen[i]] = true;
    }
}

TEST(rows_with_equal_scores_are_drawn_equally_often)
{
    enum { COUNT = 1000 };
    float values[COUNT * 2], scores[COUNT];
    rng draws = rng_make(3, 3);
    for (int i = 0; i < COUNT; i++) {
        values[2 * i] = (float)rng_normal(&draws);
        values[2 * i + 1] = (float)rng_normal(&draws);
        scores[i] = 1;
    }
    double mean = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        size_t chosen[20], count;
        CHECK_OK(query_choose(chosen, &count,
                              &(query_rows){values, COUNT, 2, scores, 0.05, NULL, QUERY_DIVERSE}, 20, seed,
                              NULL));
        for (size_t i = 1; i < count; i++) mean += (double)chosen[i] / COUNT / 19 / 20;
    }
    CHECK(mean > 0.4 && mean < 0.6);
}

TEST(the_first_query_is_the_highest_score_and_high_scores_are_preferred)
{
    enum { COUNT = 400 };
    float values[COUNT * 2], scores[COUNT];
    rng draws = rng_make(2, 2);
    for (int i = 0; i < COUNT; i++) {
        values[2 * i] = (float)rng_normal(&draws);
        values[2 * i + 1] = (float)rng_normal(&draws);
        scores[i] = (float)rng_uniform(&draws);
    }
    scores[123] = 2;
    double mean = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        size_t chosen[20], count;
        CHECK_OK(query_choose(chosen, &count,
                              &(query_rows){values, COUNT, 2, scores, 0.05, NULL, QUERY_DIVERSE}, 20, seed,
                              NULL));
        CHECK_INT(chosen[0], 123);
        for (size_t i = 1; i < count; i++) mean += (double)scores[chosen[i]] / 19 / 20;
    }
    CHECK(mean > 0.75); /* without preference: 0.5 */
}

/* One in twenty is an anomaly of one of two kinds, usually with higher scores. */
TEST(anomalies_of_both_kinds_are_queried_more_often_than_at_random)
{
    enum { COUNT = 2000, ASKED = 40 };
    static float values[COUNT * 2], scores[COUNT];
    double found[2] = {0};
    rng draws = rng_make(3, 3);
    for (int i = 0; i < COUNT; i++) {
        int kind = i % 20 ? 0 : 1 + i / 20 % 2;
        values[2 * i] = (float)(rng_normal(&draws) + (kind == 1 ? 5 : 0));
        values[2 * i + 1] = (float)(rng_normal(&draws) + (kind == 2 ? 5 : 0));
        scores[i] = (float)(rng_normal(&draws) + (kind ? 2 : 0));
    }
    for (uint64_t seed = 0; seed < 20; seed++) {
        size_t chosen[ASKED], count;
        CHECK_OK(query_choose(chosen, &count,
                              &(query_rows){values, COUNT, 2, scores, 0.05, NULL, QUERY_DIVERSE}, ASKED, seed,
                              NULL));
        for (size_t i = 0; i < count; i++)
            if (chosen[i] % 20 == 0) found[chosen[i] / 20 % 2] += 1.0 / 20;
    }
    CHECK(found[0] + found[1] > 10); /* at random: 2 */
    CHECK(found[0] > 3 && found[1] > 3);
}

TEST(excluded_rows_are_not_queried_and_do_not_affect_others)
{
    float values[ROWS * COLUMNS];
    uint8_t asked[ROWS] = {0};
    make(values);
    for (int i = 0; i < ROWS; i += 2) asked[i] = QUERY_BARRED;
    size_t chosen[CLUSTERS], count;
    int seen[CLUSTERS] = {0};
    CHECK_OK(query_choose(chosen, &count, &(query_rows){values, ROWS, COLUMNS, NULL, 0, asked, QUERY_DIVERSE},
                          CLUSTERS, 0, NULL));
    for (size_t i = 0; i < count; i++) {
        CHECK(chosen[i] % 2 == 1);
        seen[chosen[i] / EACH]++;
    }
    for (int cluster = 0; cluster < CLUSTERS; cluster++) CHECK_INT(seen[cluster], 1);
}

TEST(the_seed_and_not_the_threads_decide)
{
    float values[ROWS * COLUMNS];
    make(values);
    size_t chosen[3][30], count;
    for (int threads = 1; threads <= 3; threads++) {
        team *workers = NULL;
        CHECK_OK(team_new(&workers, threads));
        CHECK_OK(query_choose(chosen[threads - 1], &count,
                              &(query_rows){values, ROWS, COLUMNS, NULL, 0, NULL, QUERY_DIVERSE}, 30, 5,
                              workers));
        team_free(workers);
    }
    CHECK(memcmp(chosen[0], chosen[1], sizeof chosen[0]) == 0);
    CHECK(memcmp(chosen[0], chosen[2], sizeof chosen[0]) == 0);
    size_t other[30];
    CHECK_OK(query_choose(other, &count, &(query_rows){values, ROWS, COLUMNS, NULL, 0, NULL, QUERY_DIVERSE},
                          30, 6, NULL));
    CHECK(memcmp(chosen[0], other, sizeof other) != 0);
}

TEST(embeddings_that_are_not_finite_are_refused)
{
    float values[4] = {1, 2, INFINITY, 3};
    size_t chosen[1], count;
    CHECK_FAILS(
        query_choose(chosen, &count, &(query_rows){values, 2, 2, NULL, 0, NULL, QUERY_DIVERSE}, 1, 0, NULL),
        PUAD_NUMERIC, "row 1");
    CHECK_FAILS(
        query_choose(chosen, &count, &(query_rows){values, 0, 2, NULL, 0, NULL, QUERY_DIVERSE}, 1, 0, NULL),
        PUAD_INVALID, "rows");
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
    for (size_t i = 0; i < count; i++) top += chosen[i] >= 1 && chosen[i] <= 38;
    CHECK(top >= 38);
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
