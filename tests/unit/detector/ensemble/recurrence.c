/* Windows that recur and windows that do not. */
#include "test.h"

#include "base/rng.h"
#include "detector/ensemble/recurrence.h"

#include <math.h>
#include <string.h>

enum { LENGTH = 16, STRIDE = 2, ROWS = 2400, WINDOWS = (ROWS - LENGTH) / STRIDE + 1, COLUMNS = LENGTH + 2 };

typedef struct problem {
    float windows[WINDOWS * COLUMNS];
    int8_t labels[WINDOWS];
    uint32_t first[WINDOWS];
    recurrence_rows rows;
} problem;

/* A wave; between `begin` and `end` of every `every` rows it is constant. */
static void make(problem *out, size_t begin, size_t end, size_t every)
{
    static float values[ROWS];
    window_plan plan = {LENGTH, STRIDE, 1};
    rng draws = rng_make(3, 0);
    for (size_t i = 0; i < ROWS; i++) {
        bool fault = i % every >= begin && i % every < end;
        values[i] = (float)((fault ? 0.9 : sin((double)i * 0.7)) + 0.05 * rng_normal(&draws));
    }
    for (size_t i = 0; i < WINDOWS; i++) {
        window_encode(out->windows + i * COLUMNS, &plan, values + i * STRIDE);
        out->first[i] = (uint32_t)(i * STRIDE);
        out->labels[i] = PUAD_LABEL_UNLABELED;
    }
    out->rows =
        (recurrence_rows){out->windows, out->labels, WINDOWS, LENGTH, STRIDE, COLUMNS, NULL, out->first};
}

static problem p;
static float scores[WINDOWS], again[WINDOWS];

/* The mean score of windows within rows begin to end. */
static double mean_of(size_t begin, size_t end)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < WINDOWS; i++)
        if (i * STRIDE >= begin && i * STRIDE + LENGTH <= end) {
            sum += (double)scores[i];
            count++;
        }
    return sum / count;
}

static void fit_and_score(recurrence *made)
{
    team *workers = NULL;
    CHECK_OK(team_new(&workers, 2));
    CHECK_OK(recurrence_fit(made, &p.rows, workers));
    CHECK_OK(recurrence_check(made));
    CHECK_OK(recurrence_score(scores, made, p.windows, WINDOWS, workers));
    team_free(workers);
}

TEST(a_long_fault_in_the_training_windows_does_not_look_normal)
{
    recurrence made = {0};
    make(&p, 1000, 1100, ROWS);
    fit_and_score(&made);
    CHECK_INT(made.blocks, RECURRENCE_BLOCKS);
    CHECK(mean_of(1000, 1100) > 2 * mean_of(0, 1000));
    recurrence_free(&made);
}

TEST(scores_do_not_depend_on_the_threads)
{
    recurrence made = {0};
    team *one = NULL;
    make(&p, 1000, 1100, ROWS);
    fit_and_score(&made);
    CHECK_OK(team_new(&one, 1));
    CHECK_OK(recurrence_score(again, &made, p.windows, WINDOWS, one));
    CHECK(memcmp(scores, again, sizeof scores) == 0);
    team_free(one);
    recurrence_free(&made);
}

TEST(a_recurring_fault_is_found_once_it_is_labeled)
{
    recurrence made = {0};
    make(&p, 200, 230, 300); /* eight times: it looks normal */
    fit_and_score(&made);
    double before = mean_of(800, 830) / mean_of(0, 200);
    recurrence_free(&made);
    for (size_t i = 0; i < WINDOWS; i++)
        if (i * STRIDE >= 200 && i * STRIDE + LENGTH <= 230) p.labels[i] = PUAD_LABEL_ANOMALY;
    fit_and_score(&made);
    CHECK(made.known > 0 && made.level > 0);
    CHECK(mean_of(800, 830) / mean_of(0, 200) > 1.2 * before);
    recurrence_free(&made);
}

TEST(labels_of_windows_that_look_like_any_other_are_not_used)
{
    recurrence made = {0};
    make(&p, 1000, 1100, ROWS);
    fit_and_score(&made);
    memcpy(again, scores, sizeof scores);
    recurrence_free(&made);
    for (size_t i = 0; i < WINDOWS; i++)
        if ((i * STRIDE >= 300 && i * STRIDE < 330) || (i * STRIDE >= 1500 && i * STRIDE < 1530))
            p.labels[i] = PUAD_LABEL_ANOMALY;
    fit_and_score(&made);
    CHECK_INT(made.known, 0);
    CHECK(memcmp(scores, again, sizeof scores) == 0);
    recurrence_free(&made);
}

TEST(labeled_anomalies_alone_are_refused)
{
    recurrence made = {0};
    team *one = NULL;
    make(&p, 1000, 1100, ROWS);
    memset(p.labels, PUAD_LABEL_ANOMALY, sizeof p.labels);
    CHECK_OK(team_new(&one, 1));
    CHECK_FAILS(recurrence_fit(&made, &p.rows, one), PUAD_INVALID, "not labeled anomalies");
    team_free(one);
    recurrence_free(&made);
}
