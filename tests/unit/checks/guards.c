/* Each guard fires for its problem, is silent for a healthy model, and gives advice. */
#include "checks/guards.h"

#include "base/rng.h"
#include "test.h"

enum { ROWS = 500, COLUMNS = 3 };
static float inputs[ROWS * COLUMNS], scores[ROWS], embeddings[ROWS * COLUMNS];

static guard_evidence healthy(void)
{
    rng draws = rng_make(1, 1);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        inputs[i] = (float)rng_normal(&draws);
        embeddings[i] = (float)rng_normal(&draws);
    }
    for (int i = 0; i < ROWS; i++) scores[i] = (float)rng_uniform(&draws);
    return (guard_evidence){.rows = ROWS,
                            .inputs = inputs,
                            .columns = COLUMNS,
                            .scores = scores,
                            .embeddings = embeddings,
                            .embedding_columns = COLUMNS,
                            .steps = 1000,
                            .negative_steps = 100,
                            .epochs = 20,
                            .best_epoch = 12,
                            .first_loss = 1,
                            .best_loss = 0.3};
}

/* The one finding, or GUARD_COUNT. */
static guard_name only_finding(const guard_evidence *evidence, bool useless)
{
    guard_report report;
    puad_status status = guards_check(&report, evidence);
    CHECK(status == PUAD_OK);
    CHECK(report.useless == useless);
    CHECK(report.count <= 1);
    for (size_t i = 0; i < report.count; i++)
        CHECK(!strchr(report.findings[i].text, '%') || strstr(report.findings[i].text, "% of"));
    return report.count == 1 ? report.findings[0].name : GUARD_COUNT;
}

TEST(a_healthy_model_raises_nothing)
{
    guard_evidence evidence = healthy();
    CHECK_INT(only_finding(&evidence, false), GUARD_COUNT);
}

TEST(equal_scores_are_a_collapse)
{
    guard_evidence evidence = healthy();
    for (int i = 0; i < ROWS; i++) scores[i] = 0.25F;
    CHECK_INT(only_finding(&evidence, true), GUARD_scores_equal);
    evidence.network = true;
    CHECK_INT(only_finding(&evidence, true), GUARD_scores_collapsed);
}

TEST(a_handful_of_distinct_scores_for_many_rows_is_a_collapse)
{
    guard_evidence evidence = healthy();
    for (int i = 0; i < ROWS; i++) scores[i] = (float)(i % 4);
    CHECK_INT(only_finding(&evidence, true), GUARD_scores_equal);
}

TEST(a_forest_that_separates_the_labeled_rows_may_have_few_scores)
{
    guard_evidence evidence = healthy();
    float labeled[20];
    for (int i = 0; i < ROWS; i++) scores[i] = i % 50 ? 0 : 0.125F;
    for (int i = 0; i < 20; i++) labeled[i] = 1;
    evidence.network = false;
    evidence.labeled_scores = labeled;
    evidence.labeled = 20;
    CHECK_INT(only_finding(&evidence, false), GUARD_COUNT);
    for (int i = 0; i < 20; i++) labeled[i] = i % 2 ? 0 : 0.125F;
    CHECK_INT(only_finding(&evidence, true), GUARD_scores_equal);
}

TEST(scores_that_differ_in_the_last_bits_only_are_a_collapse)
{
    guard_evidence evidence = healthy();
    for (int i = 0; i < ROWS; i++) scores[i] = nextafterf(100, i % 3 ? 200 : 0);
    for (int i = 0; i < ROWS; i += 2) scores[i] = 100;
    CHECK_INT(only_finding(&evidence, true), GUARD_scores_equal);
}

/* Few distinct scores are correct for few distinct rows. */
TEST(duplicated_rows_may_share_their_scores)
{
    guard_evidence evidence = healthy();
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < COLUMNS; k++) inputs[i * COLUMNS + k] = (float)(i % 12);
        scores[i] = (float)(i % 12);
    }
    CHECK_INT(only_finding(&evidence, false), GUARD_COUNT);
}

TEST(a_handful_of_distinct_rows_is_doubtful)
{
    guard_evidence evidence = healthy();
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < COLUMNS; k++) inputs[i * COLUMNS + k] = (float)(i % 4);
        scores[i] = (float)(i % 4);
    }
    CHECK_INT(only_finding(&evidence, false), GUARD_few_rows);
}

TEST(a_network_without_epochs_is_useless)
{
    guard_evidence evidence = healthy();
    evidence.network = true;
    CHECK_INT(only_finding(&evidence, false), GUARD_COUNT);
    evidence.epochs = 0;
    CHECK_INT(only_finding(&evidence, true), GUARD_not_trained);
}

TEST(labels_that_cannot_work_are_found_before_training)
{
    guard_labels good = {.unlabeled = 900,
                         .anomalies = 50,
                         .needs_unlabeled = true,
                         .uses_anomalies = true,
                         .uses_alpha = true,
                         .alpha = 0.1};
    CHECK_INT(guards_check_labels(&good).count, 0);
    guard_labels bad = good;
    bad.unlabeled = 0;
    CHECK(guards_check_labels(&bad).useless);
    bad = good, bad.anomalies = 0;
    CHECK_INT(guards_check_labels(&bad).findings[0].name, GUARD_no_anomalies);
    bad.uses_anomalies = false;
    CHECK_INT(guards_check_labels(&bad).count, 0);
    bad = good, bad.anomalies = 2;
    CHECK_INT(guards_check_labels(&bad).findings[0].name, GUARD_few_anomalies);
    bad.few_are_enough = true;
    CHECK_INT(guards_check_labels(&bad).count, 0);
    bad.anomalies = 1000;
    CHECK_INT(guards_check_labels(&bad).findings[0].name, GUARD_many_anomalies);
    bad = good, bad.anomalies = 1000;
    CHECK_INT(guards_check_labels(&bad).findings[0].name, GUARD_many_anomalies);
    bad = good, bad.alpha = 0;
    CHECK_INT(guards_check_labels(&bad).findings[0].name, GUARD_alpha_zero);
}

TEST(an_embedding_without_spread_is_a_collapse)
{
    guard_evidence evidence = healthy();
    for (int i = 0; i < ROWS * COLUMNS; i++) embeddings[i] = 0.7F + 1e-7F * (float)(i % 2);
    CHECK_INT(only_finding(&evidence, true), GUARD_embedding_collapsed);
    for (int i = 0; i < ROWS * COLUMNS; i++) embeddings[i] = 0;
    CHECK_INT(only_finding(&evidence, true), GUARD_embedding_collapsed);
}

TEST(scores_that_are_not_finite_make_a_model_useless)
{
    guard_evidence evidence = healthy();
    scores[17] = NAN;
    CHECK_INT(only_finding(&evidence, true), GUARD_not_finite);
}

TEST(constant_data_make_a_model_useless)
{
    guard_evidence evidence = healthy();
    for (int i = 0; i < ROWS * COLUMNS; i++) inputs[i] = i % 2 ? 0.0F : -0.0F;
    CHECK_INT(only_finding(&evidence, true), GUARD_constant_input);
}

TEST(training_that_never_improved_is_doubtful)
{
    guard_evidence evidence = healthy();
    evidence.best_epoch = 0;
    evidence.best_loss = evidence.first_loss;
    CHECK_INT(only_finding(&evidence, false), GUARD_never_improved);
    evidence.epochs = 1; /* one epoch cannot improve on itself */
    CHECK_INT(only_finding(&evidence, false), GUARD_COUNT);
}

TEST(mostly_negative_risk_warns_that_alpha_is_too_large)
{
    guard_evidence evidence = healthy();
    evidence.negative_steps = 800;
    guard_report report;
    CHECK_OK(guards_check(&report, &evidence));
    CHECK_INT(report.count, 1);
    CHECK(!report.useless);
    CHECK(strstr(report.findings[0].text, "80% of 1000 steps"));
    CHECK(strstr(report.findings[0].text, "smaller option 'alpha'"));
}

TEST(guards_have_their_names)
{
    CHECK_TEXT(guard_label(GUARD_scores_collapsed), "scores_collapsed");
}

TEST(a_classifier_that_calls_everything_normal_is_found)
{
    float labeled[20];
    guard_report report;
    guard_evidence evidence = healthy();
    for (int i = 0; i < ROWS; i++) scores[i] = -12 + 0.001F * (float)i;
    for (int i = 0; i < 20; i++) labeled[i] = -9;
    evidence.labeled_scores = labeled;
    evidence.labeled = 20;
    CHECK_OK(guards_check(&report, &evidence));
    CHECK(report.count == 0); /* of a distance, -9 means nothing */
    evidence.classifier = true;
    CHECK_OK(guards_check(&report, &evidence));
    CHECK(report.count == 1 && report.findings[0].name == GUARD_everything_normal && !report.useless);
    for (int i = 0; i < 20; i++) labeled[i] = 1;
    CHECK_OK(guards_check(&report, &evidence));
    CHECK(report.count == 0);
}

TEST(labels_that_were_not_learned_are_found)
{
    float labeled[20];
    guard_report report;
    guard_evidence evidence = healthy();
    evidence.labeled_scores = labeled;
    evidence.labeled = 20;
    for (int i = 0; i < 20; i++) labeled[i] = (float)i / 20;
    CHECK_OK(guards_check(&report, &evidence));
    CHECK(report.count == 1 && report.findings[0].name == GUARD_labels_not_learned);
    for (int i = 0; i < 20; i++) labeled[i] = 0.5F + (float)i / 40;
    CHECK_OK(guards_check(&report, &evidence));
    CHECK(report.count == 0);
    evidence.labeled = 3; /* too few to be reported */
    labeled[0] = labeled[1] = labeled[2] = 0;
    CHECK_OK(guards_check(&report, &evidence));
    CHECK(report.count == 0);
}
