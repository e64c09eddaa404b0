/* Clusters of windows, and the distance of a row with the row before it. */
#include "test.h"

#include "base/rng.h"
#include "detector/ensemble/series_evidence.h"
#include "table/encoding/transform.h"

#include <math.h>
#include <string.h>

enum {
    LENGTH = 16,
    STRIDE = 2,
    ROWS = 2400,
    CHANNELS = 3,
    WINDOWS = (ROWS - LENGTH) / STRIDE + 1,
    COLUMNS = CHANNELS * (LENGTH + 2)
};

static float values[ROWS * CHANNELS], given[WINDOWS * COLUMNS], scores[WINDOWS], again[WINDOWS];
static int8_t labels[WINDOWS];
static uint32_t first[WINDOWS];

/* The third channel is the sum of the first two, waves, with noise. Every 200 rows a pulse of 12 rows. */
static recurrence_rows make(void)
{
    window_plan plan = {LENGTH, STRIDE, CHANNELS};
    rng draws = rng_make(3, 0);
    for (size_t i = 0; i < ROWS; i++) {
        double a = sin((double)i * 0.7) + 0.05 * rng_normal(&draws), b = rng_normal(&draws),
               pulse = i % 200 >= 100 && i % 200 < 112 ? 4 : 0;
        values[i * CHANNELS] = (float)(TABLE_SCALE * (a + pulse));
        values[i * CHANNELS + 1] = (float)(TABLE_SCALE * b);
        values[i * CHANNELS + 2] = (float)(TABLE_SCALE * (a + pulse + b + 0.1 * rng_normal(&draws)));
    }
    for (size_t i = 0; i < WINDOWS; i++) {
        window_encode(given + i * COLUMNS, &plan, values + i * STRIDE * CHANNELS);
        first[i] = (uint32_t)(i * STRIDE);
        labels[i] = PUAD_LABEL_UNLABELED;
    }
    return (recurrence_rows){given, labels, WINDOWS, LENGTH, STRIDE, COLUMNS, NULL, first};
}

static void fit_and_score(series_evidence *out, float *into, int threads)
{
    team *workers = NULL;
    recurrence recurring = {0};
    recurrence_rows rows = make();
    CHECK_OK(team_new(&workers, threads));
    CHECK_OK(recurrence_fit(&recurring, &rows, workers));
    CHECK_OK(series_evidence_fit(out, &recurring, &rows, workers));
    CHECK_OK(series_evidence_check(out));
    CHECK_OK(recurrence_score(into, &recurring, given, WINDOWS, workers));
    CHECK_OK(series_evidence_score(into, out, given, WINDOWS, workers));
    recurrence_free(&recurring);
    team_free(workers);
}

TEST(scores_are_sums_of_standardized_parts_and_do_not_depend_on_the_threads)
{
    series_evidence made = {0}, other = {0};
    float part[2];
    fit_and_score(&made, scores, 1);
    /* recurrence one unit above its median adds 1 */
    part[0] = made.units[0] + made.units[1];
    part[1] = made.units[0];
    CHECK_OK(series_evidence_score(part, &made, given, 1, NULL));
    CHECK_OK(series_evidence_score(part + 1, &made, given, 1, NULL));
    CHECK_NEAR(part[0] - part[1], 1, 1e-5);
    CHECK(part[1] >= 0);
    fit_and_score(&other, again, 2);
    CHECK(memcmp(scores, again, sizeof scores) == 0);
    CHECK(row_evidence(&made, values + 30, values + 27) == row_evidence(&other, values + 30, values + 27));
    series_evidence_free(&made);
    series_evidence_free(&other);
}

TEST(units_are_robust_and_small_distances_are_no_evidence)
{
    float found[101], unit[2];
    for (int i = 0; i < 101; i++) found[i] = (float)i;
    found[100] = 1000; /* one outlier raises the unit to half of the standard deviation, 98.395 */
    CHECK_OK(robust_unit(unit, found, 101));
    CHECK_NEAR(unit[0], 50, 0);
    CHECK_NEAR(unit[1], 98.395 / 2, 1e-3);
    found[100] = 100;
    CHECK_OK(robust_unit(unit, found, 101));
    CHECK_NEAR(unit[1], 1.4826 * 25, 1e-3);
    CHECK_NEAR(evidence_excess(unit, 50), 0, 0);
    CHECK_NEAR(evidence_excess(unit, 50 + 3 * unit[1]), 2, 1e-5);
}

TEST(windows_that_recur_in_every_block_but_seldom_are_far_from_the_clusters)
{
    series_evidence made = {0};
    double inside = 0, outside = 0, insides = 0, outsides = 0;
    team *one = NULL;
    fit_and_score(&made, scores, 1);
    CHECK_OK(team_new(&one, 1));
    CHECK_OK(window_clusters_score(scores, &made.clusters, given, WINDOWS, one));
    for (size_t i = 0; i < WINDOWS; i++) {
        size_t at = i * STRIDE % 200;
        if (at >= 98 && at <= 100) inside += (double)scores[i], insides++;
        if (at < 80) outside += (double)scores[i], outsides++;
    }
    CHECK(inside / insides > 1.2 * (outside / outsides));
    team_free(one);
    series_evidence_free(&made);
}

TEST(a_row_that_breaks_the_relation_of_its_channels_has_evidence)
{
    series_evidence made = {0};
    fit_and_score(&made, scores, 1);
    CHECK_INT(made.rows.count, 3);
    float row[CHANNELS];
    memcpy(row, values + 50 * CHANNELS, sizeof row);
    float before = row_evidence(&made, row, values + 49 * CHANNELS);
    row[2] += (float)TABLE_SCALE; /* one standard deviation: no value is unusual by itself */
    CHECK(row_evidence(&made, row, values + 49 * CHANNELS) > before + 1.5F);
    series_evidence_free(&made);
}

TEST(channels_with_two_values_give_rows_no_evidence)
{
    series_evidence made = {0};
    recurrence recurring = {0};
    team *one = NULL;
    recurrence_rows rows = make();
    window_plan plan = {LENGTH, STRIDE, CHANNELS};
    for (size_t i = 0; i < ROWS * CHANNELS; i++) values[i] = i % CHANNELS && values[i] > 0;
    for (size_t i = 0; i < WINDOWS; i++)
        window_encode(given + i * COLUMNS, &plan, values + i * STRIDE * CHANNELS);
    CHECK_OK(team_new(&one, 1));
    CHECK_OK(recurrence_fit(&recurring, &rows, one));
    CHECK_OK(series_evidence_fit(&made, &recurring, &rows, one));
    CHECK_INT(made.rows.count, 0);
    CHECK(row_evidence(&made, values, values) == 0);
    team_free(one);
    recurrence_free(&recurring);
    series_evidence_free(&made);
}
