/* <puad/ranking.h>: the order of rows, and counts at thresholds. */
#include "cli/library_values.h"
#include "test.h"

#include <math.h>
#include <puad/puad.h>
#include <puad/ranking.h>

TEST(rows_of_several_datasets_are_ranked_and_known_anomalies_left_out)
{
    static const float first[] = {1, 5, 3}, second[] = {5, 0.5F, 4, 9};
    static const int8_t labels[] = {0, -1, 0, PUAD_LABEL_ANOMALY};
    static const float scores[] = {5, 5, 4, 3, 1, 0.5F};
    static const size_t parts[] = {0, 1, 1, 0, 0, 1}, rows[] = {1, 0, 2, 2, 0, 1};
    puad_ranking *ranking = NULL;
    CHECK_OK(puad_ranking_new(&ranking));
    CHECK_INT(puad_ranking_count(ranking), 0);
    CHECK_OK(puad_ranking_add(ranking, first, NULL, 3));
    CHECK_OK(puad_ranking_add(ranking, second, labels, 4));
    CHECK_INT(puad_ranking_count(ranking), 6);
    for (size_t i = 0; i < 6; i++) {
        CHECK_NEAR(ranked(ranking, i).score, scores[i], 0);
        CHECK_INT(ranked(ranking, i).part, parts[i]);
        CHECK_INT(ranked(ranking, i).row, rows[i]);
    }
    puad_ranked_row row = {.struct_size = sizeof row};
    CHECK_FAILS(puad_ranking_at(ranking, &row, 6), PUAD_INVALID, "6");
    CHECK_INT(puad_ranking_above(ranking, 9), 0);
    CHECK_INT(puad_ranking_above(ranking, 5), 2);
    CHECK_INT(puad_ranking_above(ranking, 3.5), 3);
    CHECK_INT(puad_ranking_above(ranking, -1), 6);
    puad_ranking_free(ranking);
    puad_ranking_free(NULL);
    CHECK_INT(puad_ranking_count(NULL), 0);
}

TEST(nan_scores_are_rejected)
{
    static const float scores[] = {1, NAN};
    puad_ranking *ranking = NULL;
    CHECK_OK(puad_ranking_new(&ranking));
    CHECK_FAILS(puad_ranking_add(ranking, scores, NULL, 2), PUAD_NUMERIC, "scores[1]");
    CHECK_FAILS(puad_ranking_add(NULL, scores, NULL, 2), PUAD_INVALID, "ranking");
    CHECK_INT(puad_ranking_count(ranking), 0);
    puad_ranking_free(ranking);
}

TEST(steps_rise_from_one_row_to_half_of_them)
{
    enum { ROWS = 1000, MOST = 40 };
    float scores[ROWS];
    size_t steps[MOST];
    puad_ranking *ranking = NULL;
    for (size_t i = 0; i < ROWS; i++) scores[i] = (float)i;
    CHECK_OK(puad_ranking_new(&ranking));
    CHECK_INT(puad_ranking_steps(steps, MOST, ranking), 0);
    CHECK_OK(puad_ranking_add(ranking, scores, NULL, ROWS));
    size_t count = puad_ranking_steps(steps, MOST, ranking);
    CHECK(count > 20 && count <= MOST);
    CHECK_INT(steps[0], 1);
    CHECK_INT(steps[count - 1], ROWS / 2);
    for (size_t i = 1; i < count; i++) CHECK(steps[i] > steps[i - 1]);
    puad_ranking_free(ranking);
}

TEST(bins_reach_over_all_scores_and_marks)
{
    static const float scores[] = {0, 1, 1, 2, 10}, marks[] = {-10, 5};
    size_t counts[4];
    double from, to;
    puad_ranking *ranking = NULL;
    CHECK_OK(puad_ranking_new(&ranking));
    CHECK_OK(puad_ranking_add(ranking, scores, NULL, 5));
    CHECK_OK(puad_ranking_bins(counts, 4, &from, &to, ranking, NULL, 0));
    CHECK_NEAR(from, 0, 0);
    CHECK_NEAR(to, 10, 0);
    CHECK(counts[0] == 4 && counts[1] == 0 && counts[2] == 0 && counts[3] == 1);
    CHECK_OK(puad_ranking_bins(counts, 4, &from, &to, ranking, marks, 2));
    CHECK_NEAR(from, -10, 0);
    CHECK(counts[0] == 0 && counts[1] == 0 && counts[2] == 4 && counts[3] == 1);
    CHECK_FAILS(puad_ranking_bins(counts, 0, &from, &to, ranking, NULL, 0), PUAD_INVALID, "bins");
    puad_ranking_free(ranking);
}
