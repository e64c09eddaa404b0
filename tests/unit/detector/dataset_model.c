/* A model keeps how its training data were encoded, and rows of other files are encoded so. */
#include "test.h"

#include <puad/puad.h>

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
    size_t used = (size_t)sprintf(text, "who,size,colour,label\n");
    for (int i = 0; i < rows; i++)
        used += (size_t)sprintf(text + used, "w%d,%d,%s,%d\n", i, 100 + i % 17, i % 3 ? "red" : "blue",
                                i % 25 == 0);
    return write_text(name, text);
}

static void train(puad_detector **out, puad_dataset **data)
{
    puad_dataset_options how = puad_dataset_options_standard();
    how.label_column = "label";
    how.id_column = "who";
    CHECK_OK(puad_dataset_open(data, write_rows("train.csv", 300), &how));
    puad_fit_options options = puad_fit_options_standard();
    options.method = "puae";
    options.epochs = 2;
    options.threads = 1;
    CHECK_OK(puad_detector_fit_dataset(out, *data, &options));
}

TEST(rows_of_another_file_are_encoded_by_the_training_data)
{
    puad_detector *model = NULL;
    puad_dataset *data = NULL, *fresh = NULL;
    train(&model, &data);
    REQUIRE(model && data);
    puad_dataset_options how = puad_dataset_options_standard();
    how.id_column = "who";
    /* Two rows of the training file, columns in another order, one of them with a category that is new. */
    const char *path = write_text("new.csv", "colour,size,who\nblue,100,a\ngreen,101,b\n");
    CHECK_OK(puad_dataset_open_for(&fresh, model, path, &how));
    REQUIRE(fresh);
    size_t columns = puad_dataset_columns(data);
    CHECK_INT(puad_dataset_rows(fresh), 2);
    CHECK_INT(puad_dataset_columns(fresh), columns);
    CHECK(memcmp(puad_dataset_values(fresh), puad_dataset_values(data), columns * sizeof(float)) == 0);
    CHECK_TEXT(puad_dataset_id(fresh, 1), "b");
    CHECK_TEXT(puad_dataset_column_name(fresh, 0), puad_dataset_column_name(data, 0));
    CHECK(puad_dataset_note_count(fresh) == 1 && strstr(puad_dataset_note(fresh, 0), "not seen in training"));
    float scores[2];
    puad_scorer *scorer = NULL;
    CHECK_OK(puad_scorer_new(&scorer, model, 1, NULL));
    CHECK_OK(puad_scorer_run_dataset(scorer, scores, fresh));
    puad_dataset *narrow = NULL;
    CHECK_OK(puad_dataset_open(&narrow, write_text("narrow.csv", "a\n1\n2\n3\n"), NULL));
    CHECK_FAILS(puad_scorer_run_dataset(scorer, scores, narrow), PUAD_INVALID, "rows of 1 values");
    puad_scorer_free(scorer);
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
    puad_dataset_options how = puad_dataset_options_standard();
    how.label_column = "label";
    CHECK_OK(puad_dataset_open_for(&again, loaded, test_path("train.csv"), &how));
    REQUIRE(again);
    CHECK_INT(puad_dataset_rows(again), 300);
    CHECK_INT(puad_dataset_count(again, PUAD_LABEL_ANOMALY), 12);
    CHECK(memcmp(puad_dataset_values(again), puad_dataset_values(data),
                 300 * puad_dataset_columns(data) * sizeof(float)) == 0);
    puad_dataset_free(again);
    puad_dataset_free(data);
    puad_detector_free(loaded);
    puad_detector_free(model);
}

TEST(a_model_of_plain_rows_says_that_it_knows_of_no_file)
{
    float values[60];
    for (int i = 0; i < 60; i++) values[i] = (float)(i * 7 % 11);
    puad_rows rows = {values, NULL, 30, 1, 1, 2};
    puad_fit_options options = puad_fit_options_standard();
    options.method = "if";
    puad_detector *model = NULL;
    puad_dataset *data = NULL;
    CHECK_OK(puad_detector_fit(&model, &rows, &options));
    CHECK_FAILS(puad_dataset_open_for(&data, model, "x.csv", NULL), PUAD_INVALID,
                "puad_detector_fit_dataset");
    puad_detector_free(model);
}
