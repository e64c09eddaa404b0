/* <puad/detector.h>, <puad/history.h>, <puad/explain.h> and <puad/stream.h>: facts about a model and its
 * rows. */
#include "cli/library_values.h"
#include "fitted.h"

#include <fcntl.h>

static puad_answer count_calls(void *context, const puad_progress *now)
{
    *(size_t *)context += now->batch == now->batches;
    return PUAD_GO_ON;
}

/* An open descriptor of a file that has no name any more, and a pipe. */
TEST(a_model_is_loaded_from_a_descriptor)
{
    puad_options *options = OPTIONS("method", "puforest");
    puad_dataset *data = NULL;
    puad_detector *model = fitted(&data, options), *again = NULL;
    const char *path = test_path("gone.safetensors");
    unsigned char *bytes = NULL;
    size_t size;
    char name[32];
    int ends[2];
    REQUIRE(model);
    CHECK_OK(puad_detector_save(model, path));
    int file = open(path, O_RDONLY);
    REQUIRE(file >= 0 && unlink(path) == 0);
    snprintf(name, sizeof name, "/dev/fd/%d", file);
    CHECK_OK(puad_detector_load(&again, name));
    CHECK_TEXT(info_of(again).method, "puforest");
    puad_detector_free(again);
    close(file);
    CHECK_OK(puad_detector_save_memory(&bytes, &size, model));
    REQUIRE(pipe(ends) == 0);
    if (fork() == 0) {
        for (size_t done = 0; done < size;) {
            ssize_t count = write(ends[1], bytes + done, size - done);
            if (count <= 0) break;
            done += (size_t)count;
        }
        _exit(0);
    }
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    CHECK_OK(puad_detector_load(&again, name));
    CHECK_INT(info_of(again).trees, info_of(model).trees);
    close(ends[0]);
    puad_free(bytes);
    puad_detector_free(again);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(a_network_reports_its_options_columns_and_epochs)
{
    puad_options *options = OPTIONS("method", "puae", "alpha", "0.05", "epochs", "4", "noise", "0.25");
    puad_dataset *data = NULL;
    size_t epochs = 0;
    char text[200], *json = NULL;
    puad_options_set_progress(options, count_calls, &epochs);
    puad_detector *model = fitted(&data, options);
    REQUIRE(model);
    CHECK_INT(epochs, 4);
    CHECK_INT(info_of(model).epochs, 4);
    CHECK_INT(info_of(model).pretrain_epochs, 0);
    CHECK_NEAR((double)epoch_at(model, PUAD_PHASE_TRAINING, 3).epoch, 3, 0);
    CHECK(isfinite(epoch_at(model, PUAD_PHASE_TRAINING, 3).train_loss));
    CHECK(isfinite(epoch_at(model, PUAD_PHASE_TRAINING, 3).valid_loss));
    CHECK(epoch_at(model, PUAD_PHASE_TRAINING, 3).seconds >= 0);
    puad_epoch epoch = {.struct_size = sizeof epoch};
    CHECK_FAILS(puad_detector_epoch(model, &epoch, PUAD_PHASE_TRAINING, 4), PUAD_INVALID, "4");

    CHECK_OK(puad_detector_option(model, text, sizeof text, "noise"));
    CHECK_NEAR(atof(text), 0.25, 0);
    CHECK_OK(puad_detector_option(model, text, sizeof text, "novelty")); /* of the committee alone */
    CHECK(text[0] == 0);
    CHECK_FAILS(puad_detector_option(model, text, sizeof text, "nonsense"), PUAD_INVALID, "nonsense");
    unsigned char *bytes = NULL;
    size_t size;
    puad_detector *again = NULL;
    CHECK(info_of(model).remark == NULL);
    CHECK_OK(puad_detector_set_remark(model, "mine"));
    CHECK_OK(puad_detector_save_memory(&bytes, &size, model));
    CHECK_OK(puad_detector_load_memory(&again, bytes, size));
    CHECK_TEXT(info_of(again).remark, "mine");
    CHECK_OK(puad_detector_set_remark(again, NULL));
    CHECK(info_of(again).remark == NULL);
    puad_detector_free(again);
    puad_free(bytes);
    CHECK_INT(info_of(model).column_count, 3);
    puad_column column = {.struct_size = sizeof column};
    CHECK_OK(puad_detector_column(model, &column, 2));
    CHECK_TEXT(column.name, "country");
    CHECK_TEXT(column.input, "country");
    CHECK_OK(puad_detector_column(model, &column, 0));
    CHECK(isfinite(column.mean) && column.sd > 0);
    CHECK_OK(puad_column_text(&column, text, sizeof text, PUAD_COLUMN_ALL));
    CHECK(strstr(text, "number") != NULL);
    CHECK_OK(puad_detector_to_json(&json, model));
    CHECK(strstr(json, "\"puae\"") != NULL);
    puad_free(json);
    CHECK_OK(puad_detector_part(model, text, sizeof text, 0)); /* a network has no parts */
    CHECK(text[0] == 0);
    CHECK(puad_detector_warning(model, info_of(model).warning_count) == NULL);

    puad_model_info info = {.struct_size = sizeof info},
                    older = {.struct_size = offsetof(puad_model_info, network)};
    CHECK_OK(puad_detector_info(model, &info));
    CHECK_TEXT(info.method, "puae");
    CHECK(info.title && info.network && info.head && info.version && info.rows > 0 && info.epochs > 0);
    CHECK_INT(info.column_count, 3);
    CHECK_OK(puad_detector_info(model, &older)); /* a caller with a shorter struct */
    CHECK(older.title && !older.network && older.rows == 0);

    puad_options *later = NULL;
    CHECK_OK(puad_options_new(&later));
    CHECK_OK(puad_options_take_input(later, model));
    CHECK(strcmp(puad_options_get(later, "id_column"), "account") == 0);
    puad_options_free(later);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(an_explanation_finds_the_unusual_column)
{
    puad_options *options = OPTIONS("method", "puforest", "alpha", "0.05");
    puad_dataset *data = NULL;
    puad_detector *model = fitted(&data, options);
    puad_scorer *scorer = NULL;
    char text[200] = "";
    REQUIRE(model);
    size_t columns = dataset_of(data).columns, max = 0;
    float *shares = calloc(columns, sizeof *shares), sum = 0;
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    CHECK_OK(puad_scorer_explain(scorer, shares, dataset_of(data).values, columns)); /* row 0, an anomaly */
    for (size_t i = 0; i < columns; i++) {
        sum += shares[i];
        if (shares[i] > shares[max]) max = i;
    }
    CHECK_NEAR(sum, 1, 1e-4);
    CHECK_OK(puad_detector_value_name(model, text, sizeof text, max));
    CHECK(strcmp(text, "amount") == 0 || strstr(text, "country") == text);
    CHECK_OK(puad_detector_part(model, text, sizeof text, 0));
    CHECK(strstr(text, "tree") != NULL);
    free(shares);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(a_stream_gives_the_scores_of_a_dataset_block_by_block)
{
    puad_options *options = OPTIONS("method", "puforest", "alpha", "0.05"), *truth = OPTIONS("truth", "yes");
    puad_dataset *data = NULL;
    puad_detector *model = fitted(&data, options);
    puad_scorer *scorer = NULL;
    puad_stream *stream = NULL;
    float *scores = calloc(FITTED_ROWS, sizeof *scores);
    size_t rows = 0;
    REQUIRE(model && scores);
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    CHECK_OK(puad_scorer_run(scorer, scores, FITTED_ROWS, data));
    CHECK_OK(puad_stream_open(&stream, model, payments("train.csv", FITTED_ROWS, 1, false), truth));
    CHECK_INT(block_of(stream).columns, dataset_of(data).columns);
    CHECK(strcmp(block_of(stream).id_name, "account") == 0);
    for (;; rows += block_of(stream).rows) {
        CHECK_OK(puad_stream_next(stream));
        if (block_of(stream).rows == 0) break;
        CHECK(block_of(stream).rows <= block_of(stream).capacity);
        CHECK_INT(block_of(stream).first_row, rows);
        for (size_t i = 0; i < block_of(stream).rows; i++) {
            char name[16];
            snprintf(name, sizeof name, "p%zu", rows + i);
            CHECK(strcmp(puad_stream_id(stream, i), name) == 0);
            CHECK(block_of(stream).scores[i] == scores[rows + i]);
            CHECK_INT(block_of(stream).labels[i] == 1, (rows + i) % 20 == 0);
            CHECK(memcmp(block_of(stream).values + i * block_of(stream).columns,
                         dataset_of(data).values + (rows + i) * dataset_of(data).columns,
                         dataset_of(data).columns * sizeof(float)) == 0);
        }
    }
    CHECK_INT(rows, FITTED_ROWS);
    CHECK(puad_stream_note(stream, 0) == NULL);
    puad_stream_free(stream);
    CHECK_OK(puad_stream_open(&stream, model, write_text("few.csv", "amount,hour\n3,4\n"), NULL));
    CHECK_OK(puad_stream_next(stream));
    CHECK_OK(puad_stream_next(stream));
    REQUIRE(puad_stream_note(stream, 0));
    CHECK(strstr(puad_stream_note(stream, 0), "country") != NULL);
    CHECK(puad_stream_cell_name(stream, 0) == NULL); /* cells were not requested */
    puad_stream_free(stream);
    puad_options *keep = NULL;
    CHECK_OK(puad_options_new(&keep));
    CHECK_OK(puad_options_set(keep, "keep_cells", "yes"));
    CHECK_OK(puad_stream_open(&stream, model, write_text("few.csv", "amount,note\n3.50,\"a, b\"\n"), keep));
    CHECK_OK(puad_stream_next(stream));
    size_t length = 0;
    CHECK(strcmp(puad_stream_cell_name(stream, 1), "note") == 0 && !puad_stream_cell_name(stream, 2));
    CHECK(strncmp(puad_stream_cell(stream, 0, 0, &length), "3.50", 4) == 0 && length == 4);
    CHECK(strncmp(puad_stream_cell(stream, 0, 1, &length), "a, b", 4) == 0 && length == 4);
    CHECK(puad_stream_cell(stream, 1, 0, &length) == NULL);
    puad_stream_free(stream);
    puad_options_free(keep);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
    puad_options_free(truth);
    free(scores);
}

TEST(a_table_in_memory_with_a_forgotten_label_is_refused)
{
    enum { COUNT = 100 };
    double values[COUNT], labels[COUNT];
    puad_table *table = NULL;
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    puad_options *options = NULL;
    for (int i = 0; i < COUNT; i++) {
        values[i] = i * 37 % 101;
        labels[i] = i % 20 == 0;
    }
    CHECK_OK(puad_table_new(&table, COUNT));
    CHECK_OK(puad_table_add_doubles(table, "amount", values, 0));
    CHECK_OK(puad_table_add_doubles(table, "isFraud", labels, 0));
    CHECK_OK(puad_dataset_from_table(&data, table, NULL, NULL));
    CHECK_OK(puad_options_new(&options));
    CHECK_OK(puad_options_set(options, "method", "if"));
    CHECK(puad_detector_fit(&model, data, options) == PUAD_INVALID && !model);
    CHECK(strstr(puad_last_error(), "isFraud") && strstr(puad_last_error(), "no_labels"));
    CHECK_OK(puad_options_set(options, "no_labels", "yes"));
    CHECK_OK(puad_detector_fit(&model, data, options));
    puad_detector_free(model);
    puad_options_free(options);
    puad_dataset_free(data);
    puad_table_free(table);
}
