/* <puad/profile.h>, and the columns and classes of an input in <puad/dataset.h>. */
#include "cli/library_values.h"
#include "test.h"
#include "written.h"

#include <puad/advanced.h>

static const char *const table = "id,amount,country,label\n"
                                 "a,10,home,0\n"
                                 "b,12.5,home,1\n"
                                 "c,,abroad,\n"
                                 "d,12.5,home,0\n"
                                 "e,-4,home,odd\n"
                                 "f,7,abroad,0\n";

static puad_options *options_of(const char *const *pairs)
{
    puad_options *made = NULL;
    puad_options_new(&made);
    for (; pairs[0]; pairs += 2) CHECK(puad_options_set(made, pairs[0], pairs[1]) == PUAD_OK);
    return made;
}

TEST(a_profile_describes_a_csv_file)
{
    const char *path = write_text("profile.csv", table);
    puad_options *options = options_of((const char *[]){"id_column", "id", "label_column", "label", NULL});
    puad_profile *found = NULL;
    size_t rows = 0;
    CHECK_OK(puad_profile_read(&found, path, options));
    CHECK(strcmp(profile_of(found).name, path) == 0);
    CHECK(strcmp(profile_of(found).format, "csv") == 0);
    CHECK(profile_of(found).type == NULL);
    CHECK(!profile_of(found).image);
    CHECK(profile_of(found).delimiter == ',' && profile_of(found).decimal == '.');
    CHECK(profile_of(found).has_header);
    CHECK_INT(puad_profile_number(found, PUAD_PROFILE_ROWS), 6);
    CHECK_INT(puad_profile_number(found, PUAD_PROFILE_COLUMNS), 4);
    CHECK_INT(puad_profile_number(found, PUAD_PROFILE_MISSING), 1);
    CHECK_INT(puad_profile_number(found, PUAD_PROFILE_DUPLICATES), 1); /* row d repeats row b */
    CHECK_INT(puad_profile_number(found, PUAD_PROFILE_ODD_LABELS), 1);
    CHECK(isnan(puad_profile_number(found, PUAD_PROFILE_ANOMALIES)));
    CHECK(strcmp(profile_of(found).odd_label, "odd") == 0);
    CHECK(strstr(profile_of(found).labels_expected, "expected 1, 0, nothing or -1") != NULL);
    CHECK(strcmp(puad_profile_class(found, 0, &rows), "0") == 0);
    CHECK_INT(rows, 3);
    CHECK(puad_profile_class(found, 4, &rows) == NULL);
    CHECK_INT(rows, 0);

    CHECK(strcmp(profile_at(found, 1).name, "amount") == 0);
    CHECK(strcmp(profile_at(found, 0).role, "id") == 0);
    CHECK(strcmp(profile_at(found, 2).role, "feature") == 0);
    CHECK(!profile_at(found, 1).category && profile_at(found, 2).category);
    CHECK_INT(puad_profile_column_number(found, 1, PUAD_COLUMN_NUMBERS), 5);
    CHECK_INT(puad_profile_column_number(found, 1, PUAD_COLUMN_MISSING), 1);
    CHECK_NEAR(puad_profile_column_number(found, 1, PUAD_COLUMN_MIN), -4, 0);
    CHECK_NEAR(puad_profile_column_number(found, 1, PUAD_COLUMN_MAX), 12.5, 0);
    CHECK_NEAR(puad_profile_column_number(found, 1, PUAD_COLUMN_MEAN), 7.6, 1e-12);
    CHECK(isnan(puad_profile_column_number(found, 2, PUAD_COLUMN_MEAN)));
    CHECK_INT(puad_profile_column_number(found, 2, PUAD_COLUMN_DISTINCT), 2);
    CHECK(strcmp(puad_profile_column_text(found, 2, 0, &rows), "home") == 0);
    CHECK_INT(rows, 4);
    CHECK(strcmp(puad_profile_column_text(found, 2, 1, NULL), "abroad") == 0);
    CHECK(puad_profile_column_text(found, 2, 2, NULL) == NULL);
    CHECK(!profile_at(found, 2).has_more);
    CHECK(profile_at(found, 4).name == NULL && profile_at(found, 4).role == NULL);
    CHECK(isnan(puad_profile_column_number(found, 4, PUAD_COLUMN_MEAN)));
    puad_profile_free(found);
    puad_options_free(options);
}

TEST(labels_are_counted_where_all_are_explained)
{
    const char *path = write_text("labels.csv", table);
    puad_options *options =
        options_of((const char *[]){"id_column", "id", "label_column", "label", "negative", "odd", NULL});
    puad_profile *found = NULL;
    CHECK_OK(puad_profile_read(&found, path, options));
    CHECK_INT(puad_profile_number(found, PUAD_PROFILE_ANOMALIES), 1);
    CHECK_INT(puad_profile_number(found, PUAD_PROFILE_UNLABELED), 4);
    CHECK_INT(puad_profile_number(found, PUAD_PROFILE_NORMALS), 1);
    CHECK(profile_of(found).odd_label == NULL);
    puad_profile_free(found);
    puad_options_free(options);
}

TEST(a_profile_reports_uncounted_strings)
{
    char *text = calloc(1, 40000);
    size_t used = (size_t)sprintf(text, "x,name\n");
    for (int i = 0; i < 1500; i++) used += (size_t)sprintf(text + used, "%d,name%d\n", i, i);
    const char *path = write_text("names.csv", text);
    puad_profile *found = NULL;
    CHECK_OK(puad_profile_read(&found, path, NULL));
    CHECK(profile_at(found, 1).has_more);
    CHECK_INT(puad_profile_column_number(found, 1, PUAD_COLUMN_DISTINCT), 1000);
    puad_profile_free(found);
    free(text);
}

TEST(a_profile_of_nothing_is_an_error_and_null_is_fine)
{
    puad_profile *found = NULL;
    CHECK(puad_profile_read(&found, "no such file.csv", NULL) == PUAD_IO);
    CHECK(found == NULL && strstr(puad_last_error(), "no such file.csv"));
    CHECK(puad_profile_read(NULL, "x", NULL) == PUAD_INVALID);
    CHECK(puad_profile_read(&found, NULL, NULL) == PUAD_INVALID);
    puad_profile_info about = {.struct_size = sizeof about};
    CHECK_FAILS(puad_profile_input(NULL, &about), PUAD_INVALID, "puad_profile_input");
    CHECK(isnan(puad_profile_number(NULL, PUAD_PROFILE_ROWS)) && !profile_of(NULL).name);
    puad_profile_free(NULL);
}

TEST(the_numbers_of_a_column_come_back_as_they_were_read)
{
    const char *path = write_text("numbers.csv", table);
    puad_options *options = options_of((const char *[]){"ignore", "label", "id_column", "id", NULL});
    puad_dataset *data = NULL;
    CHECK_OK(puad_dataset_open(&data, path, NULL, options));
    static const double expected[] = {10, 12.5, NAN, 12.5, -4, 7};
    double values[6];
    CHECK_INT(puad_dataset_column_kind(data, "amount"), PUAD_COLUMN_NUMBER);
    CHECK_INT(puad_dataset_column_kind(data, "country"), PUAD_COLUMN_CATEGORY);
    CHECK_INT(puad_dataset_column_kind(data, "label"), PUAD_COLUMN_UNUSED);
    CHECK_INT(puad_dataset_column_kind(data, "nothing"), PUAD_COLUMN_UNUSED);
    CHECK_OK(puad_dataset_numbers(data, "amount", values, 6));
    for (int i = 0; i < 6; i++)
        if (isnan(expected[i]))
            CHECK(isnan(values[i]));
        else
            CHECK_NEAR(values[i], expected[i], 1e-5);
    CHECK(puad_dataset_numbers(data, "amount", values, 5) == PUAD_INVALID);
    CHECK(puad_dataset_numbers(data, "country", values, 6) == PUAD_INVALID);
    CHECK(puad_dataset_numbers(data, "amount", NULL, 6) == PUAD_INVALID);
    size_t others[4], anomalies[4]; /* 10, 12.5, missing, 12.5, -4, 7 */
    CHECK_OK(puad_dataset_bins(data, "amount", 0, 12, 100, others, anomalies, 4));
    CHECK(others[0] == 1 && others[1] == 0 && others[2] == 1 && others[3] == 3);
    for (int i = 0; i < 4; i++) CHECK_INT(anomalies[i], 0);
    CHECK(puad_dataset_bins(data, "country", 0, 12, 100, others, anomalies, 4) == PUAD_INVALID);
    CHECK(puad_dataset_bins(data, "amount", 12, 12, 100, others, anomalies, 4) == PUAD_INVALID);
    CHECK(puad_dataset_bins(data, "amount", 0, 12, 100, others, NULL, 4) == PUAD_INVALID);
    CHECK_INT(dataset_of(data).class_count, 0);
    CHECK(dataset_of(data).classes == NULL && puad_dataset_class_name(data, 0) == NULL);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(a_column_of_dates_is_shown_as_dates)
{
    const char *path =
        write_text("dates.csv", "day,x\n2024-01-01,1\n2024-01-02,2\n2024-01-03,3\n2024-01-05,4\n");
    puad_profile *found = NULL;
    char text[64];
    CHECK_OK(puad_profile_read(&found, path, NULL));
    CHECK(strcmp(profile_at(found, 0).type, "date") == 0);
    CHECK(profile_at(found, 0).format != NULL && profile_at(found, 1).format == NULL);
    CHECK(strcmp(profile_at(found, 1).type, "number") == 0);
    CHECK_OK(puad_profile_column_show(found, text, sizeof text, 0,
                                      puad_profile_column_number(found, 0, PUAD_COLUMN_MAX)));
    CHECK(strstr(text, "2024-01-05") != NULL);
    puad_profile_free(found);
}

TEST(a_profile_describes_the_encoding_of_a_column)
{
    puad_profile *found = NULL;
    char text[64];
    CHECK_OK(
        puad_profile_read(&found,
                          write_text("forms.csv", "when,price,paid,same\n2024-01-31,\"$1,250.50\",yes,x\n"
                                                  "2024-02-01,$980,no,x\n2024-02-03,$12,yes,x\n"),
                          NULL));
    CHECK_TEXT(profile_at(found, 0).type, "date");
    CHECK_TEXT(profile_at(found, 0).format, "dates as year-month-day");
    CHECK_TEXT(profile_at(found, 0).encoding, "weekday, day of the year");
    CHECK_OK(puad_profile_column_show(found, text, sizeof text, 0,
                                      puad_profile_column_number(found, 0, PUAD_COLUMN_MIN)));
    CHECK_TEXT(text, "2024-01-31");
    CHECK_TEXT(profile_at(found, 1).type, "number");
    CHECK_NEAR(puad_profile_column_number(found, 1, PUAD_COLUMN_MAX), 1250.5, 0);
    CHECK_TEXT(profile_at(found, 2).type, "yes/no");
    CHECK_TEXT(profile_at(found, 3).encoding, "left out: all its values are the same");
    CHECK(profile_at(found, 3).format == NULL);
    CHECK(puad_profile_note(found, 0) && !puad_profile_note(found, 99));
    CHECK(profile_of(found).refusal == NULL);
    puad_profile_free(found);
    CHECK_OK(puad_profile_read(&found, write_text("same.csv", "a,b\n1,1\n1,1\n"), NULL));
    CHECK(strstr(profile_of(found).refusal, "'delimiter'") != NULL);
    puad_profile_free(found);
}

typedef struct warned {
    size_t count;
    char first[2][64]; /* guard and column */
} warned;

static void on_warning(void *context, const puad_warning *warning)
{
    warned *to = context;
    if (to->count++) return;
    snprintf(to->first[0], sizeof to->first[0], "%s", warning->name);
    snprintf(to->first[1], sizeof to->first[1], "%s", warning->column ? warning->column : "");
}

static void check_file(warned *out, const char *path, const char *label, puad_status expected)
{
    puad_dataset *data = NULL;
    puad_options *options = options_of((const char *[]){label ? "label_column" : NULL, label, NULL});
    *out = (warned){0};
    puad_options_set_warning(options, on_warning, out);
    CHECK_OK(puad_dataset_open(&data, path, NULL, options));
    CHECK_INT(puad_dataset_check(data, options), expected);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(a_dataset_is_checked_as_before_a_fit)
{
    enum { ROWS = 400 };
    static char text[40 * ROWS];
    size_t used = (size_t)snprintf(text, sizeof text, "amount,chance,is_fraud,all\n");
    for (size_t i = 0; i < ROWS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%zu,%zu,%d,1\n", i * 7919 % 101,
                                 i * 104729 % 97, i % 20 == 0);
    const char *path = write_text("checked.csv", text);
    warned found;
    check_file(&found, path, NULL, PUAD_OK);
    CHECK_INT(found.count, 1);
    CHECK_TEXT(found.first[0], "likely_label");
    CHECK_TEXT(found.first[1], "is_fraud");
    check_file(&found, path, "is_fraud", PUAD_OK);
    CHECK_INT(found.count, 0);
    check_file(&found, path, "all", PUAD_FORMAT); /* there are no unlabeled rows */
    CHECK_INT(puad_dataset_check(NULL, NULL), PUAD_INVALID);
}
