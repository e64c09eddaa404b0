/* Detectors without a network: hidden anomalies, new kinds, no labels, and the parts they are made of. */
#include "detector/ensemble/ensemble.h"

#include "base/rng.h"
#include "detector/forest/pu_forest.h"
#include "detector/model/model.h"
#include "test.h"

#include <puad/explain.h>

#include <math.h>

enum { ROWS = 1500, COLUMNS = 6, ANOMALIES = 150 };

/* The first ANOMALIES rows are moved away in two columns; `labels` of them are labeled. */
static void make_rows(float *values, int8_t *labels, int labeled, uint64_t seed)
{
    rng draws = rng_make(seed, rng_stream("rows", 0));
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = (float)rng_normal(&draws);
    for (int i = 0; i < ANOMALIES; i++) {
        values[i * COLUMNS] += 3;
        values[i * COLUMNS + 1] += 3;
    }
    for (int i = 0; i < ROWS; i++) labels[i] = i < labeled;
}

static puad_status fit(puad_detector **out, const char *method, const float *values, const int8_t *labels,
                       double alpha, int threads)
{
    fit_options options = fit_options_standard();
    options.method = method;
    options.alpha = alpha;
    TRY(team_new(&options.workers, threads));
    labeled_rows rows = {
        .values = values, .labels = labels, .rows = ROWS, .height = 1, .width = 1, .channels = COLUMNS};
    puad_status status = detector_fit(out, &rows, &options);
    team_free(options.workers);
    return status;
}

static double auroc(const float *scores, int begin, int end, int start)
{
    double better = 0;
    for (int i = begin; i < end; i++)
        for (int j = start; j < ROWS; j++) better += (scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]);
    return better / (end - begin) / (ROWS - start);
}

static void scores_of(float *scores, const puad_detector *model, const float *values, size_t rows)
{
    puad_scorer *scorer = NULL;
    CHECK_OK(scorer_new(&scorer, model, NULL, NULL));
    CHECK_OK(scorer_run(scorer, scores, values, rows));
    puad_scorer_free(scorer);
}

TEST(hidden_anomalies_are_found_and_found_better_when_alpha_is_not_ignored)
{
    static float values[ROWS * COLUMNS], scores[2][ROWS];
    static int8_t labels[ROWS];
    double sum[2] = {0};
    for (uint64_t seed = 0; seed < 5; seed++) {
        make_rows(values, labels, 4, seed);
        double alphas[2] = {0, 0.1};
        for (int i = 0; i < 2; i++) {
            puad_detector *model = NULL;
            CHECK_OK(fit(&model, "puforest", values, labels, alphas[i], 1));
            scores_of(scores[i], model, values, ROWS);
            sum[i] += auroc(scores[i], 4, ANOMALIES, ANOMALIES) / 5;
            puad_detector_free(model);
        }
    }
    CHECK(sum[1] > 0.95);
    CHECK(sum[1] > sum[0] + 0.005);
}

/* If trees draw nearly all unlabeled rows, hardly any tree is out of bag for a row. */
TEST(a_forest_leaves_out_rows_of_a_small_table_with_many_labels)
{
    static float values[ROWS * COLUMNS];
    static int8_t labels[ROWS];
    make_rows(values, labels, 0, 9);
    uint32_t numbers[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) numbers[i] = i;
    enum { FEW = 120 };
    float unlabeled[FEW], anomalies[ANOMALIES];
    pu_rows known = {.values = values,
                     .columns = COLUMNS,
                     .anomalies = numbers,
                     .anomaly_count = ANOMALIES,
                     .unlabeled = numbers + ANOMALIES,
                     .unlabeled_count = FEW};
    AUTO_TREES random_trees forest = {0};
    CHECK_OK(pu_forest_fit(&forest, &(pu_out_of_bag){unlabeled, anomalies}, &known, 0, 1, NULL));
    size_t low = 0, high = 0;
    for (size_t i = 0; i < FEW; i++) low += unlabeled[i] < 0.4F;
    for (size_t i = 0; i < ANOMALIES; i++) high += anomalies[i] > 0.6F;
    CHECK(low > FEW * 9 / 10);
    CHECK(high > ANOMALIES * 9 / 10);
}

TEST(a_single_label_has_no_score_out_of_bag)
{
    static float values[ROWS * COLUMNS], unlabeled[ROWS];
    static int8_t labels[ROWS];
    make_rows(values, labels, 0, 10);
    uint32_t numbers[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) numbers[i] = i;
    float anomaly = 0;
    pu_rows known = {.values = values,
                     .columns = COLUMNS,
                     .anomalies = numbers,
                     .anomaly_count = 1,
                     .unlabeled = numbers + 1,
                     .unlabeled_count = ROWS - 1};
    AUTO_TREES random_trees forest = {0};
    CHECK_OK(pu_forest_fit(&forest, &(pu_out_of_bag){unlabeled, &anomaly}, &known, NAN, 1, NULL));
    CHECK(isnan(anomaly));
}

TEST(the_ensemble_finds_a_kind_without_labels)
{
    static float values[ROWS * COLUMNS], scores[ROWS];
    static int8_t labels[ROWS];
    make_rows(values, labels, 40, 1);
    puad_detector *forest = NULL, *committee = NULL;
    CHECK_OK(fit(&forest, "puforest", values, labels, NAN, 1));
    CHECK_OK(fit(&committee, "committee", values, labels, NAN, 1));
    for (int i = 0; i < ANOMALIES; i++) /* now the other way */
        for (int c = 2; c < 4; c++) {
            values[i * COLUMNS + c - 2] -= 3;
            values[i * COLUMNS + c] -= 5;
        }
    scores_of(scores, forest, values, ROWS);
    double alone = auroc(scores, 0, ANOMALIES, ANOMALIES);
    scores_of(scores, committee, values, ROWS);
    double together = auroc(scores, 0, ANOMALIES, ANOMALIES);
    CHECK(together > 0.9);
    CHECK(together > alone + 0.1);
    puad_detector_free(forest);
    puad_detector_free(committee);
}

TEST(without_labels_the_ensemble_ranks_by_rarity)
{
    static float values[ROWS * COLUMNS], scores[ROWS];
    static int8_t labels[ROWS];
    make_rows(values, labels, 0, 2);
    puad_detector *model = NULL;
    CHECK_OK(fit(&model, NULL, values, labels, NAN, 1));
    CHECK_TEXT(detector_facts(model).method, "committee");
    CHECK_INT(model->parts.trees.trees, 0);
    scores_of(scores, model, values, ROWS);
    CHECK(auroc(scores, 0, ANOMALIES, ANOMALIES) > 0.85);
    puad_detector_free(model);
}

TEST(one_and_three_threads_give_the_same_bits)
{
    static float values[ROWS * COLUMNS], scores[2][ROWS];
    static int8_t labels[ROWS];
    make_rows(values, labels, 10, 3);
    for (int i = 0; i < 2; i++) {
        puad_detector *model = NULL;
        CHECK_OK(fit(&model, "committee", values, labels, NAN, i ? 3 : 1));
        scores_of(scores[i], model, values, ROWS);
        puad_detector_free(model);
    }
    CHECK(memcmp(scores[0], scores[1], sizeof scores[0]) == 0);
}

TEST(labeled_normals_lower_the_scores_of_rows_like_them)
{
    static float values[ROWS * COLUMNS], scores[2][ROWS];
    static int8_t labels[ROWS];
    make_rows(values, labels, 20, 4);
    for (int i = ROWS - 200; i < ROWS; i++) values[i * COLUMNS] += 3; /* half way to the anomalies */
    double mean[2] = {0};
    for (int i = 0; i < 2; i++) {
        puad_detector *model = NULL;
        for (int j = 0; i && j < 100; j++) labels[ROWS - 1 - j] = PUAD_LABEL_NORMAL;
        CHECK_OK(fit(&model, "puforest", values, labels, NAN, 1));
        scores_of(scores[i], model, values, ROWS);
        for (int j = ROWS - 200; j < ROWS - 100; j++) mean[i] += (double)scores[i][j] / 100;
        puad_detector_free(model);
    }
    CHECK(mean[1] < mean[0]);
}

TEST(an_explanation_names_the_unusual_columns)
{
    static float values[ROWS * COLUMNS], shares[COLUMNS];
    static int8_t labels[ROWS];
    make_rows(values, labels, 30, 5);
    puad_detector *model = NULL;
    CHECK_OK(fit(&model, "committee", values, labels, NAN, 1));
    AUTO_ARENA arena passes = {0};
    float row[COLUMNS] = {3, 3, 0, 0, 0, 0};
    CHECK_OK(ensemble_explain(model, NULL, shares, row, NULL, &passes));
    CHECK(shares[0] + shares[1] > 0.8);
    puad_detector_free(model);
}

TEST(explanations_of_many_rows_have_the_bits_of_the_first)
{
    static float values[ROWS * COLUMNS];
    static int8_t labels[ROWS];
    make_rows(values, labels, 30, 5);
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    CHECK_OK(fit(&model, "committee", values, labels, NAN, 1));
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    float row[COLUMNS] = {3, 3, 0, -1, 0, 0.5}, first[COLUMNS], later[COLUMNS];
    CHECK_OK(puad_scorer_explain(scorer, first, row, COLUMNS));
    for (int i = 0; i < 40; i++) CHECK_OK(puad_scorer_explain(scorer, later, row, COLUMNS));
    CHECK(memcmp(first, later, sizeof first) == 0);
    puad_scorer_free(scorer);
    puad_detector_free(model);
}

TEST(two_columns_that_each_suffice_both_contribute)
{
    static float values[ROWS * COLUMNS], shares[COLUMNS];
    static int8_t labels[ROWS];
    make_rows(values, labels, 0, 7);
    puad_detector *model = NULL;
    CHECK_OK(fit(&model, "if", values, labels, NAN, 1));
    AUTO_ARENA arena passes = {0};
    float row[COLUMNS] = {60, -60, 0, 0, 0, 0}; /* either is as extreme as a forest can distinguish */
    CHECK_OK(ensemble_explain(model, NULL, shares, row, NULL, &passes));
    CHECK(shares[0] > 0.3 && shares[1] > 0.3);
    CHECK_NEAR(shares[0] + shares[1] + shares[2] + shares[3] + shares[4] + shares[5], 1, 1e-5);
    puad_detector_free(model);
}

TEST(member_contributions_differ_between_known_and_new_kinds)
{
    static float values[ROWS * COLUMNS];
    static int8_t labels[ROWS];
    double known[MEMBERS], novel[MEMBERS];
    make_rows(values, labels, 40, 8);
    puad_detector *model = NULL;
    CHECK_OK(fit(&model, "committee", values, labels, NAN, 1));
    const float *source = model->parts.members;
    CHECK_NEAR(source[0] + source[1] + source[2], 1, 1e-5);
    CHECK(source[MEMBER_TREES] > 0.5F); /* the anomalies are of the labeled kind */
    ensemble_members(model, known, 0.6F, 1, 0.9F);
    ensemble_members(model, novel, 0.9F, 100, 0.01F);
    CHECK(known[MEMBER_TREES] > 0.8); /* it is unusual, too */
    CHECK(novel[MEMBER_TREES] < 0.1);
    puad_detector_free(model);
}

TEST(missing_rows_of_a_required_label_are_an_error)
{
    static float values[ROWS * COLUMNS];
    static int8_t labels[ROWS];
    make_rows(values, labels, 0, 6);
    puad_detector *model = NULL;
    CHECK_FAILS(fit(&model, "puforest", values, labels, NAN, 1), PUAD_INVALID, "puforest", "anomalies");
    for (int i = 0; i < ROWS; i++) labels[i] = 1;
    CHECK_FAILS(fit(&model, "committee", values, labels, NAN, 1), PUAD_INVALID, "committee", "unlabeled");
}

TEST(many_tail_probabilities_are_those_of_each)
{
    AUTO_ARENA arena memory = {0};
    float levels[300];
    double scores[101], many[101];
    for (size_t count = 1; count <= 300; count += 13) {
        for (size_t i = 0; i < count; i++) levels[i] = (float)(i / 3); /* with ties */
        tail_scale scale;
        CHECK_OK(tail_scale_make(&scale, &memory, levels, count));
        for (size_t i = 0; i < 101; i++) scores[i] = (double)i * 1.25 - 5;
        tail_probabilities(many, &scale, scores, 101);
        for (size_t i = 0; i < 101; i++) CHECK(many[i] == tail_probability(&scale, scores[i]));
    }
}

TEST(tail_probabilities_decrease_above_the_highest_row)
{
    AUTO_ARENA arena memory = {0};
    float scores[100];
    for (int i = 0; i < 100; i++) scores[i] = (float)(99 - i);
    tail_scale scale = {0};
    CHECK_OK(tail_scale_make(&scale, &memory, scores, 100));
    CHECK_NEAR(tail_probability(&scale, -1), 100.5 / 101, 1e-12);
    CHECK_NEAR(tail_probability(&scale, 99), 1.0 / 101, 1e-12);
    CHECK(tail_probability(&scale, 100) < tail_probability(&scale, 99));
    CHECK(tail_probability(&scale, 200) < tail_probability(&scale, 100));
    CHECK(tail_probability(&scale, 1e30) > 0);
}
