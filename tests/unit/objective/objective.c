/* Objectives at values computed by hand, where they are not differentiable, and with invalid arguments. */
#include "objective/objective.h"
#include "test.h"

enum { ROWS_MAX = 16 };
static _Alignas(16) unsigned char workspace[ROWS_MAX * 128];
static double gradient[ROWS_MAX];

/* A pair that makes hand computation easy: neg = s, pos = 10 - s. */
static void plain_losses(void *context, puad_losses *out, double score)
{
    (void)context;
    *out = (puad_losses){score, 10 - score, 1, -1};
}
static const puad_loss_pair plain = {"plain", "for counting by hand", plain_losses, NULL};

static puad_criterion criterion_of(const char *objective, double alpha)
{
    puad_criterion criterion = {puad_objective_find(objective), &plain, puad_objective_options_standard()};
    criterion.options.alpha = alpha;
    criterion.options.weight = PUAD_WEIGHT_PRIOR;
    return criterion;
}

static double evaluate(const puad_criterion *criterion, const double *scores, const int8_t *labels,
                       size_t rows)
{
    double loss = NAN;
    if (puad_objective_evaluate(criterion, &loss, gradient, scores, labels, rows, workspace) != PUAD_OK)
        TEST_FAIL("%s", puad_last_error());
    return loss;
}

/* U: 1, 2, 6 (mean 3); A: 4, 8 (mean 6, pos 6 and 2, mean 4); L: 2 */
static const double scores[] = {1, 4, 2, 8, 6, 2};
static const int8_t labels[] = {0, 1, 0, 1, 0, -1};

#define CHECK_GRADIENT(...)                                                                                  \
    do {                                                                                                     \
        const double expected_gradient[] = {__VA_ARGS__};                                                    \
        for (size_t row = 0; row < sizeof expected_gradient / sizeof *expected_gradient; row++)              \
            CHECK_NEAR(gradient[row], expected_gradient[row], 1e-15);                                        \
    } while (0)

TEST(unsupervised_by_hand)
{
    puad_criterion criterion = criterion_of("unsupervised", 0.1);
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 3, 1e-15);
    CHECK_GRADIENT(1 / 3., 0, 1 / 3., 0, 1 / 3., 0);
}

TEST(semi_supervised_by_hand)
{
    puad_criterion criterion = criterion_of("semi_supervised", 0.1);
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 3 + 4 + 2, 1e-14);
    CHECK_GRADIENT(1 / 3., -1 / 2., 1 / 3., -1 / 2., 1 / 3., 1);
    criterion.options.balance = PUAD_BALANCE_POOLED;
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), (9 + 8 + 2) / 6., 1e-14);
    CHECK_GRADIENT(1 / 6., -1 / 6., 1 / 6., -1 / 6., 1 / 6., 1 / 6.);
}

TEST(pu_abs_by_hand_with_r_above_zero)
{
    puad_criterion criterion = criterion_of("pu_abs", 0.25); /* r = 3 - 0.25 * 6 = 1.5 */
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 0.25 * 4 + 1.5, 1e-14);
    CHECK_GRADIENT(1 / 3., -0.25, 1 / 3., -0.25, 1 / 3., 0);
    criterion.options.weight = PUAD_WEIGHT_EQUAL;
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 4 + 1.5 / 0.75, 1e-14);
    CHECK_GRADIENT(4 / 9., -0.5 - 0.125 / 0.75, 4 / 9., -0.5 - 0.125 / 0.75, 4 / 9., 0);
}

TEST(pu_abs_by_hand_with_r_below_zero)
{
    puad_criterion criterion = criterion_of("pu_abs", 0.75); /* r = 3 - 0.75 * 6 = -1.5 */
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 0.75 * 4 + 1.5, 1e-14);
    CHECK_GRADIENT(-1 / 3., 0, -1 / 3., 0, -1 / 3., 0);
}

TEST(at_r_zero_the_absolute_value_has_slope_zero)
{
    puad_criterion criterion = criterion_of("pu_abs", 0.5); /* r = 3 - 0.5 * 6 = 0 */
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 2, 1e-14);
    CHECK_GRADIENT(0, -0.25, 0, -0.25, 0, 0);
    criterion = criterion_of("pnu", 0.5);
    criterion.options.eta = 1;
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 2, 1e-14);
    CHECK_GRADIENT(0, -0.25, 0, -0.25, 0, 0);
}

TEST(pu_nn_follows_minus_r_alone_while_r_is_below_zero)
{
    puad_criterion criterion = criterion_of("pu_nn", 0.75); /* r = -1.5 */
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 0.75 * 4, 1e-14);
    CHECK_GRADIENT(-1 / 3., 0.375, -1 / 3., 0.375, -1 / 3., 0);
}

TEST(pu_nn_is_the_unbiased_risk_from_r_zero_on)
{
    puad_criterion criterion = criterion_of("pu_nn", 0.5); /* r = 0 */
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 2, 1e-14);
    CHECK_GRADIENT(1 / 3., -0.5, 1 / 3., -0.5, 1 / 3., 0);
    criterion.options.alpha = 0.25; /* r = 1.5 */
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 1 + 1.5, 1e-14);
    CHECK_GRADIENT(1 / 3., -0.25, 1 / 3., -0.25, 1 / 3., 0);
}

TEST(pu_unbiased_by_hand_may_be_below_zero)
{
    puad_criterion criterion = criterion_of("pu_unbiased", 0.75);
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 0.75 * 4 - 1.5, 1e-14);
    CHECK_GRADIENT(1 / 3., -0.75, 1 / 3., -0.75, 1 / 3., 0);
}

TEST(loe_presumes_the_highest_floor_of_alpha_n_rows)
{
    puad_criterion criterion = criterion_of("loe", 0.34); /* floor(1.02) = 1 row: the 6 */
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), (1 + 2 + 4) / 3., 1e-14);
    CHECK_GRADIENT(1 / 3., 0, 1 / 3., 0, -1 / 3., 0);
    criterion.options.soft = 1;
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), (1 + 2 + 5) / 3., 1e-14);
    CHECK_GRADIENT(1 / 3., 0, 1 / 3., 0, 0, 0);
    criterion.options.alpha = 0.33; /* floor(0.99) = 0 rows */
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 3, 1e-14);
    criterion.options.alpha = 1 / 3. - 1e-8; /* a fraction that means one row, up to rounding */
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), (1 + 2 + 5) / 3., 1e-14);
}

TEST(loe_breaks_ties_by_row_order)
{
    static const double tied[] = {3, 5, 5, 1, 5, 5};
    static const int8_t unlabeled[6] = {0};
    puad_criterion criterion = criterion_of("loe", 0.5);
    evaluate(&criterion, tied, unlabeled, 6);
    CHECK_GRADIENT(1 / 6., -1 / 6., -1 / 6., 1 / 6., -1 / 6., 1 / 6.);
    criterion.options.alpha = 0.17;
    evaluate(&criterion, tied, unlabeled, 6);
    CHECK_GRADIENT(1 / 6., -1 / 6., 1 / 6., 1 / 6., 1 / 6., 1 / 6.);
}

TEST(loe_presumes_the_same_rows_as_a_full_sort)
{
    double many[ROWS_MAX];
    static const int8_t unlabeled[ROWS_MAX] = {0};
    for (unsigned round = 0; round < 200; round++) {
        for (unsigned i = 0; i < ROWS_MAX; i++)
            many[i] = (double)((i * 7919u + round * 104729u + i * i * round) % 11u);
        for (unsigned max = 0; max < ROWS_MAX; max++) {
            puad_criterion criterion = criterion_of("loe", max / (double)ROWS_MAX);
            evaluate(&criterion, many, unlabeled, ROWS_MAX);
            for (unsigned i = 0; i < ROWS_MAX; i++) {
                unsigned before = 0;
                for (unsigned j = 0; j < ROWS_MAX; j++)
                    before += many[j] > many[i] || (many[j] == many[i] && j < i);
                CHECK((gradient[i] < 0) == (before < max));
            }
        }
    }
}

TEST(soel_by_hand)
{
    puad_criterion criterion = criterion_of("soel", 0.34);
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 7 / 3. + 4 + 2, 1e-14);
    CHECK_GRADIENT(1 / 3., -0.5, 1 / 3., -0.5, -1 / 3., 1);
}

TEST(pu_loe_by_hand)
{
    puad_criterion criterion = criterion_of("pu_loe", 0.34); /* r = 7/3 - 0.34 * 6 = 0.293.. */
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 0.34 * 4 + 7 / 3. - 2.04, 1e-14);
    CHECK_GRADIENT(1 / 3., -0.34, 1 / 3., -0.34, -1 / 3., 0);
    criterion.options.alpha = 0.5; /* still 1 row; r = 7/3 - 3 < 0 */
    criterion.options.weight = PUAD_WEIGHT_EQUAL;
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 4 + (3 - 7 / 3.) / 0.5, 1e-14);
    CHECK_GRADIENT(-2 / 3., -0.5 + 0.5, -2 / 3., -0.5 + 0.5, 2 / 3., 0);
}

TEST(pnu_by_hand)
{
    puad_criterion criterion = criterion_of("pnu", 0.25);
    criterion.options.eta = 0.4;
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 0.25 * 4 + 0.6 * 0.75 * 2 + 0.4 * 1.5, 1e-14);
    CHECK_GRADIENT(0.4 / 3, -0.125 - 0.05, 0.4 / 3, -0.125 - 0.05, 0.4 / 3, 0.45);
    criterion.options.weight = PUAD_WEIGHT_EQUAL;
    CHECK_NEAR(evaluate(&criterion, scores, labels, 6), 4 + 0.6 * 2 + 0.4 * 1.5 / 0.75, 1e-14);
    double u = 0.4 / 0.75 / 3, a = -0.5 - 0.25 * 0.4 / 0.75 / 2;
    CHECK_GRADIENT(u, a, u, a, u, 0.6);
}

TEST(eta_comes_from_the_variances_the_counts_imply)
{
    puad_objective_options options = puad_objective_options_standard();
    options.alpha = 0.1;
    options.training_anomalies = 20;
    options.training_normals = 50;
    double a = 0.01 / 20, b = 0.81 / 50;
    CHECK_NEAR(objective_eta(&options), (b - a) / (b + a), 1e-15);
    options.training_normals = 5000; /* many normals: their mean is better than the PU estimate of it */
    CHECK_NEAR(objective_eta(&options), 0, 0);
    options.training_normals = 0;
    CHECK_NEAR(objective_eta(&options), 1, 0);
    options.training_normals = 5;
    options.training_anomalies = 0;
    CHECK_NEAR(objective_eta(&options), 0, 0);
    options.alpha = 0;
    CHECK_NEAR(objective_eta(&options), 1, 0);
    options.eta = 0.3;
    CHECK_NEAR(objective_eta(&options), 0.3, 0);
}

TEST(invalid_arguments_are_rejected_with_their_place)
{
    double loss, odd[] = {1, NAN, 2};
    static const int8_t wrong[] = {0, 1, 2};
    puad_criterion criterion = criterion_of("pu_abs", 0.1);
    CHECK_FAILS(puad_objective_evaluate(&criterion, &loss, NULL, odd, labels, 3, workspace), PUAD_NUMERIC,
                "row 1");
    CHECK_FAILS(puad_objective_evaluate(&criterion, &loss, NULL, scores, wrong, 3, workspace), PUAD_INVALID,
                "row 2", "label 2");
    criterion.options.alpha = 1;
    CHECK_FAILS(puad_objective_evaluate(&criterion, &loss, NULL, scores, labels, 3, workspace), PUAD_INVALID,
                "alpha");
    criterion.options.alpha = NAN;
    CHECK_FAILS(puad_objective_evaluate(&criterion, &loss, NULL, scores, labels, 3, workspace), PUAD_INVALID,
                "alpha");
    criterion = criterion_of("pu_abs", 0.1);
    criterion.options.weight = (puad_weight)7;
    CHECK_FAILS(puad_objective_evaluate(&criterion, &loss, NULL, scores, labels, 3, workspace), PUAD_INVALID,
                "weight");
    criterion = criterion_of("pnu", 0.1);
    criterion.options.eta = 1.5;
    CHECK_FAILS(puad_objective_evaluate(&criterion, &loss, NULL, scores, labels, 3, workspace), PUAD_INVALID,
                "eta");
}

static void broken_losses(void *context, puad_losses *out, double score)
{
    *out = (puad_losses){score, score, 1, *(double *)context};
}

TEST(a_failing_custom_loss_pair_is_named)
{
    double loss, slope = INFINITY;
    puad_loss_pair broken = {"broken", "", broken_losses, &slope};
    puad_criterion criterion = {puad_objective_find("pu_abs"), &broken, puad_objective_options_standard()};
    CHECK_FAILS(puad_objective_evaluate(&criterion, &loss, gradient, scores, labels, 6, workspace),
                PUAD_NUMERIC, "pu_abs", "row");
}

TEST(options_read_back_as_they_were_set)
{
    const puad_objective *objective = puad_objective_find("pu_loe"), *pnu = puad_objective_find("pnu");
    puad_objective_options options = puad_objective_options_standard();
    char text[64];
    CHECK_OK(objective_option_text(text, sizeof text, &options, "weight"));
    CHECK_TEXT(text, "equal");
    CHECK_OK(objective_option_text(text, sizeof text, &options, "eta"));
    CHECK_TEXT(text, "");
    CHECK_OK(objective_option_set(&options, objective, "weight", "prior"));
    CHECK_OK(objective_option_set(&options, objective, "soft", "true"));
    CHECK_OK(objective_option_set(&options, pnu, "eta", "0.1"));
    CHECK_INT(options.weight, PUAD_WEIGHT_PRIOR);
    CHECK_INT(options.soft, 1);
    CHECK_NEAR(options.eta, 0.1, 0);
    CHECK_OK(objective_option_text(text, sizeof text, &options, "soft"));
    CHECK_TEXT(text, "yes");
    CHECK_OK(objective_option_text(text, sizeof text, &options, "eta"));
    CHECK_NEAR(strtod(text, NULL), 0.1, 0);
    CHECK_FAILS(objective_option_set(&options, objective, "balance", "pooled"), PUAD_INVALID, "pu_loe",
                "'balance'", "weight soft");
    CHECK_FAILS(objective_option_set(&options, objective, "soft", "maybe"), PUAD_INVALID, "'soft'", "'maybe'",
                "no", "yes");
    CHECK_FAILS(objective_option_set(&options, pnu, "eta", "2"), PUAD_INVALID, "'eta'", "2");
    CHECK_FAILS(objective_option_set(&options, pnu, "", "2"), PUAD_INVALID, "pnu", "''", "weight eta");
}

TEST(labels_that_cannot_be_used_are_named)
{
    char text[200];
    CHECK_INT(objective_unused_labels(text, sizeof text, "ae", puad_objective_find("unsupervised"), 20, 0),
              PUAD_USES_ANOMALIES);
    CHECK_TEXT(text, "ae cannot use the 20 labeled anomalies");
    objective_unused_labels(text, sizeof text, "ae", puad_objective_find("unsupervised"), 20, 3);
    CHECK_TEXT(text, "ae cannot use the 20 labeled anomalies and the 3 labeled normals");
    CHECK_INT(objective_unused_labels(text, sizeof text, "puae", puad_objective_find("pu_abs"), 20, 3),
              PUAD_USES_NORMALS);
    CHECK_TEXT(text, "puae cannot use the 3 labeled normals");
    CHECK_INT(
        objective_unused_labels(text, sizeof text, "deepsad", puad_objective_find("semi_supervised"), 20, 3),
        0);
    CHECK_TEXT(text, "");
}

TEST(a_workspace_beyond_the_machine_is_refused)
{
    CHECK_INT(puad_objective_workspace(puad_objective_find("loe"), SIZE_MAX / 16), 0);
    CHECK(puad_objective_workspace(puad_objective_find("loe"), 0) > 0);
}
