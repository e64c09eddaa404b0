/* The whole study of alpha: 100 draws for each alpha, N = 4275, M = 225; minutes rather than seconds. */
#include "detector/prior.h"

#include "detector/pu_scores.h"
#include "simulated_scores.h"
#include "test.h"

enum { DRAWS = 100 };
static const double alphas[] = {0.01, 0.05, 0.1, 0.2, 0.3};

static void study(double auroc, double error_most)
{
    team *workers = NULL;
    CHECK_OK(team_new(&workers, 0));
    for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++) {
        double errors[DRAWS], widths[DRAWS];
        int hits = 0, refused = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            simulated data =
                simulate(225, 4275, alphas[k], distance_for_auroc(auroc), (uint64_t)draw + 1000 * k);
            prior_estimate found = {0};
            CHECK_OK(prior_from_scores(&found, data.anomaly, 225, data.unlabeled_scores, 4275, (uint64_t)draw,
                                       workers));
            hits += found.low <= data.alpha && data.alpha <= found.high;
            refused += found.refused;
            errors[draw] = fabs(found.alpha - data.alpha);
            widths[draw] = found.high - found.low;
            simulated_free(&data);
        }
        double error = quantile_of(errors, DRAWS, 0.5);
        printf("AUROC %.3f alpha %.2f: interval holds the truth in %d of %d, median error %.4f, median width "
               "%.3f, refused %d\n",
               auroc, alphas[k], hits, DRAWS, error, quantile_of(widths, DRAWS, 0.5), refused);
        CHECK(hits >= 90);
        CHECK(error < error_most);
        CHECK(refused <= 5);
    }
    team_free(workers);
}

TEST(intervals_hold_the_truth_at_auroc_96)
{
    study(0.96, 0.02);
}
TEST(intervals_hold_the_truth_at_auroc_99)
{
    study(0.99, 0.02);
}

TEST(auroc_75_is_always_refused)
{
    for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++)
        for (int draw = 0; draw < 20; draw++) {
            simulated data = simulate(225, 4275, alphas[k], distance_for_auroc(0.75), (uint64_t)draw);
            prior_estimate found = {0};
            CHECK_OK(prior_from_scores(&found, data.anomaly, 225, data.unlabeled_scores, 4275, 0, NULL));
            CHECK(found.refused);
            simulated_free(&data);
        }
}
