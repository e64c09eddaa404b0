/* Inputs as rows: the learned encoding, labels, scoring in blocks, and errors with their place. */
#include "input/input.h"
#include "base/file.h"
#include "test.h"

static const char *write_text(const char *name, const char *text)
{
    const char *path = test_path(name);
    if (file_write(path, text, strlen(text)) != PUAD_OK) abort();
    return path;
}

static const char *const colors_csv = "size,color,weight,same,label,id\n"
                                      "1,red,10,7,0,a\n"
                                      "2,blue,,7,,b\n"
                                      "3,red,30,7,1,c\n"
                                      "4,,40,7,-1,d\n"
                                      "5,blue,50,7,0,e\n";

static data_options color_options(void)
{
    return (data_options){.label_column = "label", .id_column = "id"};
}

static int column_of(const dataset *rows, const char *name)
{
    for (size_t i = 0; i < rows->columns; i++)
        if (strcmp(rows->column_names[i], name) == 0) return (int)i;
    TEST_FAIL("no column %s", name);
    return 0;
}

static float cell(const dataset *rows, size_t row, const char *name)
{
    return rows->values[row * rows->columns + (size_t)column_of(rows, name)];
}

static bool has_note(const notes *messages, const char *text)
{
    for (size_t i = 0; i < messages->count; i++)
        if (strstr(messages->texts[i], text)) return true;
    for (size_t i = 0; i < messages->count; i++) printf("note: %s\n", messages->texts[i]);
    return false;
}

TEST(table_is_standardized_and_categories_and_missing_values_get_columns)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = color_options();
    CHECK_OK(data_open(&rows, write_text("colors.csv", colors_csv), &options));
    CHECK_INT(rows.rows, 5);
    CHECK_INT(rows.columns, 6); /* size, two colors, color is missing, weight, weight is missing */
    CHECK_NEAR(cell(&rows, 0, "size"), TABLE_SCALE * (-2 / sqrt(2)), 1e-6);
    CHECK_NEAR(cell(&rows, 4, "size"), TABLE_SCALE * (2 / sqrt(2)), 1e-6);
    CHECK_NEAR(cell(&rows, 1, "weight"), 0, 0);
    CHECK_NEAR(cell(&rows, 1, "weight is missing"), 1, 0);
    CHECK_NEAR(cell(&rows, 0, "weight"), TABLE_SCALE * ((10 - 32.5) / 14.7901994577), 1e-6);
    CHECK_NEAR(cell(&rows, 0, "color=red"), 1, 0);
    CHECK_NEAR(cell(&rows, 0, "color=blue"), 0, 0);
    CHECK_NEAR(cell(&rows, 3, "color is missing"), 1, 0);
    CHECK(has_note(&rows.notes, "'same' is left out: all its values are the same"));
}

/* Without the last row: sizes 1 to 4, weights 10, 30 and 40. */
TEST(an_encoding_relearned_from_some_rows_encodes_all_rows)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = color_options();
    const uint32_t kept[] = {0, 1, 2, 3};
    CHECK_OK(data_open(&rows, write_text("colors.csv", colors_csv), &options));
    transform_refit(rows.transform, rows.values, rows.rows, kept, 4);
    CHECK_NEAR(cell(&rows, 0, "size"), TABLE_SCALE * (-1.5 / sqrt(1.25)), 1e-6);
    CHECK_NEAR(cell(&rows, 4, "size"), TABLE_SCALE * (2.5 / sqrt(1.25)), 1e-6);
    CHECK_NEAR(cell(&rows, 4, "weight"), TABLE_SCALE * ((50 - 80 / 3.0) / 12.4721912892), 1e-6);
    CHECK_NEAR(cell(&rows, 1, "weight"), 0, 0);
    CHECK_NEAR(cell(&rows, 1, "weight is missing"), 1, 0);
    CHECK_NEAR(cell(&rows, 3, "color is missing"), 1, 0);
    float fresh[6]; /* what scoring makes of the same values, to the last bit */
    for (int i = 0; i < 5; i++) {
        transform_number(fresh, &rows.transform->columns[0], 1 + i);
        CHECK_NEAR(fresh[0], cell(&rows, (size_t)i, "size"), 0);
    }
}

TEST(labels_and_ids_are_read_and_are_not_features)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = color_options();
    CHECK_OK(data_open(&rows, write_text("colors.csv", colors_csv), &options));
    static const int expected[] = {0, 0, 1, -1, 0};
    for (int i = 0; i < 5; i++) CHECK_INT(rows.labels[i], expected[i]);
    CHECK_TEXT(rows.ids[2], "c");
    CHECK_TEXT(rows.id_name, "id");
    CHECK_INT(dataset_count(&rows, PUAD_LABEL_UNLABELED), 3);
}

/* All rows of a source in blocks of `step`, to be freed. */
static float *all_rows(const char *path, const transform *encoding, const data_options *options, size_t step,
                       size_t *out_rows, notes *messages)
{
    row_source *source = NULL;
    float *values = NULL;
    size_t rows = 0;
    if (row_source_open(&source, path, encoding, options) != PUAD_OK) return NULL;
    for (;;) {
        row_block block;
        if (row_source_next(&block, source, step) != PUAD_OK) break;
        if (block.rows == 0) break;
        CHECK_INT(block.first_row, rows);
        CHECK(block.rows <= step);
        values = realloc(values, (rows + block.rows) * encoding->encoded * sizeof(float));
        memcpy(values + rows * encoding->encoded, block.values,
               block.rows * encoding->encoded * sizeof(float));
        rows += block.rows;
    }
    if (messages) row_source_notes(messages, source);
    row_source_free(source);
    *out_rows = rows;
    return values;
}

static transform *through_json(const transform *source)
{
    cJSON *object = transform_to_json(source);
    char *text = cJSON_Print(object);
    cJSON *again = cJSON_Parse(text);
    transform *encoding = NULL;
    if (transform_from_json(&encoding, again, NULL) != PUAD_OK) TEST_FAIL("%s", puad_last_error());
    cJSON_Delete(object);
    cJSON_Delete(again);
    free(text);
    return encoding;
}

TEST(scoring_the_training_file_gives_the_same_bits_after_json)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = color_options();
    const char *path = write_text("colors.csv", colors_csv);
    CHECK_OK(data_open(&rows, path, &options));
    transform *encoding = through_json(rows.transform);
    REQUIRE(encoding);
    for (size_t step = 1; step < 7; step++) {
        size_t count = 0;
        float *values = all_rows(path, encoding, &(data_options){0}, step, &count, NULL);
        REQUIRE(count == 5);
        CHECK(memcmp(values, rows.values, count * rows.columns * sizeof(float)) == 0);
        free(values);
    }
    transform_free(encoding);
}

TEST(unseen_categories_missing_columns_and_odd_cells_are_handled_and_reported)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = color_options();
    CHECK_OK(data_open(&rows, write_text("colors.csv", colors_csv), &options));
    const char *path = write_text("new.csv", "color,unknown,size\ngreen,1,heavy\nred,2,3\n");
    size_t count = 0;
    notes messages = {0};
    float *values = all_rows(path, rows.transform, &(data_options){0}, 10, &count, &messages);
    REQUIRE(count == 2);
    CHECK_NEAR(values[column_of(&rows, "size")], 0, 0);
    CHECK_NEAR(values[column_of(&rows, "color=red")], 0, 0);
    CHECK_NEAR(values[column_of(&rows, "color=blue")], 0, 0);
    CHECK_NEAR(values[column_of(&rows, "weight is missing")], 1, 0);
    CHECK_NEAR(values[6 + column_of(&rows, "color=red")], 1, 0);
    CHECK(has_note(&messages, "no column 'weight'"));
    CHECK(has_note(&messages, "'color': 1 cells"));
    CHECK(has_note(&messages, "'size': 1 cells are not numbers"));
    notes_free(&messages);
    free(values);
}

/* If the title equals a column name, the line below has more names of the model's. */
TEST(a_title_that_equals_a_column_name_is_skipped_in_scoring)
{
    AUTO_DATASET dataset rows = {0};
    const char *path =
        write_text("title.csv", "size,,\nweight,size,color\n1,2,red\n3,4,blue\n5,6,red\n7,8,blue\n");
    CHECK_OK(data_open(&rows, path, &(data_options){0}));
    REQUIRE(rows.rows == 4);
    size_t count = 0;
    notes messages = {0};
    float *values = all_rows(path, rows.transform, &(data_options){0}, 10, &count, &messages);
    REQUIRE(count == 4);
    CHECK(memcmp(values, rows.values, count * rows.columns * sizeof *values) == 0);
    notes_free(&messages);
    free(values);
}

/* Copying a column to the output, or grouping by it, does not change the model's features. */
TEST(a_feature_named_as_the_id_column_in_scoring_stays_a_feature)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = color_options();
    const char *path = write_text("colors.csv", colors_csv);
    CHECK_OK(data_open(&rows, path, &options));
    static const char *const names[] = {"weight", "color", "same", "id"};
    static const char *const first[] = {"10", "red", "7", "a"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        data_options scoring = {.id_column = names[k]};
        size_t count = 0;
        notes messages = {0};
        float *values = all_rows(path, rows.transform, &scoring, 3, &count, &messages);
        REQUIRE(count == 5);
        CHECK(memcmp(values, rows.values, count * rows.columns * sizeof(float)) == 0);
        CHECK_INT(messages.count, 0);
        notes_free(&messages);
        free(values);
        row_source *source = NULL;
        row_block block = {0};
        CHECK_OK(row_source_open(&source, path, rows.transform, &scoring));
        CHECK_OK(row_source_next(&block, source, 5));
        CHECK_TEXT(block.ids[0], first[k]);
        row_source_free(source);
    }
}

TEST(odd_cells_of_an_id_column_that_is_a_feature_are_reported)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = color_options();
    CHECK_OK(data_open(&rows, write_text("colors.csv", colors_csv), &options));
    size_t count = 0;
    notes messages = {0};
    float *values = all_rows(write_text("new.csv", "size,color,weight\nheavy,red,1\n3,red,2\n"),
                             rows.transform, &(data_options){.id_column = "size"}, 10, &count, &messages);
    REQUIRE(count == 2);
    CHECK(has_note(&messages, "'size': 1 cells are not numbers"));
    notes_free(&messages);
    free(values);
}

TEST(a_feature_named_as_the_label_in_scoring_is_noted)
{
    AUTO_DATASET dataset rows = {0};
    CHECK_OK(data_open(&rows, write_text("k.csv", "v,k\n1,0\n2,1\n3,0\n"), &(data_options){0}));
    size_t count = 0;
    notes messages = {0};
    float *values = all_rows(test_path("k.csv"), rows.transform, &(data_options){.label_column = "k"}, 9,
                             &count, &messages);
    REQUIRE(count == 3);
    CHECK_NEAR(values[column_of(&rows, "k")], 0, 0);
    CHECK(has_note(&messages, "column 'k' is a feature of the model, but the label here"));
    notes_free(&messages);
    free(values);
}

TEST(named_label_values_replace_the_usual_ones)
{
    AUTO_DATASET dataset rows = {0};
    static const char *const fraud[] = {"fraud"}, *const fine[] = {"fine"},
                             *const checked[] = {"checked", "ok"};
    data_options options = {.label_column = "k", .labels = {fraud, fine, checked, 1, 1, 2}};
    CHECK_OK(data_open(&rows, write_text("k.csv", "v,k\n1,fraud\n2,fine\n3,ok\n4,checked\n5,\n"), &options));
    static const int expected[] = {1, 0, -1, -1, 0};
    for (int i = 0; i < 5; i++) CHECK_INT(rows.labels[i], expected[i]);
}

TEST(an_unknown_label_names_its_value_row_and_line)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = {.label_column = "k"};
    const char *path = write_text("k.csv", "v,k\n1,0\n\n\"2\",1.0\n3,maybe\n");
    CHECK_FAILS(data_open(&rows, path, &options), PUAD_FORMAT, "line 5", "row 2", "'maybe'", "'k'");
    static const char *const one[] = {"1"};
    options.labels =
        (label_rule){.positive = one, .unlabeled = one, .positive_count = 1, .unlabeled_count = 1};
    CHECK_FAILS(data_open(&rows, path, &options), PUAD_INVALID, "'positive'", "'unlabeled'", "'1'");
}

TEST(an_unknown_column_is_named_with_the_existing_ones)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = {.label_column = "lable"};
    CHECK_FAILS(data_open(&rows, write_text("k.csv", "v,label\n1,0\n"), &options), PUAD_INVALID,
                "'label_column'", "'lable'", "did you mean 'label'?");
    static const char *const zip[] = {"v", "zap"};
    options = (data_options){.label_column = "label", .categorical = zip, .categorical_count = 2};
    CHECK_FAILS(data_open(&rows, test_path("k.csv"), &options), PUAD_INVALID, "'categorical'", "'zap'",
                "v, label");
    profile found = {0};
    CHECK_FAILS(profile_read(&found, test_path("k.csv"), &options), PUAD_INVALID, "'categorical'", "'zap'");
}

static const char *const bare_csv = "a,1,10,0,5\nb,2,20,1,3\nc,4,30,0,9\nd,3,45,0,1\n";

/* A file like the training file needs no options: columns that were not features then are not features
 * now. */
TEST(a_file_without_header_that_has_the_columns_of_the_training_file_is_read_as_it_was)
{
    AUTO_DATASET dataset rows = {0};
    const char *path = write_text("bare.csv", bare_csv);
    data_options options = {.label_column = "column_4", .id_column = "column_1"};
    CHECK_OK(data_open(&rows, path, &options));
    CHECK_INT(rows.columns, 3);
    transform *encoding = through_json(rows.transform);
    REQUIRE(encoding);
    static const data_options ways[] = {{0},
                                        {.label_column = "column_4"},
                                        {.id_column = "column_1"},
                                        {.id_column = "column_2"},
                                        {.id_column = "column_4"}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        size_t count = 0;
        float *values = all_rows(path, encoding, &ways[k], 3, &count, NULL);
        REQUIRE(count == 4);
        CHECK(memcmp(values, rows.values, count * rows.columns * sizeof(float)) == 0);
        free(values);
    }
    path = write_text("features.csv", "1,10,5\n2,20,3\n4,30,9\n3,45,1\n");
    static const data_options fewer[] = {{0}, {.id_column = "column_1", .id_optional = true}};
    for (size_t k = 0; k < 2; k++) {
        size_t count = 0;
        float *values = all_rows(path, encoding, &fewer[k], 3, &count, NULL);
        REQUIRE(count == 4);
        CHECK(memcmp(values, rows.values, count * rows.columns * sizeof(float)) == 0);
        free(values);
    }
    transform_free(encoding);
}

TEST(columns_that_do_not_fit_the_model_are_named_with_those_expected)
{
    AUTO_DATASET dataset rows = {0};
    row_source *source = NULL;
    data_options options = {.label_column = "column_4", .id_column = "column_1"}, none = {0};
    CHECK_OK(data_open(&rows, write_text("bare.csv", bare_csv), &options));
    const char *path = write_text("bare.csv", "1,2\n3,4\n");
    CHECK_FAILS(row_source_open(&source, path, rows.transform, &none), PUAD_FORMAT, "bare.csv",
                "column_1, column_2", "column_2, column_3, column_5");
    path = write_text("named.csv", "p,q,r,label\n1,2,3,0\n4,5,6,1\n");
    CHECK_FAILS(row_source_open(&source, path, rows.transform, &none), PUAD_FORMAT, "named.csv",
                "p, q, r, label", "column_2, column_3, column_5");
    rows.transform->named = false; /* as if trained on an array */
    rows.transform->file_columns = 0;
    CHECK_FAILS(row_source_open(&source, path, rows.transform, &none), PUAD_FORMAT, "named.csv",
                "p, q, r, label", "column_2, column_3, column_5");
    none.label_column = "label";
    CHECK_OK(row_source_open(&source, path, rows.transform, &none));
    row_source_free(source);
}

TEST(blanks_around_names_and_texts_do_not_count_unless_quoted)
{
    AUTO_DATASET dataset rows = {0};
    const char *path = write_text("blanks.csv", "v , color,\tkind, label\n1, x,\" x\",0\n 2,x ,x, 1\n"
                                                "3,\tx,\" x\",0\n4,y y ,x,0 \n5 ,y y,x,0\n");
    data_options options = {.label_column = "label"};
    CHECK_OK(data_open(&rows, path, &options));
    CHECK_INT(rows.columns, 5);
    CHECK_NEAR(cell(&rows, 0, "color=x"), 1, 0);
    CHECK_NEAR(cell(&rows, 1, "color=x"), 1, 0);
    CHECK_NEAR(cell(&rows, 3, "color=y y"), 1, 0);
    CHECK_NEAR(cell(&rows, 0, "kind= x"), 1, 0);
    CHECK_NEAR(cell(&rows, 1, "kind=x"), 1, 0);
    CHECK_INT(rows.labels[1], 1);
    size_t count = 0;
    float *values = all_rows(path, rows.transform, &(data_options){0}, 2, &count, NULL);
    REQUIRE(count == 5);
    CHECK(memcmp(values, rows.values, count * rows.columns * sizeof(float)) == 0);
    free(values);
}

/* Integers in the first records do not reveal the decimal mark. */
static const char *late_commas(void)
{
    static char text[40000];
    size_t used = (size_t)snprintf(text, sizeof text, "no;price;qty\n");
    for (int i = 0; i < 1000; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, i < 300 ? "%d;%d;%d\n" : "%d;%d,25;%d\n",
                                 3 * i, i % 97, i % 7);
    return write_text("late.csv", text);
}

TEST(the_decimal_mark_is_decided_by_all_rows_and_travels_in_the_model)
{
    AUTO_DATASET dataset rows = {0};
    profile found = {0};
    data_options none = {0};
    const char *path = late_commas();
    CHECK_OK(data_open(&rows, path, &none));
    CHECK_INT(rows.columns, 3);
    CHECK_OK(profile_read(&found, path, &none));
    CHECK_INT(found.dialect.decimal, ',');
    CHECK_NEAR(found.columns[1].max, 96.25, 0);
    profile_free(&found);
    transform *encoding = through_json(rows.transform);
    REQUIRE(encoding);
    CHECK_INT(encoding->decimal, ',');
    size_t count = 0;
    float *values = all_rows(path, encoding, &none, 100, &count, NULL);
    REQUIRE(count == 1000);
    CHECK(memcmp(values, rows.values, count * rows.columns * sizeof(float)) == 0);
    free(values);
    notes messages = {0};
    values =
        all_rows(write_text("one.csv", "no;price;qty\n1;1.234;3\n"), encoding, &none, 9, &count, &messages);
    REQUIRE(count == 1);
    CHECK_NEAR(values[1], 0, 0); /* as in training: not a number */
    CHECK(has_note(&messages, "'price': 1 cells are not numbers"));
    CHECK(has_note(&messages, "one.csv seems to have a decimal point"));
    free(values);
    notes_free(&messages);
    static const struct {
        const char *text;
        char decimal;
    } ways[] = {{"no;price;qty\n930;19,25;2\n", 0},
                {"no;price;qty\n930;19.25;2\n", '.'},
                {"no,price,qty\n930,19.25,2\n", 0},
                {"no,price,qty\n930,\"19,25\",2\n", ','}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        data_options forced = {.decimal = ways[k].decimal};
        values = all_rows(write_text("one.csv", ways[k].text), encoding, &forced, 9, &count, NULL);
        REQUIRE(count == 1);
        CHECK(memcmp(values, rows.values + 310 * rows.columns, rows.columns * sizeof(float)) == 0);
        free(values);
    }
    transform_free(encoding);
}

TEST(an_unused_decimal_mark_does_not_bind_scoring)
{
    static const char *const texts[] = {"a,b\n1.5,2\n2.5,3\n3.25,5\n", "a;b\n1;2\n2;3\n3;5\n"};
    for (size_t k = 0; k < 2; k++) {
        AUTO_DATASET dataset rows = {0};
        CHECK_OK(data_open(&rows, write_text("free.csv", texts[k]), &(data_options){0}));
        CHECK_INT(rows.transform->decimal, 0);
        size_t count = 0;
        notes messages = {0};
        float *values = all_rows(write_text("one.csv", "a;b\n1,75;2\n2,5;3\n"), rows.transform,
                                 &(data_options){0}, 9, &count, &messages);
        REQUIRE(count == 2);
        CHECK(values[0] < values[2]);
        CHECK_INT(messages.count, 0);
        notes_free(&messages);
        free(values);
    }
}

/* As a header it would be a numeric column "sep=". */
TEST(a_first_line_that_names_the_delimiter_is_not_a_header)
{
    static const char *const texts[] = {"sep=;\na;b\n1;x\n2;y\n3;x\n4;y\n",
                                        "\xef\xbb\xbfSEP=;\r\na;b\r\n1;x\r\n2;y\r\n3;x\r\n4;y\r\n",
                                        "sep=\t\na\tb\n1\tx\n2\ty\n3\tx\n4\ty\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        AUTO_DATASET dataset rows = {0};
        CHECK_OK(data_open(&rows, write_text("sep.csv", texts[i]), &(data_options){0}));
        CHECK_INT(rows.rows, 4);
        CHECK_INT(rows.columns, 3);
        CHECK_TEXT(rows.column_names[0], "a");
    }
    AUTO_DATASET dataset rows = {0};
    data_options options = {.label_column = "b"};
    CHECK_FAILS(data_open(&rows, write_text("sep.csv", "sep=;\na;b\n1;0\n2;maybe\n"), &options), PUAD_FORMAT,
                "line 4", "row 1", "'maybe'");
    CHECK_FAILS(data_open(&rows, write_text("sep.csv", "sep=;\n"), &options), PUAD_FORMAT, "sep.csv");
    CHECK_OK(data_open(&rows, write_text("sep.csv", "sep=a,b\n1,2\n2,3\n"), &(data_options){0}));
    CHECK_TEXT(rows.column_names[0], "sep=a");
}

TEST(files_of_one_label_are_joined_by_column_name)
{
    AUTO_DATASET dataset rows = {0};
    const char *path = write_text("u.csv", "a,b\n1,\n2,\n3,30\n");
    data_options options = {.anomalies = write_text("a.csv", "b,extra,a\n90,x,9\n"),
                            .normals = write_text("n.csv", "a\n2\n")};
    CHECK_OK(data_open(&rows, path, &options));
    CHECK_INT(rows.rows, 5);
    CHECK_INT(rows.labels[0], 0);
    CHECK_INT(rows.labels[3], 1);
    CHECK_INT(rows.labels[4], -1);
    CHECK(cell(&rows, 3, "a") > cell(&rows, 2, "a"));
    CHECK(cell(&rows, 3, "b") > cell(&rows, 2, "b"));
    CHECK_NEAR(cell(&rows, 4, "b is missing"), 1, 0);
    CHECK(has_note(&rows.notes, "has no column 'b'"));
}

TEST(a_few_bad_cells_do_not_make_a_number_column_a_category)
{
    AUTO_DATASET dataset rows = {0};
    char text[4000] = "v,w\n";
    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), 64, "%s,%d\n", i == 20 ? "broken" : i % 2 ? "1" : "2.5", i);
    CHECK_OK(data_open(&rows, write_text("bad.csv", text), &(data_options){0}));
    CHECK_INT(rows.columns, 3);
    CHECK_NEAR(cell(&rows, 20, "v is missing"), 1, 0);
    CHECK(has_note(&rows.notes,
                   "1 of 30 cells are not numbers and count as missing (first: 'broken' in row 20)"));
}

static const char *const no_derived_columns = "no";
static const data_options plain_columns = {.derive = &no_derived_columns, .derive_count = 1};

TEST(a_column_whose_later_rows_are_text_is_read_again_as_categories)
{
    AUTO_DATASET dataset rows = {0};
    size_t capacity = 4000000, used;
    char *text = malloc(capacity);
    used = (size_t)snprintf(text, capacity, "v,w\n");
    for (int i = 0; i < 120000; i++)
        used += (size_t)snprintf(text + used, capacity - used, i < 60000 ? "%d,%d\n" : "t%d,%d\n", i % 5, i);
    CHECK_OK(data_open(&rows, write_text("turn.csv", text), &plain_columns));
    CHECK_INT(rows.rows, 120000);
    CHECK_INT(rows.columns, 11); /* ten categories and w */
    CHECK_NEAR(cell(&rows, 119999, "v=t4"), 1, 0);
    CHECK_NEAR(cell(&rows, 4, "v=4"), 1, 0);
    free(text);
}

TEST(large_offsets_keep_their_digits)
{
    AUTO_DATASET dataset rows = {0};
    CHECK_OK(data_open(&rows,
                       write_text("t.csv", "t,u\n1700000000,1e-40\n1700000001,2e-40\n1700000002,3e-40\n"),
                       &(data_options){0}));
    for (size_t c = 0; c < 2; c++) {
        CHECK_NEAR(rows.values[c], TABLE_SCALE * -sqrt(1.5), 1e-6);
        CHECK_NEAR(rows.values[2 + c], 0, 1e-6);
        CHECK_NEAR(rows.values[4 + c], TABLE_SCALE * sqrt(1.5), 1e-6);
    }
}

TEST(many_categories_share_a_column_beyond_the_most_frequent)
{
    AUTO_DATASET dataset rows = {0};
    char text[20000] = "c,v\n";
    size_t used = strlen(text);
    for (int i = 0; i < 1000; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "k%d,%d\n", i % 7 ? i % 100 : 0, i);
    CHECK_OK(data_open(&rows, write_text("many.csv", text), &plain_columns));
    CHECK_INT(rows.columns, CATEGORIES_MAX + 2);
    CHECK_TEXT(rows.column_names[0], "c=k0");
    CHECK_TEXT(rows.column_names[CATEGORIES_MAX], "c=(other)");
    double other = 0;
    for (size_t r = 0; r < rows.rows; r++) {
        double sum = 0;
        for (int k = 0; k <= CATEGORIES_MAX; k++) sum += (double)rows.values[r * rows.columns + (size_t)k];
        CHECK_NEAR(sum, 1, 0);
        other += (double)rows.values[r * rows.columns + CATEGORIES_MAX];
    }
    CHECK(other > 100);
}

TEST(the_number_of_threads_does_not_change_the_bits)
{
    size_t capacity = 6000000, used;
    char *text = malloc(capacity);
    used = (size_t)snprintf(text, capacity, "a,b,c\n");
    for (int i = 0; i < 150000; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%.6f,\"x %d\",%d\n", sin(i) * 1000, i % 40,
                                 (i * 7919) % 1000);
    const char *path = write_text("threads.csv", text);
    dataset sets[3] = {0};
    for (int k = 0; k < 3; k++) {
        team *workers = NULL;
        CHECK_OK(team_new(&workers, k + 1));
        data_options options = {.workers = k ? workers : NULL};
        CHECK_OK(data_open(&sets[k], path, &options));
        team_free(workers);
        CHECK_INT(sets[k].rows, 150000);
        CHECK(memcmp(sets[k].values, sets[0].values, sets[0].rows * sets[0].columns * sizeof(float)) == 0);
    }
    for (int k = 0; k < 3; k++) dataset_free(&sets[k]);
    free(text);
}

/* Workers flush denormal numbers to zero; a thread that reads rows to score may not. */
TEST(denormals_are_encoded_equally_in_training_and_scoring)
{
    static const char text[] = "a,b\n1e-320,1\n0,2e-310\n3e-308,-1e-320\n-1e-315,1e-300\n1e-320,0\n";
    AUTO_DATASET dataset rows = {0};
    const char *path = write_text("tiny.csv", text);
    size_t count = 0;
    CHECK_OK(data_open(&rows, path, &(data_options){0}));
    float *values = all_rows(path, rows.transform, &(data_options){0}, 3, &count, NULL);
    REQUIRE(count == 5);
    CHECK(memcmp(values, rows.values, count * rows.columns * sizeof(float)) == 0);
    free(values);
}

TEST(damaged_text_is_an_error_with_its_line)
{
    static const struct {
        const char *text, *facts[3];
    } cases[] = {
        {"a,b\n1,2\n3,4,5\n", {"line 3", "3 cells", "2"}},
        {"a,b,c,d,e\n1,2,3,4,5\n1\n", {"line 3", "1", "5 cells"}},
        {"a,b\n1,\"2\n3,4\n", {"line 2", "quote"}},
        {"\"a,b\n1,2\n", {"line 1", "quote"}},
        {"", {"damaged.csv"}},
        {"\n\n", {"damaged.csv"}},
        {"a,b\n", {"damaged.csv", "rows"}},
        {"\xff\xfe"
         "a\0",
         {"UTF-16"}},
        {"a\r1\r2\r", {"carriage return"}},
        {"a,b\n1,1\n1,1\n", {"'delimiter'", "'categorical'"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO_DATASET dataset rows = {0};
        const char *path = write_text("damaged.csv", cases[i].text);
        CHECK_FAILS(data_open(&rows, path, &(data_options){0}), PUAD_FORMAT, cases[i].facts[0],
                    cases[i].facts[1], cases[i].facts[2]);
    }
    AUTO_DATASET dataset rows = {0};
    const char *path = test_path("nul.csv");
    file_write(path, "a,b\n1,2\n3\0,4\n", 14);
    CHECK_FAILS(data_open(&rows, path, &(data_options){0}), PUAD_FORMAT, "nul.csv", "offset 9", "NUL");
    CHECK_FAILS(data_open(&rows, "/nowhere/x.csv", &(data_options){0}), PUAD_IO, "/nowhere/x.csv");
}

TEST(a_false_encoding_is_rejected)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        "{\"kind\":\"table\",\"columns\":[]}",
        "{\"kind\":\"table\",\"columns\":[{}]}",
        "{\"kind\":\"table\",\"columns\":[{\"name\":\"a\",\"type\":\"magic\"}]}",
        "{\"kind\":\"table\",\"columns\":[{\"name\":\"a\",\"type\":\"number\",\"pivot\":0,\"factor\":1,"
        "\"mean\":0,\"sd\":0,\"low\":0,\"high\":1}]}",
        "{\"kind\":\"table\",\"columns\":[{\"name\":\"a\",\"type\":\"category\",\"categories\":[\"x\",\"x\"]}"
        "]}",
        "{\"kind\":\"table\",\"columns\":[{\"name\":\"a\",\"type\":\"category\",\"categories\":[1]}]}",
        "{\"kind\":\"table\",\"file_columns\":1,\"columns\":[{\"name\":\"a\",\"type\":\"number\",\"pivot\":0,"
        "\"factor\":1,\"mean\":0,\"sd\":1,\"low\":0,\"high\":1,\"place\":1}]}",
        "{\"kind\":\"table\",\"decimal\":\"x\",\"file_columns\":0,\"scale\":1,\"columns\":[{\"name\":\"a\","
        "\"type\":\"number\","
        "\"pivot\":0,\"factor\":1,\"mean\":0,\"sd\":1,\"low\":0,\"high\":1}]}",
        "{\"kind\":\"image\",\"height\":1e9,\"width\":1,\"channels\":1,\"divisor\":1}",
        "{\"kind\":\"image\",\"height\":32,\"width\":32,\"channels\":1,\"divisor\":0}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cJSON *object = cJSON_Parse(texts[i]);
        transform *encoding = NULL;
        CHECK_FAILS(transform_from_json(&encoding, object, NULL), PUAD_FORMAT, "transform");
        cJSON_Delete(object);
    }
}
