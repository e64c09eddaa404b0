/* Bands that hold with ten labels as with two hundred, on mixtures whose truth is known from a large
 * sample. */
#include "decide/operating.h"
#include "prior/anomaly_posterior.h"

#include "simulated_scores.h"
#include "test.h"

enum { DRAWS = 12, ROWS = 1000, LARGE = 20000, POINTS = 16, AUROC = 0, RECALL, PRECISION, FIGURES };

static void count_held(double held[FIGURES], double counted[FIGURES], const operating_table *table,
                       const simulated *truth, size_t unlabeled)
{
    double pairs = 0;
    const float *normal = truth->unlabeled_scores + truth->hidden;
    for (size_t i = 0; i < truth->hidden; i += 5)
        for (size_t k = 0; k < unlabeled - truth->hidden; k += 37)
            pairs += truth->unlabeled_scores[i] > normal[k];
    pairs /= ceil((double)truth->hidden / 5) * ceil((double)(unlabeled - truth->hidden) / 37);
    counted[AUROC]++;
    held[AUROC] += table->auroc.low <= pairs && pairs <= table->auroc.high;
    for (size_t i = 0; i < table->count; i++) {
        const operating_point *point = &table->points[i];
        double found = 0, flagged = 0;
        for (size_t k = 0; k < unlabeled; k++) {
            bool is = (double)truth->unlabeled_scores[k] >= point->threshold;
            flagged += is;
            found += is && k < truth->hidden;
        }
        double recall = found / (double)truth->hidden, precision = flagged > 0 ? found / flagged : 1;
        counted[RECALL]++;
        counted[PRECISION]++;
        held[RECALL] += point->tpr.low <= recall && recall <= point->tpr.high;
        held[PRECISION] += point->precision.low <= precision && precision <= point->precision.high;
        CHECK(point->precision.low <= point->precision.value &&
              point->precision.value <= point->precision.high);
        CHECK(point->fpr.low <= point->fpr.value && point->fpr.value <= point->fpr.high);
        CHECK(point->f1.low <= point->f1.value && point->f1.value <= point->f1.high);
    }
}

TEST(bands_contain_the_truth_with_few_labels_and_with_many)
{
    static const size_t labels[] = {10, 50, 200};
    static const double aurocs[] = {0.9, 0.97, 0.995};
    for (int i = 0; i < 3; i++) {
        double held[FIGURES] = {0}, counted[FIGURES] = {0};
        for (int k = 0; k < 3; k++) {
            double distance = distance_for_auroc(aurocs[k]);
            for (uint64_t seed = 0; seed < DRAWS; seed++) {
                simulated data = simulate(labels[i], ROWS, 0.1, distance, 200 + seed);
                simulated truth = simulate(labels[i] * LARGE / ROWS, LARGE, 0.1, distance, 900 + seed);
                AUTO_PURITY purity found = {0};
                AUTO_OPERATING operating_table table = {0};
                double alpha, low, high;
                CHECK_OK(purity_new(&found,
                                    &(pu_sample){data.anomaly, labels[i], data.unlabeled_scores, ROWS},
                                    &purity_for_intervals, 1));
                CHECK_OK(purity_alpha(&found, &alpha, &low, &high));
                CHECK_OK(operating_table_new(
                    &table, &(pu_sample){data.anomaly, labels[i], data.unlabeled_scores, ROWS},
                    &(alpha_interval){alpha, low, high}, POINTS, seed, NULL));
                CHECK_OK(operating_table_model(
                    &table, &(pu_sample){data.anomaly, labels[i], data.unlabeled_scores, ROWS}, seed));
                count_held(held, counted, &table, &truth, LARGE);
                simulated_free(&data);
                simulated_free(&truth);
            }
        }
        printf("%zu labels: AUROC %.3f, recall %.3f, precision %.3f within their bands\n", labels[i],
               held[AUROC] / counted[AUROC], held[RECALL] / counted[RECALL],
               held[PRECISION] / counted[PRECISION]);
        for (int k = 0; k < FIGURES; k++) CHECK(held[k] >= 0.93 * counted[k]);
    }
}

/* fit --calibrate holds out a part of the unlabeled rows and all labels: labels may be half of the
 * held-out rows although anomalies are rare. */
TEST(bands_contain_the_truth_with_as_many_labels_as_unlabeled_rows)
{
    enum { LABELS = 200, FEW_ROWS = 210 };
    double held[FIGURES] = {0}, counted[FIGURES] = {0}, distance = distance_for_auroc(0.75);
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        simulated data = simulate(LABELS, FEW_ROWS, 0.1, distance, 400 + seed);
        simulated truth = simulate(LABELS * LARGE / FEW_ROWS, LARGE, 0.1, distance, 500 + seed);
        AUTO_OPERATING operating_table table = {0};
        CHECK_OK(operating_table_new(&table,
                                     &(pu_sample){data.anomaly, LABELS, data.unlabeled_scores, FEW_ROWS},
                                     &(alpha_interval){0.1, 0.01, 0.7}, POINTS, seed, NULL));
        CHECK_OK(operating_table_model(
            &table, &(pu_sample){data.anomaly, LABELS, data.unlabeled_scores, FEW_ROWS}, seed));
        count_held(held, counted, &table, &truth, LARGE);
        simulated_free(&data);
        simulated_free(&truth);
    }
    printf("200 labels, 210 rows: AUROC %.3f, recall %.3f, precision %.3f within their bands\n",
           held[AUROC] / counted[AUROC], held[RECALL] / counted[RECALL],
           held[PRECISION] / counted[PRECISION]);
    for (int k = 0; k < FIGURES; k++) CHECK(held[k] >= 0.93 * counted[k]);
}

TEST(ten_of_ten_does_not_mean_certainty)
{
    float anomaly[10], unlabeled[200];
    for (int i = 0; i < 10; i++) anomaly[i] = 5 + (float)i / 100;
    for (int i = 0; i < 200; i++) unlabeled[i] = -(float)i / 100;
    AUTO_OPERATING operating_table table = {0};
    CHECK_OK(operating_table_new(&table, &(pu_sample){anomaly, 10, unlabeled, 200},
                                 &(alpha_interval){0.01, 0, 0.05}, 8, 0, NULL));
    CHECK_OK(operating_table_model(&table, &(pu_sample){anomaly, 10, unlabeled, 200}, 0));
    CHECK(table.auroc.low < 0.95 && table.auroc.high >= 0.999);
    CHECK(table.points[table.count - 1].tpr.low < 0.95);
}

/* With ten labels, none above a threshold, and all: 99% of Clopper and Pearson, plus the noise of a large
 * batch. */
TEST(none_of_ten_and_ten_of_ten_have_exact_ends)
{
    enum { MANY = 4000 };
    static float unlabeled[MANY];
    float anomaly[10];
    for (int i = 0; i < 10; i++) anomaly[i] = -1 - (float)i / 100;
    for (int i = 0; i < MANY; i++) unlabeled[i] = -(float)i / 100;
    AUTO_OPERATING operating_table table = {0};
    CHECK_OK(operating_table_new(&table, &(pu_sample){anomaly, 10, unlabeled, MANY},
                                 &(alpha_interval){0.2, 0, 0.4}, 8, 0, NULL));
    CHECK_OK(operating_table_model(&table, &(pu_sample){anomaly, 10, unlabeled, MANY}, 0));
    const operating_point *first = &table.points[0], *last = &table.points[table.count - 1];
    CHECK(first->tpr.raw <= 0 && last->tpr.raw > 1 - 1e-9);
    CHECK(first->tpr.low <= 0 && last->tpr.high > 1 - 1e-9);
    CHECK_NEAR(first->tpr.high, 1 - pow(0.005, 0.1), 0.06);
    CHECK_NEAR(last->tpr.low, pow(0.005, 0.1), 0.06);
    for (size_t i = 0; i < table.count; i++) CHECK(table.points[i].f1.low <= table.points[i].f1.high);
}
