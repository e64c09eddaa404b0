/* Eight threads share one model: each scores, explains and decides, with the results of one thread. */
#include "test.h"
#include "unit/public/fitted.h"

#include <pthread.h>

enum { THREADS = 8, ROWS = 400, REASONS = 4, TURNS = 3 };

typedef struct sharing {
    const puad_detector *model;
    const puad_dataset *data;
    const puad_options *options;
    const float *scores;
    const puad_reason *reasons;
    const puad_decision *decisions;
    bool same;
} sharing;

static bool same_reasons(const puad_reason *a, const puad_reason *b)
{
    for (int i = 0; i < REASONS; i++)
        if (a[i].index != b[i].index || a[i].contribution != b[i].contribution) return false;
    return true;
}

/* A prepared row of this thread, with the cells of the last row of the file. */
static bool scores_a_prepared_row(puad_scorer *scorer)
{
    const double amount = 91.5, hour = 11;
    const char *country = "abroad";
    float scores[2];
    puad_table *row = NULL;
    bool good = puad_table_new(&row, 1) == PUAD_OK &&
                puad_table_add_doubles(row, "amount", &amount, 0) == PUAD_OK &&
                puad_table_add_doubles(row, "hour", &hour, 0) == PUAD_OK &&
                puad_table_add_texts(row, "country", &country, 0) == PUAD_OK;
    for (int i = 0; i < 2; i++) good &= puad_scorer_run_table(scorer, &scores[i], 1, row, NULL) == PUAD_OK;
    puad_table_free(row);
    return good && scores[0] == scores[1];
}

static void *use(void *context)
{
    sharing *weights = context;
    puad_scorer *scorer = NULL;
    float scores[ROWS];
    puad_decision decisions[ROWS];
    puad_reason reasons[REASONS];
    size_t count = 0;
    weights->same = puad_scorer_new(&scorer, weights->model, weights->options) == PUAD_OK;
    for (int turn = 0; turn < TURNS && weights->same; turn++) {
        decisions[0].struct_size = sizeof decisions[0];
        reasons[0].struct_size = sizeof reasons[0];
        weights->same =
            puad_scorer_run(scorer, scores, ROWS, weights->data) == PUAD_OK &&
            memcmp(scores, weights->scores, sizeof scores) == 0 && scores_a_prepared_row(scorer) &&
            puad_detector_explain(weights->model, reasons, REASONS, &count, weights->data, 0) == PUAD_OK &&
            count >= REASONS - 1 && same_reasons(reasons, weights->reasons) &&
            puad_detector_decide(weights->model, decisions, scores, ROWS, weights->options) == PUAD_OK;
        for (int i = 0; i < ROWS && weights->same; i++)
            weights->same = decisions[i].p == weights->decisions[i].p &&
                            decisions[i].flagged == weights->decisions[i].flagged;
    }
    puad_scorer_free(scorer);
    return NULL;
}

TEST(eight_threads_on_one_model_get_the_results_of_one)
{
    static const char *const methods[] = {"committee", "puae"};
    static float scores[ROWS];
    static puad_decision decisions[ROWS];
    for (int k = 0; k < 2; k++) {
        puad_options *options =
            OPTIONS("method", methods[k], "epochs", "2", "calibrate", "0.2", "flag_rate", "0.1");
        puad_dataset *train = NULL, *data = NULL;
        puad_detector *model = fitted(&train, options);
        puad_reason reasons[REASONS] = {{.struct_size = sizeof *reasons}};
        sharing shared = {model, NULL, options, scores, reasons, decisions, false}, weights[THREADS];
        pthread_t threads[THREADS];
        size_t count;
        CHECK_OK(puad_dataset_open(&data, payments("new.csv", ROWS, 2, false), model, options));
        shared.data = data;
        CHECK_OK(puad_detector_score(model, scores, ROWS, data));
        CHECK_OK(puad_detector_explain(model, reasons, REASONS, &count, data, 0));
        decisions[0].struct_size = sizeof decisions[0];
        CHECK_OK(puad_detector_decide(model, decisions, scores, ROWS, options));
        for (int i = 0; i < THREADS; i++) {
            weights[i] = shared;
            REQUIRE(pthread_create(&threads[i], NULL, use, &weights[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            if (!weights[i].same) TEST_FAIL("%s: thread %d has other results", methods[k], i);
        }
        puad_dataset_free(data);
        puad_detector_free(model);
        puad_dataset_free(train);
        puad_options_free(options);
    }
}
