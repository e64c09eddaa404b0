/* A long call ends when another thread requests it. */
#include "test.h"

#include <pthread.h>
#include <puad/advanced.h>
#include <unistd.h>

enum { ROWS = 4000, COLUMNS = 10 };
static double values[ROWS * COLUMNS];
static int8_t labels[ROWS];

static void *ask_to_stop(void *stop)
{
    usleep(20000);
    puad_stop_request(stop);
    return NULL;
}

static puad_dataset *rows(void)
{
    puad_table *table = NULL;
    puad_dataset *data = NULL;
    unsigned state = 1;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        state = state * 1664525U + 1013904223U;
        values[i] = (state >> 8) % 10000 + (i / COLUMNS % 10 == 0 ? 5000 : 0);
    }
    for (int i = 0; i < ROWS; i++) labels[i] = i % 20 == 0;
    if (puad_table_new(&table, ROWS) != PUAD_OK ||
        puad_table_add_double_matrix(table, NULL, values, COLUMNS, 0, 0) != PUAD_OK ||
        puad_table_set_labels(table, labels) != PUAD_OK ||
        puad_dataset_from_table(&data, table, NULL, NULL) != PUAD_OK)
        abort();
    puad_table_free(table);
    return data;
}

static void stop_a_fit(const char *method, int later)
{
    puad_options *options = NULL;
    puad_detector *model = NULL;
    puad_prior *prior = NULL;
    puad_dataset *data = rows();
    puad_stop *stop = NULL;
    pthread_t other;
    CHECK_OK(puad_options_new(&options));
    CHECK_OK(puad_options_set(options, "method", method));
    CHECK_OK(puad_options_set(options, "epochs", "1000000"));
    CHECK_OK(puad_options_set(options, "alpha", "0.05"));
    CHECK_OK(puad_stop_new(&stop));
    puad_options_set_stop(options, stop);
    if (!later) puad_stop_request(stop);
    if (later) pthread_create(&other, NULL, ask_to_stop, stop);
    CHECK_FAILS(puad_detector_fit(&model, data, options), PUAD_CANCELLED);
    if (later) pthread_join(other, NULL);
    CHECK(model == NULL);
    CHECK_FAILS(puad_prior_estimate(&prior, data, options), PUAD_CANCELLED);
    puad_options_set_stop(options, NULL);
    puad_stop_free(stop);
    CHECK_OK(puad_prior_estimate(&prior, data, options));
    puad_prior_free(prior);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(a_network_stops)
{
    stop_a_fit("puae", 1);
}

TEST(forests_stop)
{
    stop_a_fit("committee", 0);
    stop_a_fit("if", 0);
}
