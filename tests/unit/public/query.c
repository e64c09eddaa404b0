/* <puad/query.h>: rows to review, answers, and their cells. */
#include "cli/library_values.h"
#include "fitted.h"
#include "input/dataset_api.h"

#include <pthread.h>

static size_t labels_known(const puad_dataset *data)
{
    return puad_dataset_count(data, PUAD_LABEL_ANOMALY) + puad_dataset_count(data, PUAD_LABEL_NORMAL);
}

TEST(rows_without_an_answer_are_not_proposed_again)
{
    puad_options *options = OPTIONS("method", "puforest", "alpha", "0.05", "reread", "yes");
    puad_dataset *data = NULL, *again = NULL;
    puad_detector *model = fitted(&data, options);
    size_t chosen[20], count = 0;
    REQUIRE(model);
    CHECK_OK(puad_dataset_open(&again, test_path("train.csv"), model, options));
    CHECK_INT(labels_known(again), 60);
    CHECK(dataset_of(again).scores == NULL);
    CHECK_OK(puad_query_choose(model, chosen, 20, &count, again, options));
    CHECK_INT(count, 20);
    CHECK(dataset_of(again).scores != NULL);
    for (size_t i = 0; i < count; i++) {
        CHECK(chosen[i] < FITTED_ROWS && chosen[i] % 20 != 0); /* has no label yet */
        for (size_t k = 0; k < i; k++) CHECK(chosen[k] != chosen[i]);
    }

    puad_cells *cells = NULL;
    CHECK_OK(puad_cells_read(&cells, again, chosen, count));
    CHECK_INT(puad_cells_columns(cells), 3);
    CHECK(strcmp(puad_cells_name(cells, 2), "country") == 0);
    CHECK(strcmp(puad_cells_text(cells, 0, 2), "home") == 0 ||
          strcmp(puad_cells_text(cells, 0, 2), "abroad") == 0);
    CHECK(puad_cells_text(cells, count, 0) == NULL && puad_cells_text(cells, 0, 3) == NULL);
    puad_cells_free(cells);

    char text[2000];
    size_t used = (size_t)snprintf(text, sizeof text, "row,label\n"), more = 0;
    for (size_t i = 0; i < 10; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%zu,%d\n", chosen[i], chosen[i] % 10 ? -1 : 1);
    CHECK_OK(dataset_read_answers(again, write_text("answers.csv", text), NULL));
    CHECK_INT(labels_known(again), 70);
    CHECK_OK(puad_dataset_add_answers(again, chosen + 10, (const int8_t[]){-1, 1}, 2));
    CHECK_INT(labels_known(again), 72);
    size_t next[20];
    CHECK_OK(puad_query_choose(model, next, 20, &more, again, options));
    for (size_t i = 0; i < more; i++)
        for (size_t k = 0; k < 12; k++) CHECK(next[i] != chosen[k]);
    CHECK_FAILS(dataset_read_answers(again, write_text("bad.csv", "row,label\n5000,1\n"), NULL), PUAD_INVALID,
                "bad.csv", "line 2", "5000", "1200");
    puad_dataset_free(again);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(a_table_of_floats_has_numbers)
{
    const float values[] = {1, 9, 2, 8, 3, 7, 4, 6};
    puad_table *table = NULL;
    puad_dataset *data = NULL;
    double back[4];
    CHECK_OK(puad_table_new(&table, 4));
    CHECK_OK(puad_table_add_floats(table, "up", values, 2 * sizeof *values));
    CHECK_OK(puad_table_add_floats(table, "down", values + 1, 2 * sizeof *values));
    CHECK_OK(puad_dataset_from_table(&data, table, NULL, NULL));
    puad_table_free(table);
    CHECK_OK(puad_dataset_numbers(data, "down", back, 4));
    for (int i = 0; i < 4; i++) CHECK_NEAR(back[i], 9 - i, 1e-5);
    puad_dataset_free(data);
}

enum { SHARED_ROWS = 20000, SHARED_READS = 8 };

typedef struct sharing {
    const puad_dataset *data;
    const puad_detector *source;
    const puad_options *options;
    int wrong;
} sharing;

/* Cells of the file's first and last rows, and a fit that looks for the rows of an earlier model. */
static void *read_again(void *context)
{
    sharing *weights = context;
    const size_t rows[] = {0, 7777, SHARED_ROWS - 2};
    for (int i = 0; i < SHARED_READS; i++) {
        puad_cells *cells = NULL;
        weights->wrong += puad_cells_read(&cells, weights->data, rows, 3) != PUAD_OK ||
                          !puad_cells_text(cells, 2, 0) ||
                          strcmp(puad_cells_text(cells, 0, 2), "abroad") != 0 ||
                          strcmp(puad_cells_text(cells, 1, 2), "abroad") != 0 ||
                          strcmp(puad_cells_text(cells, 2, 2), "home") != 0;
        puad_cells_free(cells);
    }
    puad_detector *model = NULL;
    weights->wrong +=
        puad_detector_refit(&model, weights->source, weights->data, weights->options) != PUAD_OK;
    puad_detector_free(model);
    return NULL;
}

TEST(threads_that_share_a_dataset_read_its_file_independently)
{
    puad_options *options =
        OPTIONS("method", "if", "alpha", "0.05", "reread", "yes", "calibrate", "0.2", "force", "yes");
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    CHECK_OK(puad_dataset_open(&data, payments("shared.csv", SHARED_ROWS, 1, false), NULL, options));
    CHECK_OK(puad_detector_fit(&model, data, options));
    sharing weights[2] = {{data, model, options, 0}, {data, model, options, 0}};
    pthread_t other;
    REQUIRE(pthread_create(&other, NULL, read_again, &weights[1]) == 0);
    read_again(&weights[0]);
    pthread_join(other, NULL);
    CHECK_INT(weights[0].wrong + weights[1].wrong, 0);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}
