/* <puad/detector.h>, <puad/history.h>, <puad/explain.h> and <puad/stream.h>: what a model tells of itself and
 * of rows. */
#include "fitted.h"

static puad_answer count_calls(void *context, const puad_progress *now)
{
    *(size_t *)context += now->batch == now->batches;
    return PUAD_GO_ON;
}

TEST(a_network_tells_its_options_columns_and_epochs)
{
    puad_options *options = OPTIONS("method", "puae", "alpha", "0.05", "epochs", "4", "noise", "0.25");
    puad_dataset *data = NULL;
    size_t epochs = 0;
    char text[200], *json = NULL;
    puad_options_set_progress(options, count_calls, &epochs);
    puad_detector *model = fitted(&data, options);
    REQUIRE(model);
    CHECK_INT(epochs, 4);
    CHECK_INT(puad_history_count(model, PUAD_PHASE_TRAINING), 4);
    CHECK_INT(puad_history_count(model, PUAD_PHASE_PRETRAINING), 0);
    CHECK_NEAR(puad_history_epoch(model, PUAD_PHASE_TRAINING, 3), 3, 0);
    CHECK(isfinite(puad_history_train_loss(model, PUAD_PHASE_TRAINING, 3)));
    CHECK(isfinite(puad_history_valid_loss(model, PUAD_PHASE_TRAINING, 3)));
    CHECK(puad_history_seconds(model, PUAD_PHASE_TRAINING, 3) >= 0);
    CHECK(isnan(puad_history_train_loss(model, PUAD_PHASE_TRAINING, 4)));

    CHECK_OK(puad_detector_option(text, sizeof text, model, "noise"));
    CHECK_NEAR(atof(text), 0.25, 0);
    CHECK_OK(puad_detector_option(text, sizeof text, model, "novelty")); /* of the committee alone */
    CHECK(text[0] == 0);
    CHECK_FAILS(puad_detector_option(text, sizeof text, model, "nonsense"), PUAD_INVALID, "nonsense");
    unsigned char *bytes = NULL;
    size_t size;
    puad_detector *again = NULL;
    CHECK(puad_detector_text(model, "remark") == NULL);
    CHECK_OK(puad_detector_set_remark(model, "mine"));
    CHECK_OK(puad_detector_save_memory(&bytes, &size, model));
    CHECK_OK(puad_detector_load_memory(&again, bytes, size));
    CHECK_TEXT(puad_detector_text(again, "remark"), "mine");
    CHECK_OK(puad_detector_set_remark(again, NULL));
    CHECK(puad_detector_text(again, "remark") == NULL);
    puad_detector_free(again);
    puad_bytes_free(bytes);
    CHECK_INT(puad_detector_column_count(model), 3);
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
    puad_text_free(json);
    CHECK_OK(puad_detector_part(text, sizeof text, model, 0)); /* a network has no parts */
    CHECK(text[0] == 0);
    CHECK_INT(puad_detector_answer_file_count(model), 0);
    CHECK(puad_detector_answer_file(model, 0) == NULL);
    CHECK(puad_detector_warning(model, puad_detector_warning_count(model)) == NULL);

    size_t facts = 0, texts = 0;
    for (; facts < puad_fact_count(); facts++) {
        const char *name = puad_fact_name(facts);
        texts += (size_t)puad_fact_is_text(facts);
        if (puad_fact_is_text(facts) && !puad_detector_text(model, name)) TEST_FAIL("no text %s", name);
    }
    CHECK(facts > 15 && texts >= 6 && puad_fact_name(facts) == NULL);

    puad_options *later = NULL;
    CHECK_OK(puad_options_new(&later));
    CHECK_OK(puad_options_take_input(later, model));
    CHECK(strcmp(puad_options_get(later, "id_column"), "account") == 0);
    puad_options_free(later);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(an_explanation_finds_the_column_that_is_odd)
{
    puad_options *options = OPTIONS("method", "puforest", "alpha", "0.05");
    puad_dataset *data = NULL;
    puad_detector *model = fitted(&data, options);
    puad_scorer *scorer = NULL;
    char text[200] = "";
    REQUIRE(model);
    size_t columns = puad_dataset_columns(data), most = 0;
    float *shares = calloc(columns, sizeof *shares), sum = 0;
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    CHECK_OK(puad_scorer_explain(scorer, shares, puad_dataset_values(data), columns)); /* row 0, an anomaly */
    for (size_t i = 0; i < columns; i++) {
        sum += shares[i];
        if (shares[i] > shares[most]) most = i;
    }
    CHECK_NEAR(sum, 1, 1e-4);
    CHECK_OK(puad_detector_value_name(model, text, sizeof text, most));
    CHECK(strcmp(text, "amount") == 0 || strstr(text, "country") == text);
    CHECK_OK(puad_detector_part(text, sizeof text, model, 0));
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
    CHECK_INT(puad_stream_columns(stream), puad_dataset_columns(data));
    CHECK(strcmp(puad_stream_id_name(stream), "account") == 0);
    for (;; rows += puad_stream_rows(stream)) {
        CHECK_OK(puad_stream_next(stream));
        if (puad_stream_rows(stream) == 0) break;
        CHECK(puad_stream_rows(stream) <= puad_stream_rows_most(stream));
        CHECK_INT(puad_stream_first_row(stream), rows);
        for (size_t i = 0; i < puad_stream_rows(stream); i++) {
            char name[16];
            snprintf(name, sizeof name, "p%zu", rows + i);
            CHECK(strcmp(puad_stream_id(stream, i), name) == 0);
            CHECK(puad_stream_scores(stream)[i] == scores[rows + i]);
            CHECK_INT(puad_stream_labels(stream)[i] == 1, (rows + i) % 20 == 0);
            CHECK(memcmp(puad_stream_values(stream) + i * puad_stream_columns(stream),
                         puad_dataset_values(data) + (rows + i) * puad_dataset_columns(data),
                         puad_dataset_columns(data) * sizeof(float)) == 0);
        }
    }
    CHECK_INT(rows, FITTED_ROWS);
    CHECK_INT(puad_stream_note_count(stream), 0);
    CHECK(puad_stream_note(stream, 0) == NULL);
    puad_stream_free(stream);
    CHECK_OK(puad_stream_open(&stream, model, write_text("few.csv", "amount,hour\n3,4\n"), NULL));
    CHECK_OK(puad_stream_next(stream));
    CHECK_OK(puad_stream_next(stream));
    CHECK(puad_stream_note_count(stream) >= 1);
    CHECK(strstr(puad_stream_note(stream, 0), "country") != NULL);
    CHECK(puad_stream_cell_name(stream, 0) == NULL); /* cells were not asked for */
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
