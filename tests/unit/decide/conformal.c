/* P-values, Benjamini-Hochberg and calibrated probabilities: counted examples, and false discoveries on
 * mixtures. */
#include "decide/conformal.h"

#include "base/sort.h"
#include "simulated_scores.h"
#include "test.h"

TEST(plain_p_values_count_calibration_rows)
{
    float calibration[4] = {1, 2, 2, 3};
    AUTO_CONFORMAL conformal conformal_scores = {0};
    CHECK_OK(conformal_new(&conformal_scores, &(pu_sample){NULL, 0, calibration, 4}, 0));
    CHECK_NEAR(conformal_p(&conformal_scores, CONFORMAL_PLAIN, 3), 2.0 / 5, 1e-12);
    CHECK_NEAR(conformal_p(&conformal_scores, CONFORMAL_PLAIN, 2), 4.0 / 5, 1e-12);
    CHECK_NEAR(conformal_p(&conformal_scores, CONFORMAL_PLAIN, 0), 1, 1e-12);
}

/* A row above every calibration row counts only itself. */
TEST(a_row_above_all_calibration_rows_gets_the_smallest_p)
{
    float calibration[4] = {1, 2, 2, 3}, anomaly[2] = {2.5F, 5};
    AUTO_CONFORMAL conformal by_plain = {0}, conformal_scores = {0};
    CHECK_OK(conformal_new(&by_plain, &(pu_sample){NULL, 0, calibration, 4}, 0));
    CHECK_NEAR(conformal_p(&by_plain, CONFORMAL_PLAIN, 4), 1.0 / 5, 1e-12);
    CHECK_NEAR(conformal_smallest(&by_plain, CONFORMAL_PLAIN), 1.0 / 5, 1e-12);
    CHECK_OK(conformal_new(&conformal_scores, &(pu_sample){anomaly, 2, calibration, 4}, 0.25));
    CHECK_NEAR(conformal_p(&conformal_scores, CONFORMAL_CORRECTED, 9),
               conformal_smallest(&conformal_scores, CONFORMAL_CORRECTED), 1e-12);
    CHECK_NEAR(conformal_smallest(&conformal_scores, CONFORMAL_CORRECTED), 1.0 / (1 + 4 * 0.75), 1e-12);
}

/* n = 10, alpha = 0.2, at score 5: G_U = 3/10, G_A = 1/2, so p = (1 + 10 (0.3 - 0.1)) / (1 + 8). */
TEST(corrected_p_values_follow_the_formula_and_never_fall)
{
    float calibration[10] = {9, 8, 5, 4, 3, 2, 1, 0, -1, -2}, anomaly[2] = {6, 0.5F};
    AUTO_CONFORMAL conformal conformal_scores = {0};
    CHECK_OK(conformal_new(&conformal_scores, &(pu_sample){anomaly, 2, calibration, 10}, 0.2));
    CHECK_NEAR(conformal_p(&conformal_scores, CONFORMAL_CORRECTED, 5), 3.0 / 9, 1e-12);
    CHECK_NEAR(conformal_p(&conformal_scores, CONFORMAL_CORRECTED, 6), 2.5 / 9,
               1e-12); /* raw 2/9, pooled with 3/9 at 8 */
    CHECK_NEAR(conformal_p(&conformal_scores, CONFORMAL_CORRECTED, 8), 2.5 / 9, 1e-12);
    CHECK_NEAR(conformal_p(&conformal_scores, CONFORMAL_CORRECTED, -9), 1, 1e-12);
    for (size_t i = 1; i < conformal_scores.levels; i++) {
        CHECK(conformal_scores.p[CONFORMAL_CORRECTED][i] >= conformal_scores.p[CONFORMAL_CORRECTED][i - 1]);
        CHECK(conformal_scores.posterior[i] <= conformal_scores.posterior[i - 1]);
    }
}

/* The reference: the largest p that is flagged, or -1. */
static double benjamini_hochberg(const double *p, size_t count, double rate, double *scratch)
{
    memcpy(scratch, p, count * sizeof *p);
    sort_doubles(scratch, count);
    for (size_t i = count; i > 0; i--)
        if (scratch[i - 1] * (double)count <= rate * (double)i) return scratch[i - 1];
    return -1;
}

TEST(benjamini_hochberg_flags_the_published_example)
{
    /* Benjamini and Hochberg (1995), section 3: 15 p-values, the first four are flagged at 0.05. */
    double p[15] = {.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
                    .0459, .3240, .4262, .5719, .6528, .7590, 1.000},
           scratch[15];
    CHECK_NEAR(benjamini_hochberg(p, 15, 0.05, scratch), 0.0095, 1e-12);
    CHECK_NEAR(benjamini_hochberg(p + 9, 6, 0.05, scratch), -1, 0);
}

TEST(flagging_by_counts_equals_flagging_by_p_values)
{
    simulated calibration = simulate(50, 800, 0.1, 3, 1), rows = simulate(50, 800, 0.1, 3, 2);
    AUTO_CONFORMAL conformal conformal_scores = {0};
    CHECK_OK(conformal_new(&conformal_scores,
                           &(pu_sample){calibration.anomaly, 50, calibration.unlabeled_scores, 800}, 0.1));
    AUTO_FREE uint64_t *counts = calloc(conformal_scores.levels, sizeof *counts);
    double p[800], scratch[800];
    for (int i = 0; i < 800; i++) {
        counts[conformal_level(&conformal_scores, rows.unlabeled_scores[i])]++;
        p[i] = conformal_p(&conformal_scores, CONFORMAL_CORRECTED, rows.unlabeled_scores[i]);
    }
    size_t levels = conformal_flag_levels(&conformal_scores, CONFORMAL_CORRECTED, counts, 0.1);
    double large = 0, normals;
    for (int i = 0; i < 800; i++) large += p[i] > 0.5;
    normals = fmin(1, (1 + large) / 400);
    CHECK_NEAR(conformal_normals(&conformal_scores, CONFORMAL_CORRECTED, counts), normals, 1e-12);
    CHECK(normals > 0.8 && normals < 1);
    double largest = benjamini_hochberg(p, 800, 0.1 / normals, scratch);
    CHECK(levels > 0);
    for (int i = 0; i < 800; i++)
        CHECK((conformal_level(&conformal_scores, rows.unlabeled_scores[i]) < levels) == (p[i] <= largest));
    simulated_free(&calibration);
    simulated_free(&rows);
}

TEST(rows_in_the_lower_half_are_never_flagged)
{
    simulated calibration = simulate(50, 800, 0.1, 3, 1);
    AUTO_CONFORMAL conformal conformal_scores = {0};
    CHECK_OK(conformal_new(&conformal_scores,
                           &(pu_sample){calibration.anomaly, 50, calibration.unlabeled_scores, 800}, 0.1));
    AUTO_FREE uint64_t *counts = calloc(conformal_scores.levels, sizeof *counts);
    /* 1000 rows with a p just below one half: Storey's fraction of normal rows is close to 0 */
    size_t middle = 0;
    while (conformal_scores.p[CONFORMAL_CORRECTED][middle + 1] <= 0.5) middle++;
    counts[middle] = 1000;
    counts[conformal_scores.levels - 1] = 10; /* and some that score below all others */
    CHECK(conformal_normals(&conformal_scores, CONFORMAL_CORRECTED, counts) < 0.1);
    CHECK_INT(conformal_flag_levels(&conformal_scores, CONFORMAL_CORRECTED, counts, 0.1), middle + 1);
    simulated_free(&calibration);
}

TEST(plain_p_values_of_normal_rows_are_never_too_small)
{
    double share[3] = {0};
    const double at[3] = {0.01, 0.05, 0.2};
    for (int draw = 0; draw < 40; draw++) {
        simulated calibration = simulate(1, 500, 0.05, 3, (uint64_t)draw),
                  rows = simulate(1, 500, 0, 3, 1000 + (uint64_t)draw);
        /* the same map from x to score in both: only ranks matter, and it is rising in x for either alpha */
        AUTO_CONFORMAL conformal conformal_scores = {0};
        for (int i = 0; i < 500; i++) { /* back to ratio order, which both share */
            double c = (double)calibration.unlabeled_scores[i], odds = c / (1 - c) * 500;
            calibration.unlabeled_scores[i] = (float)(odds * 0.95 / (1 - 0.05 * odds));
            double r = (double)rows.unlabeled_scores[i];
            rows.unlabeled_scores[i] = (float)(r / (1 - r) * 500);
        }
        CHECK_OK(
            conformal_new(&conformal_scores, &(pu_sample){NULL, 0, calibration.unlabeled_scores, 500}, 0));
        for (int i = 0; i < 500; i++)
            for (int k = 0; k < 3; k++)
                share[k] +=
                    (conformal_p(&conformal_scores, CONFORMAL_PLAIN, rows.unlabeled_scores[i]) <= at[k]) /
                    (500.0 * 40);
        simulated_free(&calibration);
        simulated_free(&rows);
    }
    for (int k = 0; k < 3; k++) CHECK(share[k] <= at[k] * 1.05);
}

/* Calibration with 60 labeled anomalies; fresh rows of the same mixture. */
static void false_discoveries(double *out_rate, double *out_error, double *out_recall, double *out_best,
                              conformal_kind kind)
{
    enum { DRAWS = 60, ROWS = 2000 };
    double sum = 0, squares = 0, recall = 0, best = 0;
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        simulated calibration = simulate(60, 1500, 0.1, 3, draw),
                  rows = simulate(60, ROWS, 0.1, 3, 5000 + draw);
        for (int i = 0; i < ROWS;
             i++) { /* the odds of the two differ only by the numbers of unlabeled rows */
            double r = (double)rows.unlabeled_scores[i], odds = r / (1 - r) * ROWS / 1500;
            rows.unlabeled_scores[i] = (float)(odds / (1 + odds));
        }
        AUTO_CONFORMAL conformal conformal_scores = {0};
        CHECK_OK(conformal_new(&conformal_scores,
                               &(pu_sample){calibration.anomaly, 60, calibration.unlabeled_scores, 1500},
                               0.1));
        AUTO_FREE uint64_t *counts = calloc(conformal_scores.levels, sizeof *counts);
        for (int i = 0; i < ROWS; i++) counts[conformal_level(&conformal_scores, rows.unlabeled_scores[i])]++;
        size_t levels = conformal_flag_levels(&conformal_scores, kind, counts, 0.1);
        double found = 0, wrong = 0;
        for (size_t i = 0; i < ROWS; i++)
            if (conformal_level(&conformal_scores, rows.unlabeled_scores[i]) < levels)
                *(i < rows.hidden ? &found : &wrong) += 1;
        double rate = found + wrong > 0 ? wrong / (found + wrong) : 0;
        sum += rate;
        squares += rate * rate;
        recall += found / (double)rows.hidden / DRAWS;
        double max = 0; /* the best threshold in hindsight with a false alarm rate of at most 0.1 */
        for (size_t at = 0; at < rows.hidden; at++) {
            double right = 0, false_ones = 0;
            for (size_t i = 0; i < ROWS; i++)
                if (rows.unlabeled_scores[i] >= rows.unlabeled_scores[at])
                    *(i < rows.hidden ? &right : &false_ones) += 1;
            if (false_ones <= 0.1 * (right + false_ones)) max = fmax(max, right / (double)rows.hidden);
        }
        best += max / DRAWS;
        simulated_free(&calibration);
        simulated_free(&rows);
    }
    *out_rate = sum / DRAWS;
    *out_error = sqrt(fmax(0, squares / DRAWS - sum / DRAWS * (sum / DRAWS)) / DRAWS);
    *out_recall = recall;
    *out_best = best;
}

TEST(corrected_p_values_keep_the_false_discovery_rate_and_find_most)
{
    double rate, error, recall, best;
    false_discoveries(&rate, &error, &recall, &best, CONFORMAL_CORRECTED);
    if (getenv("VERBOSE"))
        printf("false discovery rate %.4f +- %.4f, recall %.3f, best %.3f\n", rate, error, recall, best);
    CHECK(rate <= 0.1 + 2 * error);
    CHECK(recall >= 0.5 * best);
}

TEST(plain_p_values_on_contaminated_calibration_find_almost_nothing)
{
    double rate, error, recall, best;
    false_discoveries(&rate, &error, &recall, &best, CONFORMAL_PLAIN);
    if (getenv("VERBOSE"))
        printf("false discovery rate %.4f +- %.4f, recall %.3f, best %.3f\n", rate, error, recall, best);
    CHECK(rate <= 0.1);
    CHECK(recall < 0.1);
}

TEST(the_posterior_is_the_fraction_of_anomalies_at_a_score)
{
    simulated calibration = simulate(3000, 20000, 0.2, 2, 1);
    AUTO_CONFORMAL conformal conformal_scores = {0};
    CHECK_OK(conformal_new(&conformal_scores,
                           &(pu_sample){calibration.anomaly, 3000, calibration.unlabeled_scores, 20000},
                           0.2));
    double expected = 0, hidden = 0, rows = 0;
    for (size_t i = 0; i < 20000; i++) {
        double posterior = conformal_posterior(&conformal_scores, calibration.unlabeled_scores[i]);
        if (posterior < 0.4 || posterior > 0.8) continue;
        expected += posterior;
        hidden += i < calibration.hidden;
        rows++;
    }
    CHECK(rows > 100);
    CHECK_NEAR(hidden / rows, expected / rows, 0.06);
    simulated_free(&calibration);
}

TEST(the_flag_rate_flags_that_fraction_of_the_calibration_rows)
{
    float calibration[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    AUTO_CONFORMAL conformal conformal_scores = {0};
    CHECK_OK(conformal_new(&conformal_scores, &(pu_sample){NULL, 0, calibration, 10}, 0));
    CHECK_NEAR(conformal_flag_rate(&conformal_scores, 0.3), 7, 0);
    CHECK_NEAR(conformal_flag_rate(&conformal_scores, 0.39), 7, 0);
    CHECK(isinf(conformal_flag_rate(&conformal_scores, 0.05)));
    CHECK_NEAR(conformal_flag_rate(&conformal_scores, 1), 0, 0);
}

TEST(unusable_calibration_is_refused)
{
    float score = 1, none = NAN;
    conformal calibration;
    CHECK_FAILS(conformal_new(&calibration, &(pu_sample){NULL, 0, &score, 0}, 0), PUAD_INVALID, "scores");
    CHECK_FAILS(conformal_new(&calibration, &(pu_sample){NULL, 0, &none, 1}, 0), PUAD_NUMERIC, "score 0");
    CHECK_FAILS(conformal_new(&calibration, &(pu_sample){&score, 1, &score, 1}, 1), PUAD_INVALID, "alpha 1");
}

/* Log-odds of normal rows N(0, 1) and anomalies N(4, 1), the first `hidden` of the rows and all labels. */
static void draw_log_odds(float *rows, size_t count, size_t hidden, float *labeled, size_t labels,
                          uint64_t seed)
{
    rng draws = rng_make(seed, rng_stream("log odds", 0));
    for (size_t i = 0; i < count; i++) rows[i] = (float)(4 * (rng_normal(&draws) + (i < hidden ? 4 : 0)) - 8);
    for (size_t i = 0; i < labels; i++) labeled[i] = (float)(4 * (rng_normal(&draws) + 4) - 8);
}

enum { HELD = 1500, FRESH = 3000, LABELS = 50, RATES = 3 };
static const double rates[RATES] = {0.05, 0.1, 0.2};

/* Adds the false alarm rate and the recall at each rate, with alpha estimated from the labels. */
static void decide_modeled(double wrong[RATES], double recall[RATES], size_t labels, double alpha,
                           uint64_t seed)
{
    static float held[HELD], fresh[FRESH], labeled[LABELS];
    size_t hidden = (size_t)(alpha * FRESH);
    draw_log_odds(held, HELD, (size_t)(alpha * HELD), labeled, labels, seed);
    draw_log_odds(fresh, FRESH, hidden, NULL, 0, 700 + seed);
    AUTO_CONFORMAL conformal calibration = {0};
    CHECK_OK(conformal_new(&calibration, &(pu_sample){labeled, labels, held, HELD}, NAN));
    AUTO_FREE uint64_t *counts = calloc(calibration.levels, sizeof *counts);
    for (size_t i = 0; i < FRESH; i++) counts[conformal_level(&calibration, fresh[i])]++;
    for (size_t k = 0; k < RATES; k++) {
        size_t levels = conformal_flag_levels(&calibration, CONFORMAL_CORRECTED, counts, rates[k]);
        double found = 0, false_ones = 0;
        for (size_t i = 0; i < FRESH; i++)
            if (conformal_level(&calibration, fresh[i]) < levels) *(i < hidden ? &found : &false_ones) += 1;
        if (levels) CHECK(calibration.recall[levels - 1] >= CONFORMAL_RECALL_MIN);
        wrong[k] += found + false_ones > 0 ? false_ones / (found + false_ones) : 0;
        recall[k] += found / (double)hidden;
    }
}

TEST(flags_by_labels_keep_the_rate_and_a_smaller_rate_flags_less)
{
    enum { DRAWS = 20 };
    double wrong[RATES] = {0}, recall[RATES] = {0};
    for (uint64_t draw = 0; draw < DRAWS; draw++) decide_modeled(wrong, recall, LABELS, 0.1, draw);
    printf("recall at 0.05, 0.1 and 0.2: %.2f, %.2f, %.2f\n", recall[0] / DRAWS, recall[1] / DRAWS,
           recall[2] / DRAWS);
    for (size_t k = 0; k < RATES; k++) CHECK(wrong[k] / DRAWS <= rates[k]);
    CHECK(recall[0] <= recall[1] && recall[1] <= recall[2] && recall[2] / DRAWS >= 0.5);
}

TEST(few_labels_among_many_rows_give_no_guarantee)
{
    double wrong[RATES] = {0}, recall[RATES] = {0}, none[RATES] = {0};
    for (uint64_t draw = 0; draw < 5; draw++) {
        decide_modeled(wrong, none, 20, 0.25,
                       draw); /* four fifths of the labels lie above a fifth of the rows */
        decide_modeled(wrong, recall, 20, 0.05, draw);
    }
    for (size_t k = 0; k < RATES; k++) CHECK_NEAR(none[k], 0, 0);
    CHECK(recall[2] / 5 >= 0.3);
}

/* Whether labels support a correction where anomalies are N(distance, 1) among normal rows N(0, 1), a tenth
 * of the rows; `out_false` is the fraction of normal rows among those above the median label. */
static void find_reason(conformal_reason *out, double distance, uint64_t seed, double *out_overlap,
                        double *out_false)
{
    enum { ROWS = 2000, HIDDEN = 200, MANY = 200 };
    static float rows[ROWS], labeled[MANY];
    rng draws = rng_make(seed, rng_stream("overlap", 0));
    double above[2] = {0};
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = (float)(distance * (rng_normal(&draws) + (i < HIDDEN ? distance : 0)));
    for (size_t i = 0; i < MANY; i++) labeled[i] = (float)(distance * (rng_normal(&draws) + distance));
    AUTO_CONFORMAL conformal calibration = {0};
    CHECK_OK(conformal_new(&calibration, &(pu_sample){labeled, MANY, rows, ROWS}, NAN));
    for (size_t i = 0; i < ROWS; i++)
        if ((double)rows[i] >= distance * distance) above[i >= HIDDEN]++;
    *out_overlap = calibration.overlap;
    *out_false = above[1] / (above[0] + above[1]);
    *out = conformal_declines(&calibration);
    AUTO_FREE uint64_t *counts = calloc(calibration.levels, sizeof *counts);
    for (size_t i = 0; i < ROWS; i++) counts[conformal_level(&calibration, rows[i])]++;
    if (*out)
        CHECK_INT(conformal_flag_levels(&calibration, CONFORMAL_CORRECTED, counts, 0.2),
                  conformal_flag_levels(&calibration, CONFORMAL_PLAIN, counts, 0.2));
}

TEST(labels_that_overlap_with_unlabeled_rows_give_no_guarantee)
{
    enum { DRAWS = 20 };
    size_t declined = 0, declined_apart = 0;
    conformal_reason why = CONFORMAL_ACCEPTED;
    double overlap = 0, wrong = 0, sum_overlap = 0, sum_wrong = 0;
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        find_reason(&why, 1.2, draw, &overlap, &wrong);
        declined += why == CONFORMAL_OVERLAPS;
        sum_overlap += overlap;
        sum_wrong += wrong;
        find_reason(&why, 5, draw, &overlap, &wrong);
        declined_apart += why != CONFORMAL_ACCEPTED;
    }
    printf("declined in %zu of %d draws with overlap, %zu without; at least %.2f false, in truth %.2f\n",
           declined, DRAWS, declined_apart, sum_overlap / DRAWS, sum_wrong / DRAWS);
    CHECK(declined >= 18 && declined_apart <= 3);
    CHECK(sum_overlap <= sum_wrong);
}

/* As with a table of 6000 rows of which 2400 are held out, a twentieth of them anomalies. */
TEST(scores_that_are_apart_are_not_declined_by_chance)
{
    enum { DRAWS = 60, ROWS = 2400, HIDDEN = 120, MANY = 100, FEW = 50 };
    static float rows[ROWS], labeled[MANY];
    const double distance = 5, rate = 0.1;
    size_t declined = 0, flags = 0, flagged = 0, wrong = 0;
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        rng draws = rng_make(draw, rng_stream("apart", 0));
        for (size_t i = 0; i < ROWS; i++)
            rows[i] = (float)(distance * (rng_normal(&draws) + (i < HIDDEN ? distance : 0)));
        for (size_t i = 0; i < MANY; i++) labeled[i] = (float)(distance * (rng_normal(&draws) + distance));
        for (size_t labels = FEW; labels <= MANY; labels += FEW) {
            AUTO_CONFORMAL conformal calibration = {0};
            CHECK_OK(conformal_new(&calibration, &(pu_sample){labeled, labels, rows, ROWS}, NAN));
            declined += conformal_declines(&calibration) != CONFORMAL_ACCEPTED;
            AUTO_FREE uint64_t *counts = calloc(calibration.levels, sizeof *counts);
            for (size_t i = 0; i < ROWS; i++) counts[conformal_level(&calibration, rows[i])]++;
            size_t last = conformal_flag_levels(&calibration, CONFORMAL_CORRECTED, counts, rate);
            flags += last > 0;
            for (size_t i = 0; i < ROWS; i++) {
                flagged += conformal_level(&calibration, rows[i]) < last;
                wrong += i >= HIDDEN && conformal_level(&calibration, rows[i]) < last;
            }
        }
    }
    printf("declined %zu, flags in %zu of %d, %zu of %zu flags false\n", declined, flags, 2 * DRAWS, wrong,
           flagged);
    CHECK(declined <= 2 * DRAWS / 20);
    CHECK(flags >= 2 * DRAWS * 9 / 10);
    CHECK((double)wrong <= rate * (double)flagged);
}
