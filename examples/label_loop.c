/* A few labels at a time: estimate the fraction of hidden anomalies, train, print the training history and
 * the operating table, choose rows for review, train again with the answers, and evaluate both models.
 *
 *     cc label_loop.c $(pkg-config --cflags --libs puad) -o label_loop
 *     ./label_loop */
#include <puad/calibration.h>
#include <puad/dataset.h>
#include <puad/detector.h>
#include <puad/explain.h>
#include <puad/groups.h>
#include <puad/history.h>
#include <puad/metrics.h>
#include <puad/options.h>
#include <puad/prior.h>
#include <puad/query.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1500, ASKED = 20 };
static double amount[ROWS], hour[ROWS];
static int8_t labels[ROWS], truth[ROWS];

#define DO(call)                                                                                             \
    do {                                                                                                     \
        if ((call) != PUAD_OK) {                                                                             \
            fprintf(stderr, "label_loop: %s\n", puad_last_error());                                          \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* One payment in ten is large or at night; one in five of these is labeled. */
static puad_table *make_table(void)
{
    puad_table *table = NULL;
    unsigned state = 7;
    for (int i = 0; i < ROWS; i++) {
        state = state * 1664525u + 1013904223u;
        truth[i] = i % 10 == 0;
        labels[i] = i % 50 == 0 ? PUAD_LABEL_ANOMALY : PUAD_LABEL_UNLABELED;
        amount[i] = (truth[i] && i % 20 ? 60 : 20) + (state >> 8) % 3000 / 100.0;
        hour[i] = truth[i] && i % 20 == 0 ? 2 + (state >> 20) % 3 : 9 + (state >> 20) % 10;
    }
    DO(puad_table_new(&table, ROWS));
    DO(puad_table_add_doubles(table, "amount", amount, 0));
    DO(puad_table_add_doubles(table, "hour", hour, 0));
    DO(puad_table_set_labels(table, labels));
    return table;
}

static double auroc(const puad_detector *model, const puad_dataset *rows)
{
    static float scores[ROWS];
    puad_scorer *scorer = NULL;
    puad_roc *curve = NULL;
    DO(puad_scorer_new(&scorer, model, NULL));
    DO(puad_scorer_run(scorer, scores, ROWS, rows));
    DO(puad_roc_new(&curve, scores, truth, ROWS));
    puad_roc_metrics metrics = {.struct_size = sizeof metrics};
    DO(puad_roc_summary(curve, &metrics));
    double area = metrics.auroc;
    puad_roc_free(curve);
    puad_scorer_free(scorer);
    return area;
}

int main(void)
{
    puad_table *table = make_table();
    puad_dataset *data = NULL, *rows = NULL;
    puad_options *options = NULL;
    puad_detector *first = NULL, *second = NULL;
    puad_prior *prior = NULL;
    puad_operating *operating = NULL;
    DO(puad_options_new(&options));
    DO(puad_options_set(options, "method", "puae"));
    DO(puad_options_set(options, "epochs", "10"));
    DO(puad_options_set(options, "calibrate", "0.2"));
    DO(puad_dataset_from_table(&data, table, NULL, options));

    DO(puad_prior_estimate(&prior, data, options));
    puad_prior_evidence evidence = {.struct_size = sizeof evidence};
    DO(puad_prior_result(prior, &evidence));
    if (evidence.refused) {
        printf("alpha is not known: %s\n", evidence.reason);
        DO(puad_options_set(options, "alpha", "0.08"));
    } else {
        printf("about %.3f of the unlabeled rows are anomalies\n", evidence.alpha);
        DO(puad_options_set_number(options, "alpha", evidence.alpha));
    }
    DO(puad_detector_fit(&first, data, options));
    puad_epoch epoch = {.struct_size = sizeof epoch};
    puad_model_info trained = {.struct_size = sizeof trained};
    DO(puad_detector_info(first, &trained));
    for (size_t i = 0; i < trained.epochs; i++) {
        DO(puad_detector_epoch(first, &epoch, PUAD_PHASE_TRAINING, i));
        printf("epoch %zu: loss %.4f\n", epoch.epoch, epoch.train_loss);
    }
    DO(puad_operating_new(&operating, first, 5, options));
    puad_operating_point point = {.struct_size = sizeof point};
    for (size_t i = 0; puad_operating_at(operating, &point, i) == PUAD_OK; i++)
        printf("threshold %.4g: recall %.2f, precision %.2f\n", point.threshold, point.recall.value,
               point.precision.value);

    size_t chosen[ASKED], count = 0;
    int8_t answers[ASKED];
    DO(puad_dataset_from_table(&rows, table, first, options));
    DO(puad_query_choose(first, chosen, ASKED, &count, rows, options));
    for (size_t i = 0; i < count; i++) answers[i] = truth[chosen[i]] ? PUAD_LABEL_ANOMALY : PUAD_LABEL_NORMAL;
    DO(puad_dataset_add_answers(data, chosen, answers, count));
    printf("%zu rows were asked about\n", count);
    /* use the method with the same head that uses labeled normals */
    DO(puad_options_set(options, "method", NULL));
    DO(puad_detector_refit(&second, first, data, options));

    puad_scorer *scorer = NULL;
    char reasons_text[200];
    DO(puad_scorer_new(&scorer, first, NULL));
    puad_reason reasons[2] = {{.struct_size = sizeof *reasons}};
    size_t reason_count;
    DO(puad_detector_explain(first, reasons, 2, &reason_count, rows, 0));
    DO(puad_reasons_text(reasons, reason_count, reasons_text, sizeof reasons_text));
    printf("row 0 is odd because of %s\n", reasons_text);
    puad_groups *groups = NULL; /* groups of proposed rows that are unusual for the same reasons */
    puad_dataset_rows_info encoded = {.struct_size = sizeof encoded};
    DO(puad_dataset_info(rows, &encoded));
    float *asked = malloc(count * encoded.columns * sizeof *asked);
    if (!asked) exit(1);
    for (size_t i = 0; i < count; i++)
        memcpy(asked + i * encoded.columns, encoded.values + chosen[i] * encoded.columns,
               encoded.columns * sizeof *asked);
    DO(puad_groups_find(&groups, scorer, asked, count, encoded.columns));
    for (size_t i = 0; i < puad_groups_count(groups); i++) {
        puad_group group = {.struct_size = sizeof group};
        DO(puad_groups_at(groups, &group, i));
        if (!group.reasons) continue;
        DO(puad_groups_reason(groups, reasons, i, 0));
        DO(puad_reasons_text(reasons, 1, reasons_text, sizeof reasons_text));
        printf("%zu of the rows asked about: %s\n", group.rows, reasons_text);
    }
    puad_groups_free(groups);
    free(asked);
    puad_model_info info = {.struct_size = sizeof info};
    DO(puad_detector_info(second, &info));
    printf("AUROC %.3f, then %.3f with %s\n", auroc(first, rows), auroc(second, data), info.method);
    puad_scorer_free(scorer);
    puad_operating_free(operating);
    puad_prior_free(prior);
    puad_detector_free(first);
    puad_detector_free(second);
    puad_dataset_free(rows);
    puad_dataset_free(data);
    puad_table_free(table);
    puad_options_free(options);
    return 0;
}
