/* Arrays as inputs: a row to score has the same meaning as in training, whatever else is in the file. */
#include "written.h"

enum { PIXELS = 32 * 32 };

static const char *write_images(const char *name, const float *pixels, int rows)
{
    char shape[32];
    snprintf(shape, sizeof shape, "%d, 32, 32", rows);
    return write_npy(name, "<f4", shape, pixels, (size_t)rows * PIXELS * sizeof *pixels);
}

/* Images of 0 and 1, of 0 to `max`. */
static void draw(float *out, int rows, float max)
{
    for (int i = 0; i < rows * PIXELS; i++) out[i] = max * (float)(i * 7919 % 101) / 100;
}

TEST(pixels_are_divided_as_in_training_whatever_else_is_in_the_file)
{
    AUTO_DATASET dataset rows = {0};
    static float train[4 * PIXELS], both[2 * PIXELS], encoded[2 * PIXELS];
    draw(train, 4, 255);
    CHECK_OK(data_open(&rows, write_images("train.npy", train, 4), &(data_options){0}));
    CHECK_NEAR(rows.transform->divisor, 255, 0);
    for (int i = 0; i < PIXELS; i++) both[i] = (float)(i % 2);
    memcpy(both + PIXELS, train, PIXELS * sizeof *both);
    notes messages = {0};
    REQUIRE(score_rows(encoded, 2, write_images("both.npy", both, 2), rows.transform, &messages));
    CHECK_NEAR(encoded[1], 1 / 255.0, 1e-9);
    CHECK_INT(messages.count, 0);
    CHECK(!score_rows(encoded, 2, write_images("one.npy", both, 1), rows.transform, &messages));
    CHECK(strstr(puad_last_error(), "no pixel is above 1"));
    notes_free(&messages);
}

TEST(pixels_beyond_those_of_training_are_refused)
{
    AUTO_DATASET dataset rows = {0};
    static float train[2 * PIXELS], encoded[2 * PIXELS];
    draw(train, 2, 1);
    CHECK_OK(data_open(&rows, write_images("train.npy", train, 2), &(data_options){0}));
    CHECK_NEAR(rows.transform->divisor, 1, 0);
    train[PIXELS] = 2;
    CHECK(!score_rows(encoded, 2, write_images("new.npy", train, 2), rows.transform, NULL));
    CHECK(strstr(puad_last_error(), "row 1") && strstr(puad_last_error(), "pixel of 2"));
    uint8_t bytes[PIXELS] = {51}; /* the type of bytes implies the divisor */
    REQUIRE(score_rows(encoded, 2, write_npy("b.npy", "|u1", "1, 32, 32", bytes, sizeof bytes),
                       rows.transform, NULL));
    CHECK_NEAR(encoded[0], 0.2, 1e-6);
}

TEST(files_of_one_label_are_divided_like_the_first)
{
    AUTO_DATASET dataset rows = {0};
    static float train[2 * PIXELS], dark[PIXELS];
    draw(train, 2, 255);
    for (int i = 0; i < PIXELS; i++) dark[i] = (float)(i % 2);
    data_options options = {.anomalies = write_images("dark.npy", dark, 1)};
    CHECK_OK(data_open(&rows, write_images("train.npy", train, 2), &options));
    CHECK_NEAR(rows.values[2 * PIXELS + 1], 1 / 255.0, 1e-9);
}

TEST(numbers_of_an_array_match_categories_by_their_string)
{
    AUTO_DATASET dataset rows = {0};
    const char *const categorical[] = {"code", "zip"};
    data_options options = {.categorical = categorical, .categorical_count = 2};
    CHECK_OK(data_open(&rows,
                       write_text("c.csv", "code,zip,v\n0.1,1000000,1\n0.2,1000001,2\n0.1,1000000,3\n"
                                           "0.2,1000001,4\n1.0,1000000,5\n1.0,1000001,6\n"),
                       &options));
    const double wide[] = {0.1, 1000000, 1, 0.2, 1000001, 2, 0.1, 1000000, 3,
                           0.2, 1000001, 4, 1,   1000000, 5, 1,   1000001, 6};
    float narrow[18], encoded[60];
    REQUIRE(rows.columns <= 10);
    for (int i = 0; i < 18; i++) narrow[i] = (float)wide[i];
    notes messages = {0};
    REQUIRE(score_rows(encoded, 6, write_npy("w.npy", "<f8", "6, 3", wide, sizeof wide), rows.transform,
                       &messages));
    CHECK(memcmp(encoded, rows.values, 6 * rows.columns * sizeof *encoded) == 0);
    REQUIRE(score_rows(encoded, 6, write_npy("n.npy", "<f4", "6, 3", narrow, sizeof narrow), rows.transform,
                       &messages));
    CHECK(memcmp(encoded, rows.values, 6 * rows.columns * sizeof *encoded) == 0);
    CHECK_INT(messages.count, 0);
    const double other[] = {0.7, 1000000, 1, 0.1, NAN, 2};
    REQUIRE(score_rows(encoded, 6, write_npy("o.npy", "<f8", "2, 3", other, sizeof other), rows.transform,
                       &messages));
    CHECK_INT(messages.count, 1);
    CHECK(has_note(&messages, "column 'code': 1 cells"));
    notes_free(&messages);
}
