/* <puad/calibration.h>, <puad/decision.h> and <puad/prior.h>: from scores to decisions, for a model with
 * held-out rows. */
#include "cli/library_values.h"
#include "fitted.h"

TEST(a_calibrated_model_reports_its_held_out_rows)
{
    puad_options *options = OPTIONS("method", "puforest", "alpha", "0.05", "calibrate", "0.2");
    puad_dataset *data = NULL;
    puad_detector *model = fitted(&data, options);
    REQUIRE(model);
    size_t held = calibration_of(model).unlabeled_count, known = calibration_of(model).anomaly_count;
    CHECK_INT(held, 228);              /* a fifth of 1140 */
    CHECK(known == 12 || known == 60); /* and of 60, or all of them, cross-fitted */
    CHECK_NEAR(calibration_of(model).fraction, 0.2, 1e-12);
    const float *unlabeled = calibration_of(model).unlabeled, *anomalies = calibration_of(model).anomalies;
    double means[2] = {0};
    for (size_t i = 0; i < held; i++) means[0] += (double)unlabeled[i] / (double)held;
    for (size_t i = 0; i < known; i++) means[1] += (double)anomalies[i] / (double)known;
    CHECK(means[1] > means[0]);
    puad_calibration about = {.struct_size = sizeof about};
    CHECK_OK(puad_detector_calibration(model, &about));
    CHECK(about.alpha_known && about.alpha > 0.03 && about.alpha < 0.09); /* 60 of 1140 are hidden */
    CHECK(about.alpha_low <= about.alpha && about.alpha <= about.alpha_high);
    CHECK(calibration_of(model).alpha_estimated); /* alpha is identifiable from these data */
    CHECK_INT(calibration_of(NULL).unlabeled_count, 0);
    CHECK(calibration_of(NULL).unlabeled == NULL && !calibration_of(NULL).alpha_known);

    puad_operating *table = NULL;
    CHECK_OK(puad_operating_new(&table, model, 50, options));
    size_t points = operating_of(table).count;
    CHECK(points >= 2 && points <= 50);
    for (size_t i = 1; i < points; i++) {
        CHECK(operating_point(table, i).threshold <= operating_point(table, i - 1).threshold);
        CHECK(operating_point(table, i).recall.value >= operating_point(table, i - 1).recall.value);
    }
    for (size_t i = 0; i < points; i++) {
        double recall = operating_point(table, i).recall.raw, flagged = operating_point(table, i).flagged,
               ratio = operating_point(table, i).ratio;
        CHECK(recall > 0 ? fabs(ratio * recall - flagged) < 1e-9 : isnan(ratio));
    }
    CHECK_NEAR(operating_of(table).alpha.value, 0.05, 1e-9); /* as given in the options */
    CHECK(operating_of(table).auroc.value > 0.95);
    double best = operating_point(table, operating_of(table).best_f1).f1.value;
    puad_operating_thin(table, 5);
    CHECK(operating_of(table).count <= 5);
    CHECK_NEAR(operating_point(table, operating_of(table).best_f1).f1.value, best, 0);
    puad_operating_free(table);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(a_decider_flags_the_anomalies_of_new_rows)
{
    puad_options *options = OPTIONS("method", "puforest", "alpha", "0.05", "calibrate", "0.3"),
                 *decide = OPTIONS("fdr", "0.3", "kind", "yes");
    puad_dataset *data = NULL, *fresh = NULL;
    puad_detector *model = fitted(&data, options);
    puad_scorer *scorer = NULL;
    puad_decider *decider = NULL;
    float scores[400];
    unsigned char known[400];
    static puad_decision decisions[400] = {{.struct_size = sizeof *decisions}};
    REQUIRE(model);
    CHECK_OK(puad_dataset_open(&fresh, payments("new.csv", 400, 2, true), model, options));
    CHECK(strcmp(dataset_of(fresh).id_name, "account") == 0);
    CHECK_OK(puad_scorer_new(&scorer, model, options));
    CHECK_OK(puad_scorer_run(scorer, scores, 400, fresh));
    CHECK_OK(puad_decider_new(&decider, model, decide));
    CHECK_INT(decided(decider).kind, PUAD_DECIDES_FDR);
    CHECK(decided(decider).has_p && decided(decider).has_probability && decided(decider).has_kind);
    CHECK_OK(puad_decider_count(decider, scores, 150));
    CHECK_OK(puad_decider_count(decider, scores + 150, 250));
    CHECK_OK(puad_decider_settle(decider));
    CHECK_INT(decided(decider).rows, 400);
    CHECK_OK(puad_detector_decide(model, decisions, scores, 400, decide));
    size_t flagged = 0, right = 0;
    for (size_t i = 0; i < 400; i++) {
        flagged += (size_t)puad_decider_flags(decider, scores[i]);
        right += (size_t)puad_decider_flags(decider, scores[i]) && i % 10 == 0;
        CHECK_INT(decisions[i].flagged, puad_decider_flags(decider, scores[i]));
        CHECK_NEAR(decisions[i].p, puad_decider_p(decider, scores[i]), 0);
        CHECK_NEAR(decisions[i].probability, puad_decider_probability(decider, scores[i]), 0);
    }
    CHECK_INT(flagged, decided(decider).flagged);
    printf("%zu of %zu flagged rows are anomalies\n", right, flagged);
    CHECK(right >= 25 && flagged - right <= 4); /* of 40: down to where 7 of 10 labels lie above */
    CHECK_OK(
        puad_decider_known(decider, known, scorer, dataset_of(fresh).values, 400, dataset_of(fresh).columns));
    size_t like_labeled = 0;
    for (size_t i = 0; i < 400; i += 10) like_labeled += known[i];
    CHECK(like_labeled >= 30);
    size_t lines = 0;
    while (*puad_decider_report(decider, lines)) lines++;
    CHECK(lines >= 1 && lines < 30);
    puad_decider_free(decider);

    puad_options_set(decide, "fdr", NULL);
    puad_options_set(decide, "kind", NULL);
    CHECK_OK(puad_options_set(decide, "threshold", "0.25"));
    CHECK_OK(puad_decider_new(&decider, model, decide));
    CHECK_INT(decided(decider).kind, PUAD_DECIDES_THRESHOLD);
    CHECK_NEAR(decided(decider).threshold, 0.25, 0);
    CHECK(puad_decider_flags(decider, 0.25f) && !puad_decider_flags(decider, 0.2f));
    puad_decider_free(decider);
    CHECK_FAILS(puad_decider_new(&decider, NULL, decide), PUAD_INVALID, "model");
    puad_decider_summary none = {.struct_size = sizeof none};
    CHECK_FAILS(puad_decider_state(NULL, &none), PUAD_INVALID, "decider");
    scores[7] = NAN;
    CHECK_FAILS(puad_detector_decide(model, decisions, scores, 400, decide), PUAD_NUMERIC, "score 7");
    puad_options_set(decide, "threshold", NULL);
    CHECK_OK(puad_options_set(decide, "fdr", "0.2"));
    CHECK_FAILS(puad_detector_decide(model, decisions, scores, 400, decide), PUAD_NUMERIC, "score 7");
    CHECK_OK(puad_decider_new(&decider, model, decide));
    CHECK_FAILS(puad_decider_count(decider, scores, 400), PUAD_NUMERIC, "not a number");
    CHECK_INT(decided(decider).rows, 0);
    CHECK_OK(puad_decider_count(decider, scores + 8, 392));
    CHECK_OK(puad_decider_settle(decider));
    CHECK(isnan(puad_decider_p(decider, NAN)) && isnan(puad_decider_probability(decider, NAN)));
    CHECK(!puad_decider_flags(decider, NAN));
    puad_decider_free(decider);
    puad_scorer_free(scorer);
    puad_dataset_free(fresh);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
    puad_options_free(decide);
}

TEST(alpha_is_estimated_or_refused_with_a_reason)
{
    puad_options *options = OPTIONS("seed", "1");
    puad_dataset *data = NULL;
    puad_prior *prior = NULL;
    CHECK_OK(puad_dataset_open(&data, payments("prior.csv", FITTED_ROWS, 1, false), NULL, options));
    CHECK_OK(puad_prior_estimate(&prior, data, options));
    CHECK(!prior_of(prior).refused && !*prior_of(prior).reason);
    double alpha = prior_of(prior).alpha; /* 60 of 1140 are hidden: 0.053 */
    CHECK(alpha > 0.03 && alpha < 0.09);
    CHECK(prior_of(prior).alpha_low <= alpha && alpha <= prior_of(prior).alpha_high);
    CHECK(prior_of(prior).alpha_all > alpha);
    CHECK(prior_of(prior).point_count > 1);
    CHECK(prior_of(prior).x[0] >= 0 && prior_of(prior).y[0] >= 0);
    const float *probabilities = prior_of(prior).probabilities;
    for (size_t i = 0; i < FITTED_ROWS; i++) {
        CHECK(probabilities[i] >= 0 && probabilities[i] <= 1);
        double odds = puad_prior_log_odds(prior, i);
        CHECK(isfinite(odds) && (odds > 0) == (probabilities[i] > 0.5F));
    }
    CHECK(isnan(puad_prior_log_odds(prior, FITTED_ROWS)) && isnan(puad_prior_log_odds(NULL, 0)));
    puad_prior_free(prior);
    puad_dataset_free(data);

    int8_t labels[60] = {1, 1, 1};
    double values[60];
    puad_table *table = NULL;
    for (int i = 0; i < 60; i++) values[i] = i % 7;
    CHECK_OK(puad_table_new(&table, 60));
    CHECK_OK(puad_table_add_doubles(table, "x", values, 0));
    CHECK_OK(puad_table_set_labels(table, labels));
    CHECK_OK(puad_dataset_from_table(&data, table, NULL, NULL));
    CHECK_OK(puad_prior_estimate(&prior, data, NULL));
    CHECK(prior_of(prior).refused && *prior_of(prior).reason);
    puad_prior_free(prior);
    puad_table_free(table);
    puad_dataset_free(data);
    puad_options_free(options);
}
