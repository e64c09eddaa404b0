/* The classifier of labeled anomalies against unlabeled rows: it separates, scores rows out of sample, and
 * is deterministic. */
#include "prior/pu_classifier.h"

#include "base/rng.h"
#include "test.h"

enum { ANOMALIES = 60, ROWS = 1060, COLUMNS = 6 };

/* Anomalies are shifted in three columns; the rest of the
 * rows, one in ten of them hidden anomalies, follow. */
static void make(float *values, int8_t *labels, double shift, uint64_t seed)
{
    rng draws = rng_make(seed, 1);
    for (int row = 0; row < ROWS; row++) {
        labels[row] = row < ANOMALIES;
        bool anomalous = row < ANOMALIES + (ROWS - ANOMALIES) / 10;
        for (int column = 0; column < COLUMNS; column++)
            values[row * COLUMNS + column] =
                (float)(rng_normal(&draws) + (anomalous && column < 3 ? shift : 0));
    }
}

static double auroc_of(const float *scores, int first_normal)
{
    double won = 0;
    for (int a = 0; a < ANOMALIES; a++)
        for (int n = first_normal; n < ROWS; n++)
            won += scores[a] > scores[n] ? 1 : scores[a] == scores[n] ? 0.5 : 0;
    return won / ANOMALIES / (ROWS - first_normal);
}

TEST(labeled_anomalies_are_separated_from_normal_rows)
{
    float values[ROWS * COLUMNS], scores[ROWS];
    int8_t labels[ROWS];
    make(values, labels, 2, 1);
    CHECK_OK(pu_classify(scores,
                         &(prior_rows){.values = values, .labels = labels, .rows = ROWS, .columns = COLUMNS},
                         0, NULL, NULL));
    CHECK(auroc_of(scores, ANOMALIES + 100) > 0.97);
    for (int i = 0; i < ROWS; i++) CHECK(scores[i] > 0 && scores[i] < 1);
}

/* A tree that trained on a row would reproduce its label; here labels are random, so scores must be too. */
TEST(labels_without_meaning_score_like_chance)
{
    double mean = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        float values[ROWS * COLUMNS], scores[ROWS];
        int8_t labels[ROWS];
        make(values, labels, 0, seed);
        CHECK_OK(pu_classify(
            scores, &(prior_rows){.values = values, .labels = labels, .rows = ROWS, .columns = COLUMNS}, 0,
            NULL, NULL));
        mean += auroc_of(scores, ANOMALIES) / 6;
    }
    CHECK_NEAR(mean, 0.5, 0.06);
}

TEST(probabilities_are_calibrated)
{
    float values[ROWS * COLUMNS], scores[ROWS];
    int8_t labels[ROWS];
    make(values, labels, 1.5, 2);
    CHECK_OK(pu_classify(scores,
                         &(prior_rows){.values = values, .labels = labels, .rows = ROWS, .columns = COLUMNS},
                         0, NULL, NULL));
    double sum = 0, high = 0, high_labeled = 0;
    for (int i = 0; i < ROWS; i++) {
        sum += (double)scores[i];
        if (scores[i] > 0.2F) {
            high += (double)scores[i];
            high_labeled += labels[i];
        }
    }
    CHECK_NEAR(sum, ANOMALIES, 1);
    CHECK_NEAR(high / high_labeled, 1, 0.3);
}

TEST(one_two_and_three_threads_give_the_same_bits)
{
    float values[ROWS * COLUMNS], scores[3][ROWS];
    int8_t labels[ROWS];
    make(values, labels, 1, 3);
    for (int threads = 1; threads <= 3; threads++) {
        team *workers = NULL;
        CHECK_OK(team_new(&workers, threads));
        CHECK_OK(
            pu_classify(scores[threads - 1],
                        &(prior_rows){.values = values, .labels = labels, .rows = ROWS, .columns = COLUMNS},
                        7, workers, NULL));
        team_free(workers);
    }
    CHECK(memcmp(scores[0], scores[1], sizeof scores[0]) == 0);
    CHECK(memcmp(scores[0], scores[2], sizeof scores[0]) == 0);
}

TEST(constant_columns_and_constant_data_work)
{
    float values[40 * 2] = {0}, scores[40];
    int8_t labels[40] = {0};
    for (int i = 0; i < 10; i++) labels[i] = 1;
    CHECK_OK(pu_classify(scores, &(prior_rows){.values = values, .labels = labels, .rows = 40, .columns = 2},
                         0, NULL, NULL));
    for (int i = 1; i < 40; i++) CHECK_NEAR(scores[i], 0.25, 0.05);
    for (int i = 0; i < 10; i++) values[2 * i] = 5;
    CHECK_OK(pu_classify(scores, &(prior_rows){.values = values, .labels = labels, .rows = 40, .columns = 2},
                         0, NULL, NULL));
    for (int i = 0; i < 10; i++) CHECK(scores[i] > scores[39]);
}

TEST(too_few_rows_are_refused)
{
    float values[4] = {0}, scores[4];
    int8_t labels[4] = {1, 0, 0, 0};
    CHECK_FAILS(pu_classify(scores,
                            &(prior_rows){.values = values, .labels = labels, .rows = 4, .columns = 1}, 0,
                            NULL, NULL),
                PUAD_INVALID, "1", "3", "2");
}
