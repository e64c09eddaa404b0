/* What tables teach beyond single rows: columns that one label lacks. */
#include "written.h"

static const char *const both_csv = "a,b\n1,10\n2,20\n3,30\n4,\n";

TEST(a_column_that_a_file_of_one_label_lacks_is_refused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a\n7\n8\n", "column 'b': there is no such column, but 3 of 4 rows"},
        {"a,b\n7,\n8,NA\n", "column 'b': none of its cells has a value"},
        {"a,b\n7,1 EUR\n8,2 EUR\n", "column 'b': none of its cells is a number"},
    };
    const char *path = write_text("u.csv", both_csv);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO_DATASET dataset rows = {0};
        const char *part = write_text("part.csv", cases[i].text);
        data_options options = {.anomalies = part};
        CHECK_FAILS(data_open(&rows, path, &options), PUAD_FORMAT, cases[i].message);
        CHECK(strstr(puad_last_error(), "part.csv") && strstr(puad_last_error(), "--ignore b"));
        options = (data_options){.normals = part};
        CHECK_FAILS(data_open(&rows, path, &options), PUAD_FORMAT, cases[i].message);
    }
}

TEST(a_column_that_is_ignored_may_be_absent_from_a_file_of_one_label)
{
    AUTO_DATASET dataset rows = {0};
    const char *const ignore[] = {"b"};
    data_options options = {
        .anomalies = write_text("part.csv", "a\n7\n8\n"), .ignore = ignore, .ignore_count = 1};
    CHECK_OK(data_open(&rows, write_text("u.csv", both_csv), &options));
    CHECK_INT(rows.rows, 6);
    CHECK_INT(rows.columns, 1);
    static const char *const wrong[] = {"c"};
    options.ignore = wrong;
    AUTO_DATASET dataset none = {0};
    CHECK_FAILS(data_open(&none, test_path("u.csv"), &options), PUAD_INVALID, "no column 'c'");
}
