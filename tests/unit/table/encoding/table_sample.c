/* The sample of a table that has more rows than are kept. */
#include "written.h"

#include <math.h>

enum { ROWS = 30000, KEPT = 500, LABELED = ROWS / 100 };

/* Rows: their number, a value computed from it, a text, an id; every hundredth is labeled. */
static const char *write_rows(const char *name, int rows)
{
    char *text = malloc((size_t)rows * 64 + 64), *p = text;
    if (!text) abort();
    p += sprintf(p, "value,place,kind,id,label\n");
    for (int i = 0; i < rows; i++)
        p += sprintf(p, "%.3f,%d,%c,row %d,%d\n", sin(i), i * 37 % 10007, "abc"[i % 3], i,
                     i % 100 == 0 ? (i % 200 ? -1 : 1) : 0);
    const char *path = write_text(name, text);
    free(text);
    return path;
}

static data_options sampled(size_t max_rows, uint64_t seed)
{
    return (data_options){.label_column = "label", .id_column = "id", .max_rows = max_rows, .seed = seed};
}

static size_t count_label(const dataset *rows, int8_t label)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->rows; i++) count += rows->labels[i] == label;
    return count;
}

TEST(all_rows_are_kept_while_they_are_few)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = sampled(ROWS, 0);
    CHECK_OK(data_open(&rows, write_rows("t.csv", ROWS), &options));
    CHECK_INT(rows.rows, ROWS);
    CHECK_INT(rows.rows_read, ROWS);
    CHECK(!rows.row_numbers);
    CHECK(!has_note(&rows.notes, "max_rows"));
}

TEST(a_sample_has_all_labeled_rows_and_so_many_others)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = sampled(KEPT, 0);
    CHECK_OK(data_open(&rows, write_rows("t.csv", ROWS), &options));
    CHECK_INT(rows.rows, KEPT + LABELED);
    CHECK_INT(rows.rows_read, ROWS);
    CHECK_INT(count_label(&rows, 1), LABELED / 2);
    CHECK_INT(count_label(&rows, -1), LABELED / 2);
    CHECK(has_note(&rows.notes, "max_rows"));
    char id[32];
    for (size_t i = 0; i < rows.rows; i++) {
        int row = (int)rows.row_numbers[i];
        CHECK(i == 0 || rows.row_numbers[i] > rows.row_numbers[i - 1]);
        CHECK_INT(rows.labels[i], row % 100 == 0 ? (row % 200 ? -1 : 1) : 0);
        snprintf(id, sizeof id, "row %d", row);
        CHECK_TEXT(rows.ids[i], id);
    }
}

TEST(each_label_has_its_own_limit)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = sampled(20, 0);
    CHECK_OK(data_open(&rows, write_rows("t.csv", ROWS), &options));
    CHECK_INT(rows.rows, 60);
    for (int label = -1; label <= 1; label++) CHECK_INT(count_label(&rows, (int8_t)label), 20);
}

TEST(rows_of_a_sample_are_encoded_as_in_the_whole_table)
{
    AUTO_DATASET dataset all = {0}, rows = {0};
    const char *path = write_rows("t.csv", ROWS);
    data_options whole = sampled(0, 0), part = sampled(KEPT, 0);
    CHECK_OK(data_open(&all, path, &whole));
    CHECK_OK(data_open(&rows, path, &part));
    CHECK_INT(rows.columns, all.columns);
    for (size_t i = 0; i < rows.rows; i++)
        for (size_t c = 0; c < rows.columns; c++)
            CHECK_NEAR(rows.values[i * rows.columns + c], all.values[rows.row_numbers[i] * all.columns + c],
                       1e-6);
}

TEST(a_sample_is_uniform_and_another_for_another_seed)
{
    const char *path = write_rows("t.csv", ROWS);
    size_t same = 0;
    AUTO_DATASET dataset first = {0}, second = {0};
    data_options options = sampled(KEPT, 1);
    CHECK_OK(data_open(&first, path, &options));
    options.seed = 2;
    CHECK_OK(data_open(&second, path, &options));
    double sum = 0;
    size_t count = 0, early = 0;
    for (size_t i = 0, k = 0; i < first.rows; i++) {
        if (first.labels[i] != PUAD_LABEL_UNLABELED) continue;
        sum += (double)first.row_numbers[i];
        early += first.row_numbers[i] < ROWS / 4;
        count++;
        while (k < second.rows && second.row_numbers[k] < first.row_numbers[i]) k++;
        same += k < second.rows && second.row_numbers[k] == first.row_numbers[i];
    }
    CHECK_INT(count, KEPT);
    CHECK_NEAR(sum / KEPT, ROWS / 2.0, 4 * ROWS / sqrt(12.0 * KEPT)); /* four standard errors */
    CHECK_NEAR((double)early, KEPT / 4.0, 4 * sqrt(KEPT * 3.0 / 16));
    CHECK(same < KEPT / 10);
}

TEST(a_sample_does_not_depend_on_threads)
{
    AUTO_TEAM team *workers = NULL;
    AUTO_DATASET dataset one = {0}, two = {0};
    const char *path = write_rows("t.csv", ROWS);
    data_options options = sampled(KEPT, 3);
    CHECK_OK(data_open(&one, path, &options));
    CHECK_OK(team_new(&workers, 2));
    options.workers = workers;
    CHECK_OK(data_open(&two, path, &options));
    CHECK_INT(one.rows, two.rows);
    CHECK(memcmp(one.row_numbers, two.row_numbers, one.rows * sizeof *one.row_numbers) == 0);
    CHECK(memcmp(one.values, two.values, one.rows * one.columns * sizeof *one.values) == 0);
}

/* One file after another: the rows of the second have numbers after those of the first. */
TEST(rows_of_several_files_are_sampled_together)
{
    AUTO_DATASET dataset rows = {0};
    const char *path = write_rows("t.csv", ROWS), *anomalies = write_rows("more.csv", 1000);
    data_options options = {.id_column = "id", .max_rows = KEPT, .anomalies = anomalies};
    const char *const ignored[] = {"label"};
    options.ignore = ignored;
    options.ignore_count = 1;
    CHECK_OK(data_open(&rows, path, &options));
    CHECK_INT(rows.rows, 2 * KEPT);
    CHECK_INT(rows.rows_read, ROWS + 1000);
    CHECK(rows.row_numbers[KEPT - 1] < ROWS);
    CHECK(rows.row_numbers[KEPT] >= ROWS);
    CHECK_INT(rows.labels[KEPT], PUAD_LABEL_ANOMALY);
}

TEST(a_column_that_counts_the_rows_is_found_in_a_sample)
{
    AUTO_DATASET dataset rows = {0};
    char *text = malloc(ROWS * 32), *p = text;
    if (!text) abort();
    p += sprintf(p, "index,value\n");
    for (int i = 0; i < ROWS; i++) p += sprintf(p, "%d,%.3f\n", i + 7, sin(i));
    const char *path = write_text("counted.csv", text);
    free(text);
    CHECK_OK(data_open(&rows, path, &(data_options){.max_rows = KEPT}));
    CHECK_INT(rows.rows, KEPT);
    CHECK_INT(rows.columns, 1);
    CHECK(has_note(&rows.notes, "'index'"));
}
