/* The public dataset: the header alone is sufficient to use it. */
#include "input/dataset_api.h"
#include "cli/library_values.h"
#include "test.h"

#include <puad/advanced.h>

static const char *write_text(const char *name, const char *text)
{
    const char *path = test_path(name);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    return path;
}

TEST(a_file_opens_with_options_and_notes_dropped_columns)
{
    puad_dataset *data = NULL;
    puad_options *options = NULL;
    CHECK_OK(puad_options_new(&options));
    CHECK_OK(puad_options_set(options, "label-column", "state"));
    CHECK_OK(puad_options_set(options, "id_column", "name"));
    CHECK_OK(puad_options_add(options, "positive", "bad"));
    CHECK_OK(puad_options_add(options, "unlabeled", "?"));
    CHECK_OK(puad_options_add(options, "unlabeled", "good"));
    const char *path = write_text("p.csv", "name,v,same,state\nx,1,5,good\ny,2,5,bad\nz,3,5,?\n");
    CHECK_OK(puad_dataset_open(&data, path, NULL, options));
    CHECK_INT(puad_dataset_rows(data), 3);
    CHECK_INT(dataset_of(data).columns, 1);
    CHECK_TEXT(data->data.column_names[0], "v");
    CHECK_TEXT(puad_dataset_id(data, 1), "y");
    CHECK_INT(dataset_of(data).labels[1], PUAD_LABEL_ANOMALY);
    CHECK_INT(puad_dataset_count(data, PUAD_LABEL_UNLABELED), 2);
    CHECK_INT(dataset_of(data).note_count, 1);
    CHECK(strstr(puad_dataset_note(data, 0), "'same'"));
    CHECK(!puad_dataset_note(data, 1) && !puad_dataset_id(data, 3));
    puad_dataset_free(data);
    CHECK_FAILS(puad_dataset_open(&data, test_path("absent"), NULL, NULL), PUAD_IO, "absent");
    puad_options_free(options);
}

TEST(the_decimal_mark_can_be_given)
{
    puad_dataset *data = NULL;
    puad_options *options = NULL;
    CHECK_OK(puad_options_new(&options));
    const char *path = write_text("d.csv", "a;b\n1,25;7\n2,5;8\n3,75;9\n");
    CHECK_OK(puad_options_set(options, "delimiter", ";"));
    CHECK_OK(puad_options_set(options, "decimal", "comma"));
    CHECK_OK(puad_dataset_open(&data, path, NULL, options));
    CHECK_INT(dataset_of(data).columns, 2);
    CHECK_NEAR(dataset_of(data).values[0], -sqrt(1.5) / 4, 1e-6);
    puad_dataset_free(data);
    CHECK_OK(puad_options_set(
        options, "decimal", "point")); /* now 1,25 is a text, each occurs once, and the column is left out */
    CHECK_OK(puad_dataset_open(&data, path, NULL, options));
    CHECK_INT(dataset_of(data).columns, 1);
    puad_dataset_free(data);
    CHECK_FAILS(puad_options_set(options, "decimal", ";"), PUAD_INVALID, "'decimal'", "';'", "point",
                "comma");
    puad_options_free(options);
}

TEST(numbers_of_any_stride_are_standardized_and_missing_ones_get_a_column)
{
    const float values[] = {1, 10, 2, NAN, 3, 30};
    const double columns[] = {1, 2, 3, 10, NAN, 30}; /* the same, column after column */
    const int8_t labels[] = {0, 1, -1}, wrong[] = {0, 5, 0};
    puad_dataset *data = NULL, *other = NULL;
    puad_table *table = NULL, *wide = NULL;
    CHECK_OK(puad_table_new(&table, 3));
    CHECK_OK(puad_table_add_float_matrix(table, NULL, values, 2, 0, 0));
    CHECK_OK(puad_table_set_labels(table, labels));
    CHECK_FAILS(puad_table_set_labels(table, wrong), PUAD_INVALID, "labels[1]", "5");
    CHECK_OK(puad_dataset_from_table(&data, table, NULL, NULL));
    REQUIRE(data);
    CHECK_INT(dataset_of(data).columns, 3);
    const float *rows = dataset_of(data).values;
    CHECK_NEAR(rows[0], -sqrt(1.5) / 4, 1e-6);
    CHECK_NEAR(rows[1], -0.25, 1e-6);
    CHECK_NEAR(rows[4], 0, 0);
    CHECK_NEAR(rows[5], 1, 0);
    CHECK_INT(puad_dataset_count(data, PUAD_LABEL_NORMAL), 1);
    CHECK_OK(puad_table_new(&wide, 3));
    CHECK_OK(puad_table_add_double_matrix(wide, NULL, columns, 2, sizeof(double), 3 * sizeof(double)));
    CHECK_OK(puad_dataset_from_table(&other, wide, NULL, NULL));
    CHECK(memcmp(rows, dataset_of(other).values, 9 * sizeof *rows) == 0);
    CHECK(dataset_of(data).encoding == dataset_of(other).encoding);
    puad_table_free(table);
    puad_table_free(wide);
    puad_dataset_free(data);
    puad_dataset_free(other);
    CHECK_OK(puad_table_new(&table, 0));
    CHECK_FAILS(puad_dataset_from_table(&data, table, NULL, NULL), PUAD_INVALID, "rows");
    puad_table_free(table);
}

TEST(texts_are_categories_and_options_apply_to_a_table)
{
    const char *const colors[] = {"red", "blue", NULL, "red", "blue", ""};
    const double codes[] = {1, 2, 1, 2, 1, 2};
    puad_dataset *data = NULL;
    puad_table *table = NULL;
    puad_options *options = NULL;
    CHECK_OK(puad_options_new(&options));
    CHECK_OK(puad_table_new(&table, 6));
    CHECK_OK(puad_table_add_texts(table, "color", colors, 0));
    CHECK_OK(puad_table_add_doubles(table, "code", codes, 0));
    CHECK_OK(puad_options_set(options, "categorical", "code"));
    CHECK_OK(puad_dataset_from_table(&data, table, NULL, options));
    REQUIRE(data);
    CHECK_INT(dataset_of(data).columns, 5); /* red, blue, missing; 1, 2 */
    CHECK_TEXT(data->data.column_names[0], "color=red");
    CHECK_TEXT(data->data.column_names[3], "code=1");
    CHECK(dataset_of(data).values[2 * 5 + 2] == 1 && dataset_of(data).values[2 * 5] == 0);
    puad_dataset_free(data);
    CHECK_OK(puad_options_set(options, "ignore", "absent"));
    CHECK_FAILS(puad_dataset_from_table(&data, table, NULL, options), PUAD_INVALID, "'ignore'", "'absent'");
    puad_options_free(options);
    puad_table_free(table);
}

TEST(images_become_32_by_32_in_the_unit_interval)
{
    unsigned char pixels[2 * 32 * 32], large[64 * 64 * 3];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (unsigned char)(i * 7);
    memset(large, 51, sizeof large);
    puad_dataset *data = NULL;
    CHECK_OK(puad_dataset_from_pixels(
        &data, &(puad_pixels){sizeof(puad_pixels), pixels, PUAD_PIXEL_U8, 2, 32, 32, 1, NULL}, NULL, NULL));
    puad_dataset_rows_info info = dataset_of(data);
    CHECK(info.height == 32 && info.width == 32 && info.channels == 1 && info.image);
    for (size_t i = 0; i < sizeof pixels; i++)
        CHECK_NEAR(dataset_of(data).values[i], pixels[i] / 255.0, 1e-7);
    CHECK(!dataset_of(data).labels && puad_dataset_count(data, PUAD_LABEL_UNLABELED) == 2);
    puad_dataset_free(data);
    CHECK_OK(puad_dataset_from_pixels(
        &data, &(puad_pixels){sizeof(puad_pixels), large, PUAD_PIXEL_U8, 1, 64, 64, 3, NULL}, NULL, NULL));
    CHECK_INT(dataset_of(data).columns, 32 * 32 * 3);
    CHECK_NEAR(dataset_of(data).values[100], 0.2, 1e-6);
    puad_dataset_free(data);
    CHECK_FAILS(
        puad_dataset_from_pixels(
            &data, &(puad_pixels){sizeof(puad_pixels), large, PUAD_PIXEL_U8, 1, 64, 64, 2, NULL}, NULL, NULL),
        PUAD_INVALID, "2");
    CHECK_FAILS(
        puad_dataset_from_pixels(
            &data, &(puad_pixels){sizeof(puad_pixels), large, PUAD_PIXEL_U8, 1, 0, 64, 3, NULL}, NULL, NULL),
        PUAD_INVALID, "0 x 64");
    CHECK_FAILS(
        puad_dataset_from_pixels(
            &data, &(puad_pixels){sizeof(puad_pixels), large, PUAD_PIXEL_U8, 0, 64, 64, 3, NULL}, NULL, NULL),
        PUAD_INVALID, "rows");
}

TEST(a_matrix_is_added_whole_or_not_at_all)
{
    const double values[] = {1, 2, 3, 4, 5, 6};
    const char *const twice[] = {"b", "c", "a"}, *const good[] = {"b", "c", "d"};
    puad_table *table = NULL;
    puad_dataset *data = NULL;
    CHECK_OK(puad_table_new(&table, 2));
    CHECK_OK(puad_table_add_doubles(table, "a", values, 0));
    CHECK_FAILS(puad_table_add_double_matrix(table, twice, values, 3, 0, 0), PUAD_INVALID, "'a'");
    CHECK_FAILS(puad_table_add_double_matrix(table, NULL, values, SIZE_MAX / 8 + 2, 0, 0), PUAD_INVALID,
                "columns");
    CHECK_OK(puad_table_add_double_matrix(table, good, values, 3, 0, 0));
    CHECK_OK(puad_dataset_from_table(&data, table, NULL, NULL));
    CHECK_INT(dataset_of(data).columns, 4);
    puad_dataset_free(data);
    puad_table_free(table);
}
