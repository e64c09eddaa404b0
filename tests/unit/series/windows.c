/* Windows of a series: their contents, which are made, how they are labeled; and rows scored by them. */
#include "test.h"

#include "series/row_scores.h"
#include "table/encoding/transform.h"

#include <string.h>

static dataset series_of(float *values, size_t rows, size_t channels, uint8_t *breaks)
{
    return (dataset){.rows = rows, .columns = channels, .values = values, .breaks = breaks, .name = "test"};
}

TEST(a_window_has_level_amplitude_and_shape)
{
    window_plan plan = {4, 1, 2};
    float rows[8] = {1, 10, 2, 10, 3, 10, 4, 10}, out[12], shifted[8], other[12];
    window_encode(out, &plan, rows);
    CHECK_NEAR(out[8], 2 * 2.5, 1e-6); /* levels, times the root of the length */
    CHECK_NEAR(out[9], 2 * 10, 1e-6);
    CHECK_NEAR(out[10], 2 * sqrt(1.25), 1e-6); /* amplitudes */
    CHECK_NEAR(out[11], 0, 1e-6);
    CHECK(out[0] < 0 && out[6] > 0 && out[1] == 0 && out[7] == 0);
    for (size_t i = 0; i < 8; i++) shifted[i] = rows[i] * 10 + 5;
    window_encode(other, &plan, shifted);
    for (size_t i = 0; i < 8; i++) CHECK_NEAR(other[i], out[i], 1e-3); /* the same shape */
    CHECK_NEAR(other[8], 2 * 30, 1e-5);
}

TEST(decoding_restores_the_values_of_a_window)
{
    window_plan plan = {4, 1, 2};
    float rows[8] = {1, 10, 2, 10, -3, 10, 4, 10}, out[12], again[8];
    window_encode(out, &plan, rows);
    window_decode(again, &plan, out);
    for (size_t i = 0; i < 8; i++) CHECK_NEAR(again[i], rows[i], 1e-5);
}

TEST(channels_are_scaled_to_1_except_columns_of_0_and_1)
{
    float rows[12] = {3, 0, 5, 7, 1, 5, 5, 0, 5, 4, 1, 5};
    channel_scale scales[3];
    channel_scales_learn(scales, rows, 4, 3, NULL);
    CHECK_NEAR(scales[0].middle, 5, 0);
    CHECK_NEAR(scales[0].factor, 0.5, 0);
    CHECK_NEAR(scales[1].middle, 0, 0);
    CHECK_NEAR(scales[1].factor, 1, 0);
    CHECK_NEAR(scales[2].factor, 0, 0); /* constant */
}

TEST(the_length_of_a_window_is_the_period_of_the_series)
{
    enum { COUNT = 2000 };
    static float values[COUNT];
    dataset rows = series_of(values, COUNT, 1, NULL);
    channel_scale scale;
    size_t length;
    static const double periods[] = {60, 20};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < COUNT; i++)
            values[i] =
                (float)sin((double)i * 2 * 3.14159265358979 / periods[k]) + (float)(i * i % 17) * 0.01F;
        channel_scales_learn(&scale, values, COUNT, 1, NULL);
        CHECK_OK(window_choose(&length, &rows, &scale));
        CHECK(length >= WINDOW_MIN);
        CHECK_INT(length % (size_t)periods[k], 0);
    }
    for (size_t i = 0; i < COUNT; i++) values[i] = (float)i;
    channel_scales_learn(&scale, values, COUNT, 1, NULL);
    CHECK_OK(window_choose(&length, &rows, &scale));
    CHECK_INT(length, WINDOW_STANDARD);
    rows.rows = 250; /* a segment has at least ten windows */
    CHECK_OK(window_choose(&length, &rows, &scale));
    CHECK_INT(length, 25);
}

TEST(a_short_segment_is_mirrored)
{
    window_plan plan = {6, 1, 1};
    float rows[3] = {1, 2, 3}, buffer[6], out[8], expected[8];
    float mirrored[6] = {1, 2, 3, 2, 1, 2};
    window_encode_short(out, &plan, rows, 3, buffer);
    window_encode(expected, &plan, mirrored);
    CHECK(memcmp(out, expected, sizeof out) == 0);
    window_encode_short(out, &plan, rows, 1, buffer);
    CHECK_NEAR(out[6], sqrt(6), 1e-6);
    CHECK_NEAR(out[7], 0, 1e-6);
}

TEST(the_window_around_a_row_stays_in_its_segment_and_needs_no_further_rows)
{
    enum { ROWS_HERE = 40 };
    float values[ROWS_HERE], out[10], expected[10], buffer[8];
    uint8_t breaks[ROWS_HERE] = {0};
    window_plan plan = {8, 1, 1};
    for (size_t i = 0; i < ROWS_HERE; i++) values[i] = (float)(i * i % 17);
    breaks[0] = breaks[20] = breaks[35] = 1; /* segments of 20, 15 and 5 rows */
    static const struct {
        size_t row, stride, first;
    } cases[] = {{0, 1, 0},   {3, 1, 0},   {10, 1, 6},  {19, 1, 12},
                 {20, 1, 20}, {30, 1, 26}, {34, 1, 27}, {10, 8, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plan.stride = cases[k].stride;
        window_around(out, &plan, values, breaks, ROWS_HERE, cases[k].row, buffer);
        window_encode(expected, &plan, values + cases[k].first);
        CHECK(memcmp(out, expected, sizeof out) == 0);
    }
    window_around(out, &plan, values, breaks, ROWS_HERE, 37, buffer);
    window_encode_short(expected, &plan, values + 35, 5, buffer);
    CHECK(memcmp(out, expected, sizeof out) == 0);
    float mean;
    window_mean(&mean, &plan, out);
    CHECK_NEAR(mean * sqrtf(8), out[8], 1e-5);
}

TEST(no_window_crosses_a_break)
{
    float values[20] = {0};
    uint8_t breaks[20] = {0};
    window_plan plan = {4, 2, 1};
    breaks[0] = breaks[9] = breaks[12] = 1; /* segments of 9, 3 and 8 rows */
    dataset rows = series_of(values, 20, 1, breaks);
    windows made;
    CHECK_OK(windows_make(&made, &rows, NULL, &plan, false));
    static const uint32_t expected[] = {0, 2, 4, 5, 12, 14, 16};
    CHECK_INT(made.data.rows, 7);
    for (size_t i = 0; i < 7; i++) CHECK_INT(made.first[i], expected[i]);
    CHECK_INT(made.stretches, 3);
    CHECK_INT(made.short_stretches, 1);
    CHECK_INT(made.short_rows, 3);
    windows_free(&made);
    plan.length = 10;
    CHECK_FAILS(windows_make(&made, &rows, NULL, &plan, false), PUAD_INVALID, "10", "20", "9", "'window'",
                "'gap'");
    windows_free(&made);
}

TEST(half_a_window_or_a_whole_run_makes_a_label)
{
    float values[16] = {0};
    int8_t labels[16] = {0};
    window_plan plan = {4, 4, 1};
    dataset rows = series_of(values, 16, 1, NULL);
    windows made;
    labels[1] = PUAD_LABEL_ANOMALY;                         /* a whole run within the first window */
    labels[7] = labels[8] = labels[9] = PUAD_LABEL_ANOMALY; /* a quarter of the second, half of the third */
    for (size_t i = 12; i < 16; i++) labels[i] = PUAD_LABEL_NORMAL; /* all of the fourth */
    CHECK_OK(windows_make(&made, &rows, labels, &plan, false));
    CHECK_INT(made.left_out, 1);
    CHECK_INT(made.data.rows, 3);
    CHECK_INT(made.data.labels[0], PUAD_LABEL_ANOMALY);
    CHECK_INT(made.first[1], 8);
    CHECK_INT(made.data.labels[1], PUAD_LABEL_ANOMALY);
    CHECK_INT(made.data.labels[2], PUAD_LABEL_NORMAL);
    windows_free(&made);
}

/* A window's score is its level. */
static puad_status level(void *context, float *scores, const float *windows_given, size_t count)
{
    const window_plan *plan = *(const window_plan **)context;
    for (size_t i = 0; i < count; i++)
        scores[i] = windows_given[i * window_columns(plan) + plan->length * plan->channels] /
                    (float)sqrt((double)plan->length);
    return PUAD_OK;
}

/* The definition in row_scores.h, computed directly. */
static void plain_scores(double *out, const float *values, const uint8_t *breaks, size_t rows,
                         const window_plan *plan)
{
    for (size_t begin = 0, end; begin < rows; begin = end) {
        for (end = begin + 1; end < rows && !breaks[end]; end++) continue;
        size_t length = plan->length, count = end - begin, covered = begin;
        for (size_t i = begin; i < end; i++) out[i] = 0;
        double parts[512] = {0};
        for (size_t at = begin; at + length <= end; at += plan->stride) {
            double sum = 0;
            for (size_t i = at; i < at + length; i++) sum += (double)values[i];
            for (size_t i = at; i < at + length; i++, covered = at + length) {
                out[i] += sum / (double)length;
                parts[i]++;
            }
        }
        if (count < length) { /* mirrored */
            double sum = 0;
            for (size_t i = 0; i < length; i++) {
                size_t period = count > 1 ? 2 * count - 2 : 1, at = i % period;
                sum += (double)values[begin + (at < count ? at : period - at)];
            }
            for (size_t i = begin; i < end; i++) out[i] = sum / (double)length, parts[i] = 1;
        } else if (covered < end) {
            double sum = 0;
            for (size_t i = end - length; i < end; i++) sum += (double)values[i];
            for (size_t i = covered; i < end; i++) out[i] = sum / (double)length, parts[i] = 1;
        }
        for (size_t i = begin; i < end; i++) out[i] /= parts[i];
        for (size_t i = begin + 1; i < end; i++) out[i] += (double)values[i] - (double)values[i - 1];
    }
}

static void fill(float *values, uint8_t *breaks, size_t rows)
{
    for (size_t i = 0; i < rows; i++) values[i] = (float)((i * 37) % 101) / 10;
    static const size_t starts[] = {0, 3, 50, 58, 59, 200, 333};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) breaks[starts[i]] = 1;
}

enum { ROWS = 400 };

/* The score of a row itself. */
static float step(void *context, const float *row, const float *before)
{
    (void)context;
    return *row - *before;
}

/* Pushes all rows, requesting scores at intervals; returns the longest wait of a row. */
static size_t run(float *scores, const window_plan *plan, const float *values, const uint8_t *breaks,
                  size_t every)
{
    row_scores *merged = NULL;
    size_t taken = 0, waited = 0;
    if (row_scores_new(&merged, plan, level, step, &plan) != PUAD_OK) return SIZE_MAX;
    for (size_t i = 0; i < ROWS; i++) {
        row_scores_push(merged, &values[i], breaks[i]);
        if ((i + 1) % every) continue;
        row_scores_flush(merged);
        taken += row_scores_take(merged, scores + taken, ROWS - taken);
        if (i - taken + 1 > waited) waited = i - taken + 1;
    }
    row_scores_end(merged);
    taken += row_scores_take(merged, scores + taken, ROWS - taken);
    CHECK_INT(taken, ROWS);
    row_scores_free(merged);
    return waited;
}

TEST(row_scores_do_not_depend_on_how_rows_arrive)
{
    float values[ROWS], once[ROWS], again[ROWS];
    double expected[ROWS];
    uint8_t breaks[ROWS] = {0};
    fill(values, breaks, ROWS);
    static const window_plan plans[] = {{8, 1, 1}, {8, 3, 1}, {8, 8, 1}, {64, 7, 1}, {2, 1, 1}};
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) {
        plain_scores(expected, values, breaks, ROWS, &plans[p]);
        run(once, &plans[p], values, breaks, ROWS);
        for (size_t i = 0; i < ROWS; i++) CHECK_NEAR(once[i], expected[i], 1e-5);
        for (size_t every = 1; every < 50; every += 6) {
            run(again, &plans[p], values, breaks, every);
            CHECK(memcmp(once, again, sizeof once) == 0);
        }
    }
}

TEST(a_row_waits_for_one_window_at_most)
{
    float values[ROWS], scores[ROWS];
    uint8_t breaks[ROWS] = {0};
    fill(values, breaks, ROWS);
    window_plan plan = {16, 5, 1};
    CHECK(run(scores, &plan, values, breaks, 1) < 16);
}
