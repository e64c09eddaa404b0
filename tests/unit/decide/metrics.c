/* Metrics of the ROC curve, computed by hand; tests/parity/test_metrics.py compares them with
 * scikit-learn. */
#include "decide/metrics.h"
#include "base/rng.h"
#include "test.h"

static double auroc(const float *scores, const int8_t *truth, size_t rows)
{
    double area = -1;
    if (metrics_auroc(&area, scores, truth, rows) != PUAD_OK) TEST_FAIL("%s", puad_last_error());
    return area;
}

TEST(auroc_counts_pairs_and_half_of_ties)
{
    static const float scores[] = {0.1f, 0.4f, 0.35f, 0.8f};
    static const int8_t truth[] = {0, 0, 1, 1};
    CHECK_NEAR(auroc(scores, truth, 4), 0.75, 0);
    static const float tied[] = {1, 1, 1, 2};
    CHECK_NEAR(auroc(tied, truth, 4), 0.75, 0); /* 2 x 0.5 + 2 x 1 of 4 pairs */
    static const float same[] = {7, 7, 7, 7};
    CHECK_NEAR(auroc(same, truth, 4), 0.5, 0);
}

TEST(labeled_normals_are_normals_and_infinite_scores_have_a_place)
{
    static const float scores[] = {-INFINITY, -3, 0, INFINITY};
    static const int8_t truth[] = {-1, 0, -1, 1};
    CHECK_NEAR(auroc(scores, truth, 4), 1, 0);
}

TEST(a_missing_class_has_no_auroc)
{
    static const float scores[] = {1, 2};
    static const int8_t normals[] = {0, 0}, anomalies[] = {1, 1};
    CHECK(isnan(auroc(scores, normals, 2)));
    CHECK(isnan(auroc(scores, anomalies, 2)));
    CHECK(isnan(auroc(scores, anomalies, 0)));
    AUTO_ROC roc curve = {0};
    CHECK_OK(roc_new(&curve, scores, anomalies, 2));
    CHECK_NEAR(roc_average_precision(&curve), 1, 0);
    CHECK(isnan(roc_tpr_at_fpr(&curve, 0.05)));
}

TEST(a_nan_score_is_named)
{
    static const float scores[] = {1, 2, NAN};
    static const int8_t truth[] = {0, 1, 0};
    double area;
    CHECK_FAILS(metrics_auroc(&area, scores, truth, 3), PUAD_NUMERIC, "row 2");
}

TEST(curve_and_rates_by_hand)
{
    static const float scores[] = {5, 4, 4, 3, 2, 1};
    static const int8_t truth[] = {1, 1, 0, 0, 1, 0};
    AUTO_ROC roc curve = {0};
    CHECK_OK(roc_new(&curve, scores, truth, 6));
    CHECK_INT(curve.points, 6);
    CHECK(isinf(curve.threshold[0]));
    CHECK_NEAR((double)curve.threshold[2], 4, 0);
    CHECK_INT(curve.true_positives[2], 2);
    CHECK_INT(curve.false_positives[2], 1);
    CHECK_NEAR(roc_tpr_at_fpr(&curve, 0), 1 / 3., 0);
    CHECK_NEAR(roc_tpr_at_fpr(&curve, 0.3), 1 / 3., 0);
    CHECK_NEAR(roc_tpr_at_fpr(&curve, 1 / 3.), 2 / 3., 0);
    CHECK_NEAR(roc_tpr_at_fpr(&curve, 1), 1, 0);
    CHECK_NEAR(roc_average_precision(&curve), (1 + 2 / 3. + 3 / 5.) / 3, 1e-15);
}

TEST(auroc_equals_the_count_of_all_pairs)
{
    enum { ROWS = 300 };
    float scores[ROWS];
    int8_t truth[ROWS];
    rng state = rng_make(3, 0);
    for (int round = 0; round < 20; round++) {
        double pairs = 0, won = 0;
        for (size_t i = 0; i < ROWS; i++) {
            truth[i] = rng_below(&state, 5) == 0;
            scores[i] = (float)((double)rng_below(&state, 40) - 20 + truth[i]);
        }
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < ROWS; j++) {
                if (!truth[i] || truth[j]) continue;
                pairs++;
                won += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
            }
        CHECK_NEAR(auroc(scores, truth, ROWS), won / pairs, 1e-15);
    }
}
