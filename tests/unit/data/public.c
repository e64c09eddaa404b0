/* The public dataset: the header alone is enough to use it. */
#include "test.h"

#include <puad/puad.h>

static const char *write_text(const char *name, const char *text)
{
    const char *path = test_path(name);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    return path;
}

TEST(a_file_opens_with_options_and_tells_what_it_left_out)
{
    puad_dataset *data = NULL;
    puad_dataset_options options = puad_dataset_options_standard();
    const char *anomaly[] = {"bad"}, *rest[] = {"?", "good"};
    options.label_column = "state";
    options.id_column = "name";
    options.positive = anomaly;
    options.positive_count = 1;
    options.unlabeled = rest;
    options.unlabeled_count = 2;
    const char *path = write_text("p.csv", "name,v,same,state\nx,1,5,good\ny,2,5,bad\nz,3,5,?\n");
    CHECK_OK(puad_dataset_open(&data, path, &options));
    CHECK_INT(puad_dataset_rows(data), 3);
    CHECK_INT(puad_dataset_columns(data), 1);
    CHECK_TEXT(puad_dataset_column_name(data, 0), "v");
    CHECK_TEXT(puad_dataset_id(data, 1), "y");
    CHECK_INT(puad_dataset_labels(data)[1], PUAD_LABEL_ANOMALY);
    CHECK_INT(puad_dataset_count(data, PUAD_LABEL_UNLABELED), 2);
    CHECK_INT(puad_dataset_note_count(data), 1);
    CHECK(strstr(puad_dataset_note(data, 0), "'same'"));
    CHECK(!puad_dataset_note(data, 1) && !puad_dataset_column_name(data, 1) && !puad_dataset_id(data, 3));
    puad_dataset_free(data);
    CHECK_FAILS(puad_dataset_open(&data, test_path("absent"), NULL), PUAD_IO, "absent");
}

TEST(the_decimal_mark_can_be_given)
{
    puad_dataset *data = NULL;
    puad_dataset_options options = puad_dataset_options_standard();
    const char *path = write_text("d.csv", "a;b\n1,25;7\n2,5;8\n3,75;9\n");
    options.delimiter = ';';
    options.decimal = ',';
    CHECK_OK(puad_dataset_open(&data, path, &options));
    CHECK_INT(puad_dataset_columns(data), 2);
    CHECK_NEAR(puad_dataset_values(data)[0], -sqrt(1.5) / 4, 1e-6);
    puad_dataset_free(data);
    options.decimal = '.'; /* now 1,25 is a text, each occurs once, and the column is left out */
    CHECK_OK(puad_dataset_open(&data, path, &options));
    CHECK_INT(puad_dataset_columns(data), 1);
    puad_dataset_free(data);
    options.decimal = ';';
    CHECK_FAILS(puad_dataset_open(&data, path, &options), PUAD_INVALID, "decimal mark is ';'");
}

TEST(floats_are_standardised_and_missing_ones_get_a_column)
{
    const float values[] = {1, 10, 2, NAN, 3, 30};
    const int8_t labels[] = {0, 1, -1};
    puad_dataset *data = NULL;
    CHECK_OK(puad_dataset_from_floats(&data, values, 3, 2, labels));
    CHECK_INT(puad_dataset_columns(data), 3);
    const float *rows = puad_dataset_values(data);
    CHECK_NEAR(rows[0], -sqrt(1.5) / 4, 1e-6);
    CHECK_NEAR(rows[1], -0.25, 1e-6);
    CHECK_NEAR(rows[4], 0, 0);
    CHECK_NEAR(rows[5], 1, 0);
    CHECK_INT(puad_dataset_count(data, PUAD_LABEL_NORMAL), 1);
    puad_rows view = puad_dataset_as_rows(data);
    CHECK(view.values == rows && view.rows == 3 && view.height == 1 && view.channels == 3 &&
          view.labels[1] == 1);
    puad_dataset_free(data);
    const int8_t wrong[] = {0, 5, 0};
    CHECK_FAILS(puad_dataset_from_floats(&data, values, 3, 2, wrong), PUAD_INVALID, "labels[1] is 5");
    CHECK_FAILS(puad_dataset_from_floats(&data, values, 0, 2, NULL), PUAD_INVALID, "no rows");
    CHECK_FAILS(puad_dataset_from_floats(&data, values, 3, 0, NULL), PUAD_INVALID, "no columns");
    CHECK_FAILS(puad_dataset_from_floats(&data, values, (size_t)-1, 4, NULL), PUAD_INVALID, "too many");
}

TEST(images_become_32_by_32_in_the_unit_interval)
{
    unsigned char pixels[2 * 32 * 32], large[64 * 64 * 3];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (unsigned char)(i * 7);
    memset(large, 51, sizeof large);
    puad_dataset *data = NULL;
    int height = 0, width = 0, channels = 0;
    CHECK_OK(puad_dataset_from_images(&data, pixels, 2, 32, 32, 1, NULL));
    puad_dataset_shape(data, &height, &width, &channels);
    CHECK(height == 32 && width == 32 && channels == 1 && puad_dataset_is_image(data));
    for (size_t i = 0; i < sizeof pixels; i++)
        CHECK_NEAR(puad_dataset_values(data)[i], pixels[i] / 255.0, 1e-7);
    CHECK(!puad_dataset_labels(data) && puad_dataset_count(data, PUAD_LABEL_UNLABELED) == 2);
    puad_dataset_free(data);
    CHECK_OK(puad_dataset_from_images(&data, large, 1, 64, 64, 3, NULL));
    CHECK_INT(puad_dataset_columns(data), 32 * 32 * 3);
    CHECK_NEAR(puad_dataset_values(data)[100], 0.2, 1e-6);
    puad_dataset_free(data);
    CHECK_FAILS(puad_dataset_from_images(&data, large, 1, 64, 64, 2, NULL), PUAD_INVALID, "2 channels");
    CHECK_FAILS(puad_dataset_from_images(&data, large, 1, 0, 64, 3, NULL), PUAD_INVALID, "0 x 64 pixels");
    CHECK_FAILS(puad_dataset_from_images(&data, large, 0, 64, 64, 3, NULL), PUAD_INVALID, "no rows");
}
