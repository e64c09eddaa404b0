/* The complete study of alpha: 100 draws for each alpha, N = 4275, M = 225; takes minutes. */
#include "prior/prior.h"

#include "prior/score_bootstrap.h"
#include "simulated_scores.h"
#include "test.h"

enum { DRAWS = 100, LABELED = 225, UNLABELED = 4275, COLUMNS = 6 };
static const double alphas[] = {0.01, 0.05, 0.1, 0.2, 0.3};

typedef void estimate_draw(prior_estimate *out, double alpha, double distance, uint64_t seed, team *workers);

/* The estimators alone, on scores of this AUROC. */
static void from_scores(prior_estimate *out, double alpha, double distance, uint64_t seed, team *workers)
{
    simulated data = simulate_odds(LABELED, UNLABELED, alpha, distance, seed);
    CHECK_OK(prior_from_scores(out, &(pu_sample){data.anomaly, LABELED, data.unlabeled_scores, UNLABELED},
                               seed % 1000, workers));
    simulated_free(&data);
}

/* Rows whose anomalies are shifted in four of six columns; the distance is that of the best possible
 * score, which the classifier must find. */
static void from_rows(prior_estimate *out, double alpha, double distance, uint64_t seed, team *workers)
{
    static float values[(LABELED + UNLABELED) * COLUMNS];
    static int8_t labels[LABELED + UNLABELED];
    rng draws = rng_make(seed, rng_stream("rows of the study", 0));
    size_t hidden = (size_t)(alpha * UNLABELED + 0.5);
    for (size_t row = 0; row < LABELED + UNLABELED; row++) {
        labels[row] = row < LABELED;
        for (size_t column = 0; column < COLUMNS; column++)
            values[row * COLUMNS + column] =
                (float)(rng_normal(&draws) + (row < LABELED + hidden && column < 4 ? distance / 2 : 0));
    }
    prior_rows rows = {values, labels, LABELED + UNLABELED, COLUMNS, 0, 0};
    CHECK_OK(prior_from_rows(out, NULL, &rows, seed % 1000, workers, NULL));
}

static void study(estimate_draw *estimate, double auroc)
{
    team *workers = NULL;
    CHECK_OK(team_new(&workers, 0));
    for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++) {
        double errors[DRAWS], widths[DRAWS];
        double truth = floor(alphas[k] * UNLABELED + 0.5) / UNLABELED;
        int hits = 0, refused = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            prior_estimate found = {0};
            estimate(&found, alphas[k], distance_for_auroc(auroc), (uint64_t)draw + 1000 * k, workers);
            hits += found.low <= truth && truth <= found.high;
            refused += found.refused;
            errors[draw] = fabs(found.alpha - truth);
            widths[draw] = found.high - found.low;
        }
        double error = quantile_of(errors, DRAWS, 0.5);
        printf("AUROC %.3f alpha %.2f: "
               "interval holds the truth in %d of %d, median error %.4f, median width %.3f, refused %d\n",
               auroc, alphas[k], hits, DRAWS, error, quantile_of(widths, DRAWS, 0.5), refused);
        fflush(stdout);
        CHECK(hits >= 90);
        CHECK(error < 0.01 + 0.1 * alphas[k]);
        CHECK(refused <= 5);
    }
    team_free(workers);
}

TEST(intervals_contain_the_truth_at_auroc_96)
{
    study(from_scores, 0.96);
}
TEST(intervals_contain_the_truth_at_auroc_99)
{
    study(from_scores, 0.99);
}

/* The classifier loses a little: .97 becomes about .965. */
TEST(intervals_contain_the_truth_for_rows)
{
    study(from_rows, 0.97);
}

TEST(at_auroc_75_intervals_contain_the_truth_or_it_is_refused)
{
    for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++) {
        int right = 0;
        for (int draw = 0; draw < 20; draw++) {
            simulated data =
                simulate_odds(LABELED, UNLABELED, alphas[k], distance_for_auroc(0.75), (uint64_t)draw);
            prior_estimate found = {0};
            CHECK_OK(prior_from_scores(
                &found, &(pu_sample){data.anomaly, LABELED, data.unlabeled_scores, UNLABELED}, 0, NULL));
            right += found.refused || (found.low <= data.alpha && data.alpha <= found.high);
            simulated_free(&data);
        }
        CHECK(right >= 18);
    }
}
