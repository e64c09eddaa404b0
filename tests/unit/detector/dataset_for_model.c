/* A model stores the encoding of its training data, and rows of other files are encoded with it. */
#include "cli/library_values.h"
#include "input/dataset_api.h"
#include "test.h"

#include "detector/model/fit_options.h"

#include <puad/advanced.h>
#include <stdlib.h>

/* For preconditions of a test. */
#define MUST(call)                                                                                           \
    do {                                                                                                     \
        if ((call) != PUAD_OK) abort();                                                                      \
    } while (0)

static const char *write_text(const char *name, const char *text)
{
    const char *path = test_path(name);
    FILE *file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
    return path;
}

static const char *write_rows(const char *name, int rows)
{
    static char text[20000];
    size_t used = (size_t)sprintf(text, "who,size,color,label\n");
    for (int i = 0; i < rows; i++)
        used += (size_t)sprintf(text + used, "w%d,%d,%s,%d\n", i, 100 + i % 17, i % 3 ? "red" : "blue",
                                i % 25 == 0);
    return write_text(name, text);
}

static puad_options *options_of(const char *label, const char *id)
{
    puad_options *options = NULL;
    MUST(puad_options_new(&options));
    MUST(puad_options_set(options, "label_column", label));
    MUST(puad_options_set(options, "id_column", id));
    MUST(puad_options_set(options, "method", "puae"));
    MUST(puad_options_set_number(options, "epochs", 2));
    MUST(puad_options_set(options, "threads", "1"));
    return options;
}

static void train(puad_detector **out, puad_dataset **data)
{
    puad_options *options = options_of("label", "who");
    CHECK_OK(puad_dataset_open(data, write_rows("train.csv", 300), NULL, options));
    CHECK_OK(puad_detector_fit(out, *data, options));
    puad_options_free(options);
}

TEST(rows_of_another_file_are_encoded_by_the_training_data)
{
    puad_detector *model = NULL;
    puad_dataset *data = NULL, *fresh = NULL;
    train(&model, &data);
    REQUIRE(model && data);
    puad_options *options = options_of(NULL, "who");
    /* Two rows of the training file, columns in another order, one of them with a category that is new. */
    const char *path = write_text("new.csv", "color,size,who\nblue,100,a\ngreen,101,b\n");
    CHECK_OK(puad_dataset_open(&fresh, path, model, options));
    REQUIRE(fresh);
    size_t columns = dataset_of(data).columns;
    CHECK_INT(puad_dataset_rows(fresh), 2);
    CHECK_INT(dataset_of(fresh).columns, columns);
    CHECK(memcmp(dataset_of(fresh).values, dataset_of(data).values, columns * sizeof(float)) == 0);
    CHECK_TEXT(puad_dataset_id(fresh, 1), "b");
    CHECK_TEXT(fresh->data.column_names[0], data->data.column_names[0]);
    CHECK(dataset_of(fresh).note_count == 1 && strstr(puad_dataset_note(fresh, 0), "not seen in training"));
    float scores[2];
    puad_scorer *scorer = NULL;
    CHECK_OK(puad_scorer_new(&scorer, model, options));
    CHECK_OK(puad_scorer_run(scorer, scores, 2, fresh));
    CHECK_FAILS(puad_scorer_run(scorer, scores, 1, fresh), PUAD_INVALID, "1", "2");
    puad_dataset *narrow = NULL;
    CHECK_OK(puad_dataset_open(&narrow, write_text("narrow.csv", "a\n1\n2\n3\n"), NULL, NULL));
    CHECK_FAILS(puad_scorer_run(scorer, scores, 2, narrow), PUAD_INVALID, "2", "3");
    puad_scorer_free(scorer);
    puad_options_free(options);
    puad_dataset_free(narrow);
    puad_dataset_free(fresh);
    puad_dataset_free(data);
    puad_detector_free(model);
}

TEST(many_rows_with_labels_are_read_whole_and_a_saved_model_knows_them_too)
{
    puad_detector *model = NULL, *loaded = NULL;
    puad_dataset *data = NULL, *again = NULL;
    train(&model, &data);
    REQUIRE(model && data);
    CHECK_OK(puad_detector_save(model, test_path("m.safetensors")));
    CHECK_OK(puad_detector_load(&loaded, test_path("m.safetensors")));
    puad_options *options = options_of("label", NULL);
    CHECK_OK(puad_dataset_open(&again, test_path("train.csv"), loaded, options));
    REQUIRE(again);
    CHECK_INT(puad_dataset_rows(again), 300);
    CHECK_INT(puad_dataset_count(again, PUAD_LABEL_ANOMALY), 12);
    CHECK(memcmp(dataset_of(again).values, dataset_of(data).values,
                 300 * dataset_of(data).columns * sizeof(float)) == 0);
    puad_options_free(options);
    puad_dataset_free(again);
    puad_dataset_free(data);
    puad_detector_free(loaded);
    puad_detector_free(model);
}

TEST(a_model_of_float_rows_rejects_files)
{
    float values[60];
    for (int i = 0; i < 60; i++) values[i] = (float)(i * 7 % 11);
    labeled_rows rows = {values, NULL, 30, 1, 1, 2, NULL};
    fit_options options = fit_options_standard();
    options.method = "if";
    puad_detector *model = NULL;
    puad_dataset *data = NULL;
    CHECK_OK(detector_fit(&model, &rows, &options));
    CHECK_FAILS(puad_dataset_open(&data, "x.csv", model, NULL), PUAD_INVALID);
    puad_detector_free(model);
}

/* Rows in memory that are not encoded, or encoded separately, would get different scores. */
TEST(rows_in_memory_score_as_through_a_file_and_rows_encoded_otherwise_are_refused)
{
    enum { N = 300 };
    static double numbers[N];
    static const char *colors[N];
    static float by_table[N], by_file[N];
    puad_detector *model = NULL;
    puad_dataset *data = NULL, *table_data = NULL, *file_data = NULL, *own = NULL;
    puad_table *table = NULL;
    puad_scorer *scorer = NULL;
    train(&model, &data);
    REQUIRE(model && data);
    for (int i = 0; i < N; i++) {
        numbers[i] = 100 + i % 17;
        colors[i] = i % 3 ? "red" : "blue";
    }
    CHECK_OK(puad_table_new(&table, N));
    CHECK_OK(puad_table_add_texts(table, "color", colors, 0));
    CHECK_OK(puad_table_add_doubles(table, "size", numbers, 0));
    CHECK_FAILS(puad_table_add_doubles(table, "size", numbers, 0), PUAD_INVALID, "'size'");
    CHECK_OK(puad_dataset_from_table(&table_data, table, model, NULL));
    CHECK_OK(puad_dataset_open(&file_data, test_path("train.csv"), model, NULL));
    CHECK_OK(puad_dataset_from_table(&own, table, NULL, NULL));
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    CHECK_OK(puad_scorer_run(scorer, by_table, N, table_data));
    CHECK_OK(puad_scorer_run(scorer, by_file, N, file_data));
    CHECK(memcmp(by_table, by_file, sizeof by_table) == 0);
    CHECK(dataset_of(table_data).encoding == dataset_of(data).encoding);
    CHECK_FAILS(puad_scorer_run(scorer, by_table, N, own), PUAD_INVALID, "puad_dataset_open");
    puad_scorer_free(scorer);
    puad_table_free(table);
    puad_dataset_free(own);
    puad_dataset_free(table_data);
    puad_dataset_free(file_data);
    puad_dataset_free(data);
    puad_detector_free(model);
}

TEST(a_model_in_memory_is_the_file_byte_for_byte)
{
    puad_detector *model = NULL, *again = NULL, *cut = NULL;
    puad_dataset *data = NULL;
    unsigned char *bytes = NULL;
    size_t size = 0;
    train(&model, &data);
    REQUIRE(model);
    CHECK_OK(puad_detector_save(model, test_path("bytes.safetensors")));
    CHECK_OK(puad_detector_save_memory(&bytes, &size, model));
    FILE *file = fopen(test_path("bytes.safetensors"), "rb");
    REQUIRE(file && bytes);
    for (size_t i = 0; i < size; i++) REQUIRE(fgetc(file) == bytes[i]);
    CHECK(fgetc(file) == EOF);
    fclose(file);
    CHECK_OK(puad_detector_load_memory(&again, bytes, size));
    CHECK_TEXT(info_of(again).method, "puae");
    CHECK_FAILS(puad_detector_load_memory(&cut, bytes, size - 1), PUAD_FORMAT, "memory");
    puad_free(bytes);
    puad_detector_free(model);
    puad_detector_free(again);
    puad_dataset_free(data);
}

TEST(label_values_of_the_training_hold_for_rows_opened_for_the_model)
{
    puad_options *options = options_of("label", "who");
    puad_detector *model = NULL;
    puad_dataset *data = NULL, *fresh = NULL;
    static char text[20000];
    size_t used = (size_t)sprintf(text, "who,size,label\n");
    for (int i = 0; i < 300; i++)
        used += (size_t)sprintf(text + used, "w%d,%d,%s\n", i, 100 + i % 17, i % 25 ? "fine" : "stolen");
    const char *path = write_text("words.csv", text);
    CHECK_OK(puad_options_set(options, "positive", "stolen"));
    CHECK_OK(puad_options_set(options, "unlabeled", "fine"));
    CHECK_OK(puad_dataset_open(&data, path, NULL, options));
    CHECK_OK(puad_detector_fit(&model, data, options));
    puad_options_free(options);
    options = options_of("label", "who");
    CHECK_OK(puad_options_set(options, "read_labels", "yes"));
    CHECK_OK(puad_dataset_open(&fresh, path, model, options));
    CHECK_INT(puad_dataset_count(fresh, PUAD_LABEL_ANOMALY), 12);
    puad_dataset_free(fresh);
    puad_dataset_free(data);
    puad_detector_free(model);
    puad_options_free(options);
}
