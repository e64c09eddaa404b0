/* Compares rows with the training rows, from C: as a dataset and as a stream of scores. */
#include "checks/drift.h"
#include "base/rng.h"

#include "test.h"

#include <puad/advanced.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1500, COLUMNS = 3 };
static double values[ROWS * COLUMNS];
static int8_t labels[ROWS];
static char heard[1024];

static void on_warning(void *context, const puad_warning *warning)
{
    (void)context;
    strncat(heard, warning->name, sizeof heard - strlen(heard) - 1);
    strncat(heard, " ", sizeof heard - strlen(heard) - 1);
}

static void draw(puad_table **out, uint64_t seed, double shift)
{
    rng draws = rng_make(seed, 1);
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = rng_normal(&draws) + (i % COLUMNS == 1 ? shift : 0);
    CHECK_OK(puad_table_new(out, ROWS));
    CHECK_OK(puad_table_add_double_matrix(*out, NULL, values, COLUMNS, 0, 0));
}

static void train(puad_detector **out, puad_options *options)
{
    puad_table *table = NULL;
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    unsigned char *bytes = NULL;
    size_t size;
    draw(&table, 1, 0);
    for (int i = 0; i < 40; i++) labels[i] = 1;
    CHECK_OK(puad_table_set_labels(table, labels));
    CHECK_OK(puad_dataset_from_table(&data, table, NULL, options));
    CHECK_OK(puad_options_set(options, "method", "if"));
    CHECK_OK(puad_detector_fit(&model, data, options));
    CHECK_OK(puad_detector_save_memory(&bytes, &size, model));
    CHECK_OK(puad_detector_load_memory(out, bytes, size)); /* the profile travels in the file */
    puad_free(bytes);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_table_free(table);
}

static void compare(const puad_detector *model, double shift, const char *expected,
                    const puad_options *options)
{
    puad_table *table = NULL;
    puad_dataset *data = NULL;
    draw(&table, 2, shift);
    CHECK_OK(puad_dataset_from_table(&data, table, model, options));
    heard[0] = 0;
    CHECK_OK(puad_detector_compare(model, data, NULL, options));
    CHECK_TEXT(heard, expected);
    puad_dataset_free(data);
    puad_table_free(table);
}

TEST(a_dataset_is_compared_with_the_training_rows)
{
    puad_options *options = NULL;
    CHECK_OK(puad_options_new(&options));
    puad_options_set_warning(options, on_warning, NULL);
    puad_detector *model = NULL;
    train(&model, options);
    CHECK(model->profile.rows == ROWS - 40);
    compare(model, 0, "", options);
    compare(model, 0.1, "", options); /* too small a change to matter */
    compare(model, 1, "column_drift ", options);
    CHECK_FAILS(puad_detector_compare(NULL, NULL, NULL, options), PUAD_INVALID, "model");
    puad_detector_free(model);
    puad_options_free(options);
}

TEST(rows_encoded_for_another_model_are_refused)
{
    puad_options *options = NULL;
    puad_dataset *other = NULL;
    CHECK_OK(puad_options_new(&options));
    puad_detector *model = NULL;
    train(&model, options);
    puad_table *table = NULL;
    draw(&table, 3, 0);
    CHECK_OK(puad_dataset_from_table(&other, table, NULL, NULL));
    CHECK_FAILS(puad_detector_compare(model, other, NULL, options), PUAD_INVALID, "puad_dataset_open");
    puad_dataset_free(other);
    puad_table_free(table);
    puad_detector_free(model);
    puad_options_free(options);
}

TEST(a_sample_comes_from_all_of_the_rows)
{
    puad_options *options = NULL;
    CHECK_OK(puad_options_new(&options));
    puad_detector *model = NULL;
    train(&model, options);
    drift_sample sample;
    CHECK_OK(drift_begin(&sample, model, SIZE_MAX));
    for (int i = 0; i < 100000; i++) {
        float row[COLUMNS] = {(float)i, 0, 0}, score = (float)i;
        drift_add(&sample, row, &score, 1);
    }
    size_t columns = model->table->encoded, gap = (size_t)(sample.scores[1] - sample.scores[0]);
    CHECK(sample.count > 1500 && sample.count <= 4096 && columns == COLUMNS);
    for (size_t i = 0; i < sample.count; i++)
        CHECK(sample.scores[i] == (float)(i * gap) && sample.values[i * columns] == sample.scores[i]);
    CHECK(sample.scores[sample.count - 1] > 99000);
    drift_end(&sample);
    puad_detector_free(model);
    puad_options_free(options);
}
