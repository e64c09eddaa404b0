/* Labeled intervals of a time series: the label of a time, rejected files, and fast lookup. */
#include "series/intervals.h"

#include "base/clock.h"
#include "dataset/dataset.h"
#include "written.h"

static const cell_form numbers = {.kind = FORM_PLAIN, .decimal = '.'};

static text_view text_of(const char *text)
{
    return (text_view){text, strlen(text)};
}

TEST(a_time_has_the_label_of_the_interval_that_contains_it)
{
    interval_list list = {0};
    const char *path = write_text("i.csv", "start,end,label\n10,20,-1\n1,12,1\n15,15,1\n30,40,\n18,50,-1\n");
    CHECK_OK(intervals_read(&list, path, &numbers, NULL));
    CHECK_INT(list.count, 4);
    static const struct {
        double time;
        int label;
    } asked[] = {{0.5, 0}, {1, 1},   {12, 1},  {12.5, -1}, {15, 1},
                 {16, -1}, {19, -1}, {35, -1}, {50, -1},   {50.5, 0}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        CHECK_INT(intervals_label(&list, asked[i].time, text_of("")), asked[i].label);
    intervals_free(&list);
}

TEST(intervals_of_a_group_label_only_its_rows)
{
    interval_list list = {0};
    const char *path = write_text(
        "g.csv", "sensor,start,end,label\nb,1,3,1\na,2,9,-1\nab,5,6,1\na,8,8,1\n,4,4,1\n\"\",5,5,-1\n");
    CHECK_OK(intervals_read(&list, path, &numbers, "sensor"));
    CHECK_INT(intervals_label(&list, 2, text_of("a")), PUAD_LABEL_NORMAL);
    CHECK_INT(intervals_label(&list, 8, text_of("a")), PUAD_LABEL_ANOMALY);
    CHECK_INT(intervals_label(&list, 2, text_of("b")), PUAD_LABEL_ANOMALY);
    CHECK_INT(intervals_label(&list, 5, text_of("b")), PUAD_LABEL_UNLABELED);
    CHECK_INT(intervals_label(&list, 5, text_of("ab")), PUAD_LABEL_ANOMALY);
    CHECK_INT(intervals_label(&list, 5, text_of("abc")), PUAD_LABEL_UNLABELED);
    CHECK_INT(intervals_label(&list, 4, text_of("")), PUAD_LABEL_ANOMALY);
    CHECK_INT(intervals_label(&list, 5, text_of("")), PUAD_LABEL_NORMAL);
    intervals_free(&list);
}

TEST(a_file_without_an_interval_labels_nothing)
{
    interval_list list = {0};
    CHECK_OK(intervals_read(&list, write_text("0.csv", "start,end,label\n3,5,\n"), &numbers, NULL));
    CHECK_INT(list.count, 0);
    CHECK_INT(intervals_label(&list, 4, text_of("")), PUAD_LABEL_UNLABELED);
    intervals_free(&list);
}

TEST(errors_in_intervals_name_the_line)
{
    static const struct {
        const char *text, *facts[3];
    } wrong[] = {{"start,end\n1,2\n5,4\n", {"line 3"}},
                 {"start,end\n1,2\n3,x\n", {"line 3", "'x'"}},
                 {"start,end\n1,2\n3,inf\n", {"line 3", "'inf'"}},
                 {"start,end,label\n1,2,7\n", {"line 2", "'7'"}},
                 {"start\n1\n2\n", {"w.csv"}}};
    interval_list list = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(intervals_read(&list, write_text("w.csv", wrong[i].text), &numbers, NULL), PUAD_FORMAT,
                    wrong[i].facts[0], wrong[i].facts[1], wrong[i].facts[2]);
}

/* One interval of another group that contains all times must not make every lookup search all of them. */
TEST(lookup_is_fast_with_many_intervals_and_groups)
{
    enum { MANY = 200000 };
    interval_list list = {0};
    FILE *to = fopen(test_path("many.csv"), "w");
    REQUIRE(to != NULL);
    fputs("sensor,start,end\na,0,1000000\n", to);
    for (int i = 0; i < MANY; i++) fprintf(to, "b,%d,%d.5\n", 2 * i, 2 * i);
    fclose(to);
    CHECK_OK(intervals_read(&list, test_path("many.csv"), &numbers, "sensor"));
    double begun = seconds_now();
    for (int i = 0; i < MANY; i++) {
        CHECK_INT(intervals_label(&list, 2 * i + 1, text_of("b")), PUAD_LABEL_UNLABELED);
        if (seconds_now() - begun > 10) TEST_FAIL("%d questions took ten seconds", i);
        if (seconds_now() - begun > 10) break;
    }
    intervals_free(&list);
}
