/* Export through the public call: models of rows from a program, custom heads, sizes that are too large. */
#include "test.h"

#include "export/protobuf.h"

#include <puad/advanced.h>
#include <unistd.h>

enum { ROWS = 64, COLUMNS = 3 };

static double own_score(void *context, float *slopes, const float *values, size_t count, const float *row,
                        size_t columns)
{
    (void)context, (void)row, (void)columns;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)values[i] * (double)values[i];
        if (slopes) slopes[i] = 2 * values[i];
    }
    return sum;
}

static puad_detector *fitted(const puad_own_head *head)
{
    static double values[ROWS * COLUMNS];
    for (size_t i = 0; i < ROWS * COLUMNS; i++) values[i] = (double)(i * 37 % 101);
    puad_table *table = NULL;
    puad_dataset *data = NULL;
    puad_options *options = NULL;
    puad_detector *model = NULL;
    bool made = puad_table_new(&table, ROWS) == PUAD_OK &&
                puad_table_add_double_matrix(table, NULL, values, COLUMNS, 0, 0) == PUAD_OK &&
                puad_dataset_from_table(&data, table, NULL, NULL) == PUAD_OK &&
                puad_options_new(&options) == PUAD_OK &&
                puad_options_set(options, "method", "deepsvdd") == PUAD_OK &&
                puad_options_set(options, "steps", "5") == PUAD_OK &&
                puad_options_set(options, "force", "yes") == PUAD_OK;
    if (made && head) puad_options_set_head(options, head);
    if (made && puad_detector_fit(&model, data, options) != PUAD_OK) model = NULL;
    puad_options_free(options);
    puad_dataset_free(data);
    puad_table_free(table);
    return model;
}

TEST(a_model_of_rows_without_names_is_written_whole)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/puad-export-%d.onnx", (int)getpid());
    puad_detector *model = fitted(NULL);
    REQUIRE(model);
    CHECK_OK(puad_export_onnx(model, path, NULL));
    FILE *file = fopen(path, "rb");
    REQUIRE(file);
    CHECK(fgetc(file) == 0x08 && fgetc(file) == 8); /* field 1, the version */
    fclose(file);
    remove(path);
    CHECK_FAILS(puad_export_onnx(NULL, path, NULL), PUAD_INVALID, "puad_export_onnx", "model");
    CHECK_FAILS(puad_export_onnx(model, NULL, NULL), PUAD_INVALID, "puad_export_onnx", "path");
    puad_detector_free(model);
}

TEST(a_custom_head_is_rejected)
{
    puad_own_head head = {
        .name = "mine", .reads_code = 1, .evaluate = own_score, .losses = puad_loss_pair_find("distance")};
    puad_detector *model = fitted(&head);
    REQUIRE(model);
    CHECK_FAILS(puad_export_onnx(model, "/tmp/puad-never.onnx", NULL), PUAD_INVALID, "'mine'");
    CHECK(access("/tmp/puad-never.onnx", F_OK) != 0);
    puad_detector_free(model);
}

TEST(messages_larger_than_protobuf_allows_are_rejected)
{
    wire to = {0};
    static const float one = 1;
    wire_float(&to, 2, one);
    CHECK_INT(to.size, 5);
    wire_raw(&to, &one, (size_t)1 << 40, sizeof one);
    CHECK(to.status == PUAD_INVALID && strstr(puad_last_error(), "2 GiB"));
    wire_text(&to, 1, "ignored");
    CHECK_INT(to.size, 5);
    wire_free(&to);
}

TEST(integers_are_written_seven_bits_at_a_time)
{
    wire to = {0};
    wire_integer(&to, 1, 300);
    CHECK(to.size == 3 && memcmp(to.bytes, "\x08\xac\x02", 3) == 0);
    wire_integer(&to, 16, -1);
    CHECK(to.size == 15 && to.bytes[3] == 0x80 && to.bytes[4] == 0x01 && to.bytes[14] == 1);
    wire_free(&to);
}
