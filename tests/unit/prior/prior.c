/* Estimating alpha from scores: known mixtures, refusals, and the two fractions that must not be confused. */
#include "prior/prior.h"

#include "prior/score_bootstrap.h"
#include "simulated_scores.h"
#include "test.h"

static prior_estimate estimate(const simulated *data, uint64_t seed, team *workers)
{
    prior_estimate found = {0};
    puad_status status = prior_from_scores(
        &found, &(pu_sample){data->anomaly, data->anomalies, data->unlabeled_scores, data->unlabeled}, seed,
        workers);
    CHECK(status == PUAD_OK);
    return found;
}

TEST(alpha_all_counts_the_labeled_rows_too)
{
    CHECK_NEAR(prior_alpha_all(250.0 / 4750, 4750, 250), 0.1, 1e-12);
}

TEST(auroc_from_slots_equals_counting_pairs)
{
    float anomaly[4] = {3, 1, 2, 2}, unlabeled[5] = {2, 0, 3, 2.5F, -1};
    AUTO_PU_SCORES pu_scores scores = {0};
    CHECK_OK(pu_scores_new(&scores, &(pu_sample){anomaly, 4, unlabeled, 5}));
    CHECK_INT(scores.levels, 3);
    uint32_t a[7] = {0}, u[7] = {0};
    double pairs = 0;
    for (int i = 0; i < 4; i++) a[scores.anomaly_slot[i]]++;
    for (int i = 0; i < 5; i++) u[scores.unlabeled_slot[i]]++;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            pairs += anomaly[i] > unlabeled[j] ? 1 : anomaly[i] == unlabeled[j] ? 0.5 : 0;
    CHECK_NEAR(pu_auroc(a, u, scores.slots), pairs / 20, 1e-12);
}

/* 95% intervals over 12 draws: fewer than 10 hits would happen
 * by chance twice in a hundred times; the draws are fixed. */
static void check_study(double alpha, double auroc)
{
    enum { DRAWS = 12 };
    double errors[DRAWS];
    int hits = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
        simulated data = simulate_odds(225, 4275, alpha, distance_for_auroc(auroc), (uint64_t)draw);
        prior_estimate found = estimate(&data, (uint64_t)draw, NULL);
        CHECK(!found.refused);
        hits += found.low <= data.alpha && data.alpha <= found.high;
        errors[draw] = fabs(found.alpha - data.alpha);
        simulated_free(&data);
    }
    CHECK(hits >= 10);
    CHECK(quantile_of(errors, DRAWS, 0.5) < 0.01 + 0.1 * alpha);
}

TEST(an_alpha_of_1_percent_is_within_its_interval)
{
    check_study(0.01, 0.96);
}
TEST(an_alpha_of_10_percent_is_within_its_interval)
{
    check_study(0.1, 0.96);
}
TEST(an_alpha_of_30_percent_is_within_its_interval)
{
    check_study(0.3, 0.98);
}

TEST(anomalies_that_look_like_normals_are_refused)
{
    for (int draw = 0; draw < 5; draw++) {
        simulated data = simulate_odds(225, 4275, 0.1, distance_for_auroc(0.6), (uint64_t)draw);
        prior_estimate found = estimate(&data, 0, NULL);
        CHECK(found.refused);
        CHECK(strstr(found.reason, "AUROC "));
        simulated_free(&data);
    }
}

TEST(ten_labels_are_read_and_fewer_than_five_are_not)
{
    simulated few = simulate_odds(4, 2000, 0.05, 4, 1), enough = simulate_odds(10, 2000, 0.05, 4, 1);
    prior_estimate read = estimate(&enough, 0, NULL), refused;
    CHECK(!read.refused && read.low <= 0.05 && read.high >= 0.05);
    CHECK_TEXT(read.reason, "");
    CHECK_FAILS(
        prior_from_scores(&refused, &(pu_sample){few.anomaly, 4, few.unlabeled_scores, 2000}, 0, NULL),
        PUAD_INVALID, "4", "5");
    simulated_free(&few);
    simulated_free(&enough);
}

TEST(the_auroc_is_corrected_for_hidden_anomalies)
{
    simulated data = simulate_odds(2000, 8000, 0.3, distance_for_auroc(0.97), 1);
    prior_estimate found = estimate(&data, 0, NULL);
    CHECK_NEAR(found.auroc, 0.97, 0.015); /* against U as it is: 0.83 */
    CHECK(found.auroc_low <= found.auroc && found.auroc <= found.auroc_high);
    simulated_free(&data);
}

TEST(no_hidden_anomalies_give_an_alpha_near_0)
{
    simulated data = simulate(225, 4275, 0, 4, 1);
    prior_estimate found = estimate(&data, 0, NULL);
    CHECK(found.alpha < 0.003);
    CHECK_NEAR(found.low, 0, 0.001);
    simulated_free(&data);
}

TEST(the_same_seed_gives_the_same_bits_for_any_number_of_threads)
{
    simulated data = simulate(100, 1000, 0.1, 3, 1);
    prior_estimate found[3];
    for (int threads = 1; threads <= 3; threads++) {
        team *workers = NULL;
        CHECK_OK(team_new(&workers, threads));
        found[threads - 1] = estimate(&data, 5, workers);
        team_free(workers);
    }
    for (int i = 1; i < 3; i++) {
        CHECK(found[i].alpha == found[0].alpha && found[i].low == found[0].low &&
              found[i].high == found[0].high);
        CHECK(found[i].auroc_low == found[0].auroc_low);
    }
    simulated_free(&data);
}

TEST(equal_scores_are_refused_without_a_crash)
{
    float anomaly[30], unlabeled[50];
    for (int i = 0; i < 30; i++) anomaly[i] = 0.5F;
    for (int i = 0; i < 50; i++) unlabeled[i] = 0.5F;
    prior_estimate found;
    CHECK_OK(prior_from_scores(&found, &(pu_sample){anomaly, 30, unlabeled, 50}, 0, NULL));
    CHECK(found.refused);
}

TEST(missing_parts_and_nan_scores_fail)
{
    float score = 0.5F, none = NAN;
    prior_estimate found;
    CHECK_FAILS(prior_from_scores(&found, &(pu_sample){&score, 0, &score, 1}, 0, NULL), PUAD_INVALID, "0",
                "anomalies");
    CHECK_FAILS(prior_from_scores(&found, &(pu_sample){&score, 1, &score, 0}, 0, NULL), PUAD_INVALID, "0",
                "unlabeled");
    CHECK_FAILS(prior_from_scores(&found, &(pu_sample){&score, 1, &none, 1}, 0, NULL), PUAD_NUMERIC, "row 0");
}
