/* The operating table: its formulas on counted examples, its bands on known mixtures. */
#include "decide/operating.h"

#include "prior/score_bootstrap.h"
#include "simulated_scores.h"
#include "test.h"

static operating_table table_of(const simulated *data, double low, double high, size_t points, team *workers)
{
    operating_table table = {0};
    puad_status status = operating_table_new(
        &table, &(pu_sample){data->anomaly, data->anomalies, data->unlabeled_scores, data->unlabeled},
        &(alpha_interval){data->alpha, low, high}, points, 0, workers);
    CHECK(status == PUAD_OK);
    return table;
}

/* Of 4 anomalies and 10 unlabeled rows with alpha 0.2: at threshold 7, G_A = 3/4 and G_U = 3/10. */
TEST(values_follow_the_formulas)
{
    float anomaly[4] = {9, 8, 7, 1}, unlabeled[10] = {8.5F, 8, 7, 5, 4, 3, 2, 1, 0, -1};
    AUTO_OPERATING operating_table table = {0};
    CHECK_OK(operating_table_new(&table, &(pu_sample){anomaly, 4, unlabeled, 10},
                                 &(alpha_interval){0.2, 0.2, 0.2}, 200, 0, NULL));
    const operating_point *point = NULL;
    for (size_t i = 0; i < table.count; i++)
        if (table.points[i].threshold == 7) point = &table.points[i];
    REQUIRE(point);
    CHECK_NEAR(point->flagged, 0.3, 1e-12);
    CHECK_NEAR(point->tpr.raw, 0.75, 1e-12);
    CHECK_NEAR(point->fpr.raw, (0.3 - 0.2 * 0.75) / 0.8, 1e-12);
    CHECK_NEAR(point->precision.raw, 0.2 * 0.75 / 0.3, 1e-12);
    CHECK_NEAR(point->f1.raw, 2 * 0.2 * 0.75 / (0.3 + 0.2), 1e-12);
    /* pairs won of 40: the anomaly at 9 wins 10, 8 wins 8.5, 7 wins 7.5, 1 wins 2.5 */
    CHECK_NEAR(table.auroc.raw, (28.5 / 40 - 0.1) / 0.8, 1e-12);
}

TEST(a_thinned_table_keeps_its_best_line)
{
    simulated data = simulate(60, 800, 0.1, 2, 5);
    for (size_t points = 2; points < 70; points++) {
        operating_table table = table_of(&data, data.alpha, data.alpha, OPERATING_GRID, NULL);
        double best = table.points[table.best_f1].threshold;
        size_t before = table.count;
        operating_table_thin(&table, points);
        CHECK_INT(table.count, points < before ? points : before);
        CHECK_NEAR(table.points[table.best_f1].threshold, best, 0);
        for (size_t i = 1; i < table.count; i++)
            CHECK(table.points[i].threshold < table.points[i - 1].threshold);
        operating_table_free(&table);
    }
    simulated_free(&data);
}

TEST(values_are_clipped_and_monotonic)
{
    simulated data = simulate(40, 600, 0.2, 1.5, 3);
    operating_table table = table_of(&data, data.alpha, data.alpha, 100, NULL);
    bool outside = false;
    CHECK(table.count > 20);
    for (size_t i = 0; i < table.count; i++) {
        const operating_point *point = &table.points[i];
        const operating_figure figures[] = {point->tpr, point->fpr, point->precision, point->f1};
        outside |= point->fpr.raw < 0 || point->precision.raw > 1;
        for (int k = 0; k < 4; k++) {
            CHECK(figures[k].value >= 0 && figures[k].value <= 1);
            CHECK(figures[k].low <= figures[k].value && figures[k].value <= figures[k].high);
        }
        if (i == 0) continue;
        CHECK(point->threshold < point[-1].threshold);
        CHECK(point->tpr.value >= point[-1].tpr.value && point->fpr.value >= point[-1].fpr.value);
        CHECK(point->precision.value <= point[-1].precision.value);
    }
    CHECK(outside); /* the raw values of this draw do leave [0, 1] */
    CHECK_NEAR(table.points[table.count - 1].flagged, 1, 1e-9);
    operating_table_free(&table);
    simulated_free(&data);
}

/* Truth from the hidden labels of a large sample with the same distance. */
TEST(bands_contain_the_truth)
{
    enum { DRAWS = 40 };
    const double distance = 2.8, alpha = 0.1;
    int hits[4] = {0}, auroc_hits = 0;
    double auroc = 0.5 * erfc(-distance / 2);
    for (int draw = 0; draw < DRAWS; draw++) {
        simulated data = simulate(60, 1500, alpha, distance, (uint64_t)draw);
        operating_table table = table_of(&data, alpha, alpha, 60, NULL);
        auroc_hits += table.auroc.low <= auroc && auroc <= table.auroc.high;
        const operating_point *point = table.points; /* the one whose flagged fraction is closest to alpha */
        for (size_t i = 0; i < table.count; i++)
            if (fabs(table.points[i].flagged - alpha) < fabs(point->flagged - alpha))
                point = &table.points[i];
        /* from the score back to x: labeled odds = odds * ratio / (alpha ratio + 1 - alpha) */
        double odds = point->threshold / (1 - point->threshold) * 1500 / 60;
        double ratio = odds * (1 - alpha) / (1 - alpha * odds),
               x = (log(ratio) + distance * distance / 2) / distance;
        double tpr = 0.5 * erfc((x - distance) / sqrt(2)), fpr = 0.5 * erfc(x / sqrt(2));
        double precision = alpha * tpr / (alpha * tpr + (1 - alpha) * fpr);
        double truth[4] = {tpr, fpr, precision, 2 * precision * tpr / (precision + tpr)};
        const operating_figure figures[] = {point->tpr, point->fpr, point->precision, point->f1};
        for (int k = 0; k < 4; k++) hits[k] += figures[k].low <= truth[k] && truth[k] <= figures[k].high;
        operating_table_free(&table);
        simulated_free(&data);
    }
    CHECK(auroc_hits >= 36);
    for (int k = 0; k < 4; k++) CHECK(hits[k] >= 35);
}

TEST(uncertainty_of_alpha_widens_the_bands)
{
    simulated data = simulate(200, 2000, 0.1, 3, 1);
    operating_table sure = table_of(&data, 0.1, 0.1, 30, NULL),
                    unsure = table_of(&data, 0.05, 0.15, 30, NULL);
    size_t i = sure.best_f1;
    CHECK(unsure.points[i].precision.high - unsure.points[i].precision.low >
          1.3 * (sure.points[i].precision.high - sure.points[i].precision.low));
    CHECK(unsure.auroc.high - unsure.auroc.low > sure.auroc.high - sure.auroc.low);
    operating_table_free(&sure);
    operating_table_free(&unsure);
    simulated_free(&data);
}

TEST(the_same_bits_for_any_number_of_threads)
{
    simulated data = simulate(50, 500, 0.1, 3, 1);
    operating_table tables[3];
    for (int threads = 1; threads <= 3; threads++) {
        team *workers = NULL;
        CHECK_OK(team_new(&workers, threads));
        tables[threads - 1] = table_of(&data, 0.08, 0.12, 30, workers);
        team_free(workers);
    }
    for (int k = 1; k < 3; k++)
        CHECK(memcmp(tables[0].points, tables[k].points, tables[0].count * sizeof *tables[0].points) == 0);
    for (int k = 0; k < 3; k++) operating_table_free(&tables[k]);
    simulated_free(&data);
}

TEST(few_rows_and_equal_scores_make_a_table)
{
    float anomaly[1] = {1}, unlabeled[3] = {1, 1, 1};
    AUTO_OPERATING operating_table table = {0};
    CHECK_OK(operating_table_new(&table, &(pu_sample){anomaly, 1, unlabeled, 3}, &(alpha_interval){0, 0, 0},
                                 2, 0, NULL));
    CHECK_INT(table.count, 1);
    CHECK_NEAR(table.auroc.value, 0.5, 1e-12);
}

TEST(an_alpha_of_1_is_refused)
{
    float score = 1;
    operating_table table;
    CHECK_FAILS(operating_table_new(&table, &(pu_sample){&score, 1, &score, 1}, &(alpha_interval){1, 1, 1},
                                    10, 0, NULL),
                PUAD_INVALID, "alpha 1");
}
