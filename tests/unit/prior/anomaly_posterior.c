/* How far the anomaly posterior can be trusted: on mixtures with known alpha, with few labels and many. */
#include "prior/anomaly_posterior.h"

#include "simulated_scores.h"
#include "test.h"

enum { DRAWS = 10, UNLABELED = 1200 };

/* The fraction of draws whose interval contains alpha. */
static void cover(double *out, size_t labels, double alpha, double auroc)
{
    double held = 0;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        simulated data = simulate(labels, UNLABELED, alpha, distance_for_auroc(auroc), 100 + seed);
        AUTO_PURITY purity found = {0};
        double middle, low, high;
        CHECK_OK(purity_new(&found, &(pu_sample){data.anomaly, labels, data.unlabeled_scores, UNLABELED},
                            &purity_for_intervals, 1));
        CHECK_OK(purity_alpha(&found, &middle, &low, &high));
        CHECK(low <= middle && middle <= high);
        held += low <= data.alpha && data.alpha <= high;
        simulated_free(&data);
    }
    *out = held / DRAWS;
}

TEST(the_interval_of_alpha_contains_the_truth_with_few_labels_and_with_many)
{
    static const size_t labels[] = {5, 10, 50, 200};
    static const double alphas[] = {0.02, 0.1, 0.3}, aurocs[] = {0.8, 0.95, 0.99};
    double sum = 0, min = 1;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                double share = 0;
                cover(&share, labels[i], alphas[j], aurocs[k]);
                sum += share / 36;
                min = fmin(min, share);
            }
    printf("intervals of alpha that hold the truth: %.3f, at least %.3f\n", sum, min);
    CHECK(sum >= 0.95);
    CHECK(min >= 0.85);
}

TEST(more_labels_make_the_interval_narrower_up_to_a_point)
{
    double width[3];
    static const size_t labels[] = {10, 40, 160};
    for (int i = 0; i < 3; i++) {
        simulated data = simulate(labels[i], UNLABELED, 0.1, distance_for_auroc(0.98), 5);
        AUTO_PURITY purity found = {0};
        double middle, low, high;
        CHECK_OK(purity_new(&found, &(pu_sample){data.anomaly, labels[i], data.unlabeled_scores, UNLABELED},
                            &purity_for_intervals, 1));
        CHECK_OK(purity_alpha(&found, &middle, &low, &high));
        width[i] = high - low;
        simulated_free(&data);
    }
    CHECK(width[1] < width[0]);
    CHECK(width[2] > 0.005); /* no number of labels makes the model true */
}

/* All labels are held out, but only a part of the unlabeled rows: labels may be more than half of both. */
TEST(as_many_labels_as_rows_do_not_make_alpha_zero)
{
    simulated data = simulate(400, 360, 0.3, distance_for_auroc(0.98), 7);
    AUTO_PURITY purity found = {0};
    double middle, low, high;
    CHECK_OK(purity_estimate(&found, &middle, &low, &high,
                             &(pu_sample){data.anomaly, 400, data.unlabeled_scores, 360}));
    CHECK(low <= data.alpha && data.alpha <= high);
    if (!(middle >= 0.1 && middle <= 0.4)) TEST_FAIL("alpha is %g, found %g", data.alpha, middle);
    simulated_free(&data);
}

TEST(tails_rise_and_weights_add_up)
{
    simulated data = simulate(20, UNLABELED, 0.1, distance_for_auroc(0.95), 6);
    AUTO_PURITY purity found = {0};
    static double tail[UNLABELED + 1], posterior[UNLABELED];
    CHECK_OK(purity_new(&found, &(pu_sample){data.anomaly, 20, data.unlabeled_scores, UNLABELED},
                        &purity_for_decisions, 1));
    CHECK_OK(purity_tail(tail, &found, 1));
    purity_posterior(posterior, &found);
    double sum = 0;
    for (size_t i = 0; i < found.states; i++) sum += found.weight[i];
    CHECK_NEAR(sum, 1, 1e-9);
    CHECK(tail[0] > 0 && tail[UNLABELED] <= 1);
    for (size_t i = 1; i <= UNLABELED; i++) {
        CHECK(tail[i] >= tail[i - 1]);
        CHECK(tail[i] <= (1.0 + (double)i) / (UNLABELED + 1.0) + 0.2); /* a bin may reach a little further */
    }
    for (size_t i = 1; i < found.bins; i++) CHECK(posterior[i] <= posterior[i - 1] + 1e-6);
    CHECK_INT(found.to[found.bins - 1], UNLABELED);
    CHECK_INT(purity_bin(&found, 0), 0);
    CHECK_INT(purity_bin(&found, UNLABELED), found.bins - 1);
    simulated_free(&data);
}

TEST(uninformative_scores_leave_alpha_uncertain)
{
    simulated data = simulate(50, UNLABELED, 0.1, 0, 7);
    AUTO_PURITY purity found = {0};
    double middle, low, high;
    CHECK_OK(purity_new(&found, &(pu_sample){data.anomaly, 50, data.unlabeled_scores, UNLABELED},
                        &purity_for_intervals, 1));
    CHECK_OK(purity_alpha(&found, &middle, &low, &high));
    CHECK(low < 0.1 && high > 0.3);
    simulated_free(&data);
}

TEST(equal_scores_and_few_labels_do_not_crash)
{
    float same[8] = {1, 1, 1, 1, 1, 1, 1, 1}, none = NAN;
    AUTO_PURITY purity found = {0};
    double middle, low, high;
    CHECK_OK(purity_new(&found, &(pu_sample){same, 6, same, 8}, &purity_for_decisions, 1));
    CHECK_OK(purity_alpha(&found, &middle, &low, &high));
    CHECK(low >= 0 && high <= 1);
    AUTO_PURITY purity failed = {0};
    CHECK_FAILS(purity_new(&failed, &(pu_sample){same, 4, same, 8}, &purity_for_decisions, 1), PUAD_INVALID,
                "4", "5");
    CHECK_FAILS(purity_new(&failed, &(pu_sample){same, 5, same, 0}, &purity_for_decisions, 1), PUAD_INVALID,
                "scores");
    CHECK_FAILS(purity_new(&failed, &(pu_sample){same, 5, &none, 1}, &purity_for_decisions, 1), PUAD_NUMERIC,
                "row 0");
}

TEST(the_bound_of_alpha_is_kept_whatever_the_form)
{
    double held = 0, tight = 0;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        simulated data = simulate(40, UNLABELED, 0.1, distance_for_auroc(seed % 2 ? 0.7 : 0.99), 300 + seed);
        double bound = purity_bound(&(pu_sample){data.anomaly, 40, data.unlabeled_scores, UNLABELED});
        held += bound >= data.alpha;
        tight += seed % 2 == 0 && bound < 0.25;
        simulated_free(&data);
    }
    CHECK(held >= DRAWS - 1);
    CHECK(tight >= DRAWS / 2 - 1);
    CHECK_NEAR(purity_bound(&(pu_sample){NULL, 0, NULL, 0}), 1, 0);
}
