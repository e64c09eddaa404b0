/* Exponents of the evidence: their start, and the effect of labels. */
#include "detector/ensemble/evidence_weights.h"

#include "base/rng.h"
#include "test.h"

#include <math.h>

enum { ROWS = 2000, LABELS = 40 };

/* Normal evidence; that of labeled rows is moved by `forest` and `unusual`. */
static void draw(log_evidence *rows, size_t count, double forest, double unusual, uint64_t seed)
{
    rng draws = rng_make(seed, rng_stream("evidence", 0));
    for (size_t i = 0; i < count; i++)
        rows[i] = (log_evidence){rng_normal(&draws) + forest, rng_normal(&draws) + unusual};
}

static double objective(double forest, double unusual, const log_evidence *unlabeled,
                        const log_evidence *labeled)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < ROWS; i++)
        mean += exp(forest * unlabeled[i].forest + unusual * unlabeled[i].unusual) / ROWS;
    for (size_t i = 0; i < LABELS; i++)
        sum += forest * labeled[i].forest + unusual * labeled[i].unusual - log(mean);
    return sum - 8 * ((forest - 1) * (forest - 1) + unusual * unusual);
}

TEST(without_labels_out_of_bag_the_forest_alone_counts)
{
    static log_evidence unlabeled[ROWS];
    draw(unlabeled, ROWS, 0, 0, 1);
    evidence_weights weights = {0};
    evidence_weights_fit(&weights, unlabeled, ROWS, NULL, 0);
    CHECK_NEAR(weights.forest, 1, 1e-7);
    CHECK_NEAR(weights.unusual, 0, 1e-7);
    double mean = 0;
    for (size_t i = 0; i < ROWS; i++) mean += exp(evidence_alike(&weights, unlabeled[i])) / ROWS;
    CHECK_NEAR(mean, 1, 1e-5);
}

TEST(evidence_that_separates_the_labels_gets_more_weight)
{
    static log_evidence unlabeled[ROWS], labeled[LABELS];
    evidence_weights forest = {0}, unusual = {0};
    draw(unlabeled, ROWS, 0, 0, 2);
    draw(labeled, LABELS, 2, 0, 3);
    evidence_weights_fit(&forest, unlabeled, ROWS, labeled, LABELS);
    draw(labeled, LABELS, 0, 2, 3);
    evidence_weights_fit(&unusual, unlabeled, ROWS, labeled, LABELS);
    CHECK(forest.forest > 1.2F && forest.unusual < 0.1F);
    CHECK(unusual.forest < 0.5F && unusual.unusual > 1);
}

TEST(few_labels_move_the_exponents_less_than_many)
{
    static log_evidence unlabeled[ROWS], labeled[LABELS];
    draw(unlabeled, ROWS, 0, 0, 4);
    draw(labeled, LABELS, 0, 0, 5); /* the forest has learned nothing */
    float before = 1;
    for (size_t labels = 2; labels <= LABELS; labels *= 4) {
        evidence_weights weights = {0};
        evidence_weights_fit(&weights, unlabeled, ROWS, labeled, labels);
        CHECK(weights.forest < before);
        before = weights.forest;
    }
    CHECK(before < 0.6F);
}

TEST(the_exponents_maximize_the_penalized_likelihood)
{
    static log_evidence unlabeled[ROWS], labeled[LABELS];
    draw(unlabeled, ROWS, 0, 0, 6);
    draw(labeled, LABELS, 1, 0.5, 7);
    evidence_weights weights = {0};
    evidence_weights_fit(&weights, unlabeled, ROWS, labeled, LABELS);
    double f = (double)weights.forest, u = (double)weights.unusual,
           best = objective(f, u, unlabeled, labeled);
    for (int i = 0; i < 4; i++) {
        double step = i % 2 ? 0.01 : -0.01;
        CHECK(objective(f + (i < 2) * step, u + (i >= 2) * step, unlabeled, labeled) < best);
    }
}

TEST(an_exponent_that_stays_at_zero_leaves_the_other_at_its_maximum)
{
    static log_evidence unlabeled[ROWS], labeled[LABELS];
    draw(unlabeled, ROWS, 0, 0, 10);
    draw(labeled, LABELS, 0.7, -1, 11); /* labeled anomalies are less unusual than other rows */
    for (size_t i = 0; i < ROWS; i++) unlabeled[i].unusual += 0.6 * unlabeled[i].forest; /* correlated */
    evidence_weights weights = {0};
    evidence_weights_fit(&weights, unlabeled, ROWS, labeled, LABELS);
    CHECK(weights.unusual == 0);
    double f = (double)weights.forest, best = objective(f, 0, unlabeled, labeled);
    CHECK(objective(f + 0.01, 0, unlabeled, labeled) < best);
    CHECK(objective(f - 0.01, 0, unlabeled, labeled) < best);
}

TEST(extreme_evidence_gives_finite_weights)
{
    static log_evidence unlabeled[ROWS], labeled[LABELS];
    draw(unlabeled, ROWS, 0, 0, 8);
    draw(labeled, LABELS, 0, 0, 9);
    for (size_t i = 0; i < ROWS; i++) unlabeled[i].forest *= 700;
    for (size_t i = 0; i < LABELS; i++) labeled[i].unusual += 1e4;
    evidence_weights weights = {0};
    evidence_weights_fit(&weights, unlabeled, ROWS, labeled, LABELS);
    CHECK(isfinite(weights.forest) && isfinite(weights.unusual) && isfinite(weights.log_mean));
    CHECK(weights.forest >= 0 && weights.unusual >= 0);
    for (size_t i = 0; i < ROWS; i++) unlabeled[i] = (log_evidence){0, 0}; /* all rows alike */
    evidence_weights_fit(&weights, unlabeled, ROWS, labeled, LABELS);
    CHECK(isfinite(weights.forest) && isfinite(weights.unusual) && isfinite(weights.log_mean));
}

TEST(new_kinds_weigh_more_with_few_labels)
{
    CHECK_NEAR(evidence_novelty(0.2, 1), 0.28, 1e-6);
    CHECK_NEAR(evidence_novelty(0.2, 3), 0.2, 1e-6);
    CHECK_NEAR(evidence_novelty(0.2, 1000), 0.2, 1e-6);
    CHECK(evidence_novelty(0, 1) == 0);
    CHECK(evidence_novelty(0.9, 1) == 1);
}

TEST(rarity_counts_more_if_the_forest_does_not_find_labels_it_has_not_seen)
{
    static log_evidence unlabeled[ROWS], rare[LABELS], alike[LABELS];
    draw(unlabeled, ROWS, 0, -0.5, 12);
    draw(rare, LABELS, -1, 2, 13);
    draw(alike, LABELS, 3, 0, 14);
    evidence_weights weights = {.forest = 1};
    float before = 0.2F;
    for (size_t labels = 2; labels <= LABELS; labels *= 4) {
        evidence_novelty_fit(&weights, 0.2, rare, labels);
        CHECK(weights.novelty > before && weights.novelty < 1);
        before = weights.novelty;
    }
    CHECK(before > 0.7F);
    evidence_novelty_fit(&weights, 0.2, alike, LABELS);
    CHECK_NEAR(weights.novelty, 0.2, 1e-6); /* never less than without evidence */
    evidence_novelty_fit(&weights, 0.28, rare, 0);
    CHECK_NEAR(weights.novelty, 0.28, 1e-6);
    evidence_novelty_fit(&weights, 0, rare, LABELS);
    CHECK(weights.novelty == 0);
    evidence_novelty_fit(&weights, 1, alike, LABELS);
    CHECK(weights.novelty == 1);
}
