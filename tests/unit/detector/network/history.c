/* The history of a training, and its JSON round trip. */
#include "detector/network/history.h"
#include "test.h"

static void fill(history *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        history_row row = {(int)i, 1 / (1 + (double)i), i < 2 ? NAN : 0.1 * fabs((double)i - 4), 0.25};
        CHECK_OK(history_add(out, &row));
    }
}

TEST(epochs_rise_and_seconds_add_up)
{
    AUTO_HISTORY history rows = {0};
    fill(&rows, 600);
    CHECK_NEAR(history_seconds(&rows), 150, 0);
    CHECK_FAILS(history_add(&rows, &(history_row){599, 0, 0, 0}), PUAD_INVALID, "epoch 599");
    CHECK_OK(history_add(&rows, &(history_row){600, 0, 0, 0}));
}

TEST(json_keeps_every_bit)
{
    AUTO_HISTORY history rows = {0}, back = {0};
    fill(&rows, 300);
    rows.rows[7].train_loss = 0.1 + 0.2;
    rows.rows[8].train_loss = 1e-300;
    cJSON *json = NULL;
    CHECK_OK(history_to_json(&json, &rows, true));
    char *text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    json = cJSON_Parse(text);
    free(text);
    puad_status status = history_from_json(&back, json);
    cJSON_Delete(json);
    CHECK_OK(status);
    CHECK_INT(back.count, rows.count);
    size_t different = 0;
    for (size_t i = 0; i < rows.count; i++)
        different +=
            back.rows[i].epoch != rows.rows[i].epoch || back.rows[i].train_loss != rows.rows[i].train_loss ||
            (i < 2 ? !isnan(back.rows[i].valid_loss) : back.rows[i].valid_loss != rows.rows[i].valid_loss) ||
            back.rows[i].seconds != rows.rows[i].seconds;
    CHECK_INT(different, 0);
}

static puad_status parse(const char *text)
{
    AUTO_HISTORY history rows = {0};
    cJSON *json = cJSON_Parse(text);
    puad_status status = history_from_json(&rows, json);
    cJSON_Delete(json);
    return status;
}

TEST(json_that_is_not_a_history_is_rejected)
{
    CHECK_OK(parse("{\"epoch\":[],\"train_loss\":[],\"valid_loss\":[],\"seconds\":[]}"));
    CHECK_FAILS(parse("{}"), PUAD_FORMAT, "'epoch'");
    CHECK_FAILS(parse("3"), PUAD_FORMAT, "'epoch'");
    CHECK_FAILS(parse("not json"), PUAD_FORMAT, "'epoch'");
    CHECK_FAILS(parse("{\"epoch\":[0],\"train_loss\":[],\"valid_loss\":[1],\"seconds\":[1]}"), PUAD_FORMAT,
                "train_loss");
    CHECK_FAILS(parse("{\"epoch\":[0],\"train_loss\":[1,2],\"valid_loss\":[1],\"seconds\":[1]}"), PUAD_FORMAT,
                "history");
    CHECK_FAILS(parse("{\"epoch\":[0],\"train_loss\":[\"a\"],\"valid_loss\":[1],\"seconds\":[1]}"),
                PUAD_FORMAT, "row 0");
    CHECK_FAILS(parse("{\"epoch\":[null],\"train_loss\":[1],\"valid_loss\":[1],\"seconds\":[1]}"),
                PUAD_FORMAT, "epoch");
    CHECK_FAILS(parse("{\"epoch\":[1e99],\"train_loss\":[1],\"valid_loss\":[1],\"seconds\":[1]}"),
                PUAD_FORMAT, "epoch");
    CHECK_FAILS(parse("{\"epoch\":[1,1],\"train_loss\":[1,1],\"valid_loss\":[1,1],\"seconds\":[1,1]}"),
                PUAD_INVALID, "epoch 1");
}
