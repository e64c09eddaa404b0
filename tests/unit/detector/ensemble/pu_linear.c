/* The linear classifier and the Mahalanobis distance: leading axes, logistic regression, and their sum. */
#include "detector/ensemble/pu_linear.h"
#include "base/rng.h"
#include "detector/ensemble/leading_axes.h"
#include "detector/ensemble/logistic.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { ROWS = 400, COLUMNS = 150, KNOWN = 20, HIDDEN = 20 };
static float values[ROWS * COLUMNS];

/* Rows of three strong directions and noise. */
static void fill(void)
{
    rng draws = rng_make(3, rng_stream("rows", 0));
    for (size_t i = 0; i < ROWS; i++) {
        double strong[3] = {9 * rng_normal(&draws), 6 * rng_normal(&draws), 4 * rng_normal(&draws)};
        for (size_t c = 0; c < COLUMNS; c++)
            values[i * COLUMNS + c] = (float)(0.3 * rng_normal(&draws) + (c % 3 == 0   ? strong[0]
                                                                          : c % 3 == 1 ? strong[1]
                                                                                       : strong[2]));
    }
}

TEST(leading_axes_are_those_of_the_rows)
{
    static float axes[10 * COLUMNS], again[10 * COLUMNS];
    double variances[10], others[10];
    size_t kept = 0;
    AUTO_TEAM team *workers = NULL;
    fill();
    CHECK_OK(team_new(&workers, 2));
    CHECK_OK(leading_axes(axes, variances, &kept, values, ROWS, COLUMNS, 10, 1, NULL));
    CHECK(kept == 10);
    CHECK(fabs(sqrt(variances[0] / 50) - 9) < 1 && fabs(sqrt(variances[1] / 50) - 6) < 1);
    CHECK(fabs(sqrt(variances[2] / 50) - 4) < 1 && variances[3] < 1);
    for (size_t c = 0; c < COLUMNS; c++)
        CHECK(fabs(fabs(axes[c]) - (c % 3 == 0 ? sqrt(1.0 / 50) : 0)) < 0.02);
    CHECK_OK(leading_axes(again, others, &kept, values, ROWS, COLUMNS, 10, 1, workers));
    CHECK(memcmp(axes, again, sizeof axes) == 0);
    CHECK_OK(leading_axes(axes, variances, &kept, values, ROWS, 2, 2, 1, NULL)); /* fewer columns than axes */
    CHECK(kept <= 2);
}

/* The gradient of the penalized loss is 0 at the result. */
TEST(logistic_regression_finds_the_minimum)
{
    static double weight[ROWS], outputs[ROWS], w[COLUMNS + 1], gradient[COLUMNS + 1];
    static int8_t sign[ROWS];
    double worst = 0;
    fill();
    for (size_t i = 0; i < ROWS; i++) {
        sign[i] = i % 5 == 0 ? 1 : -1;
        weight[i] = i % 5 == 0 ? 0.02 : 0.005;
        for (size_t c = 0; c < COLUMNS; c++)
            values[i * COLUMNS + c] = values[i * COLUMNS + c] / 9 + (i % 5 == 0 && c < 10 ? 1.0f : 0);
    }
    logistic_rows rows = {values, weight, sign, ROWS, COLUMNS};
    CHECK_OK(logistic_fit(w, &rows, NULL));
    logistic_outputs(outputs, w, &rows, NULL);
    memcpy(gradient, w, COLUMNS * sizeof *w);
    for (size_t i = 0; i < ROWS; i++) {
        double slope = -weight[i] * sign[i] / (1 + exp(sign[i] * outputs[i]));
        for (size_t c = 0; c < COLUMNS; c++) gradient[c] += slope * (double)values[i * COLUMNS + c];
        gradient[COLUMNS] += slope;
    }
    for (size_t c = 0; c <= COLUMNS; c++) worst = fmax(worst, fabs(gradient[c]));
    CHECK(worst < 1e-3);
    double right = 0;
    for (size_t i = 0; i < ROWS; i++) right += (outputs[i] > 0) == (sign[i] > 0);
    CHECK(right / ROWS > 0.95);
}

static double auroc(const float *scores, const bool *odd, size_t count)
{
    double won = 0, pairs = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; odd[i] && k < count; k++)
            if (!odd[k]) {
                won += scores[i] > scores[k] ? 1 : scores[i] == scores[k] ? 0.5 : 0;
                pairs++;
            }
    return won / pairs;
}

TEST(anomalies_are_found_with_labels_and_without)
{
    static float scores[ROWS], again[ROWS];
    static uint32_t numbers[ROWS];
    static bool odd[ROWS];
    AUTO_ARENA arena scratch = {0};
    fill();
    for (size_t i = 0; i < ROWS; i++) {
        numbers[i] = (uint32_t)i;
        odd[i] = i < KNOWN + HIDDEN || i >= ROWS - 10;
        for (size_t c = 0; c < COLUMNS; c++) {
            if (i < KNOWN + HIDDEN && c % 10 == 0) values[i * COLUMNS + c] += 8; /* the known kind */
            if (i >= ROWS - 10)
                values[i * COLUMNS + c] += c % 10 == 0 ? 0 : c % 2 ? 3.0f : -3.0f; /* another, hidden */
        }
    }
    pu_linear_rows rows = {values, COLUMNS, 0, numbers + KNOWN, numbers, NULL, ROWS - KNOWN, KNOWN, 0};
    for (int labels = 0; labels < 2; labels++) {
        pu_linear made = {0};
        rows.anomaly_count = labels ? KNOWN : 0;
        CHECK_OK(pu_linear_fit(&made, &rows, (double)NAN, 1, NULL));
        CHECK_OK(pu_linear_check(&made));
        CHECK_OK(pu_linear_score(scores, &made, values, ROWS, NULL, &scratch));
        size_t end = labels ? ROWS - 10 : ROWS; /* the other kind has no labels */
        CHECK(auroc(scores + KNOWN, odd + KNOWN, end - KNOWN) > 0.98);
        pu_linear_free(&made);
    }
    AUTO_TEAM team *workers = NULL;
    pu_linear made = {0};
    CHECK_OK(team_new(&workers, 2));
    CHECK_OK(pu_linear_fit(&made, &rows, (double)NAN, 1, workers));
    CHECK_OK(pu_linear_score(again, &made, values, ROWS, workers, &scratch));
    CHECK(memcmp(scores, again, sizeof scores) == 0);
    made.factor[3] = INFINITY;
    CHECK_FAILS(pu_linear_check(&made), PUAD_FORMAT, "factor", "3");
    pu_linear_free(&made);
}

TEST(few_rows_and_constant_columns)
{
    float few[6] = {1, 5, 2, 5, 3, 5}, scores[3];
    uint32_t numbers[3] = {0, 1, 2};
    AUTO_ARENA arena scratch = {0};
    for (size_t count = 1; count <= 3; count++) {
        pu_linear made = {0};
        pu_linear_rows rows = {few, 2, 0, numbers, NULL, NULL, count, 0, 0};
        CHECK_OK(pu_linear_fit(&made, &rows, 0.1, 1, NULL));
        CHECK_OK(pu_linear_score(scores, &made, few, 3, NULL, &scratch));
        for (size_t i = 0; i < 3; i++) CHECK(isfinite(scores[i]));
        pu_linear_free(&made);
    }
}
