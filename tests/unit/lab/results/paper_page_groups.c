/* Sorting a ledger's records into comparable groups. */
#include "lab/results/paper_page_groups.h"
#include "test.h"

#include <string.h>

enum { MOST = 64 };
static lab_record records[MOST];
static size_t record_count;

static lab_cell *add(const char *method, const char *normal, long long epochs)
{
    lab_record *record = &records[record_count++];
    *record = (lab_record){.cell = lab_cell_standard()};
    record->cell.dataset = "mnist";
    record->cell.method = method;
    record->cell.normal = normal;
    record->cell.epochs = epochs;
    return &record->cell;
}

static void settle(void)
{
    for (size_t i = 0; i < record_count; i++)
        if (lab_cell_settle(&records[i].cell) != PUAD_OK) TEST_FAIL("%s", puad_last_error());
}

static size_t count_of(const report_group *group, const char *method)
{
    size_t found = 0;
    for (size_t i = 0; i < group->count; i++) found += strcmp(group->records[i].cell.method, method) == 0;
    return found;
}

TEST(budgets_and_embeddings_are_groups_and_the_fullest_is_first)
{
    AUTO_ARENA arena memory = {0};
    report_groups made;
    record_count = 0;
    add("pusvdd", "1", 30)->embedding = "linear";
    add("pusvdd", "1", 10);
    add("deepsad", "1", 10);
    add("pusvdd", "1", 10)->embedding = "linear";
    add("puae", "1", 10);
    add("if", "1", 10);
    settle();
    CHECK_OK(report_groups_make(&made, &memory, records, record_count));
    REQUIRE(made.count == 3);
    CHECK(strstr(made.list[0].title, "10 epochs after ") && strstr(made.list[0].title, "embedding=bn"));
    CHECK_INT(made.list[0].count, 4);
    CHECK_TEXT(made.list[1].embedding, "linear"); /* with puae and the forest, to which it means nothing */
    CHECK_INT(made.list[1].count, 3);
    CHECK(made.list[2].epochs == 30 && made.list[2].count == 2);
    CHECK(made.variant_count == 0 && made.other_count == 0);
}

TEST(one_experiment_with_another_pretraining_comes_last)
{
    AUTO_ARENA arena memory = {0};
    report_groups made;
    record_count = 0;
    add("pusvdd", "1", 10)->pretrain_epochs = 100;
    for (int i = 0; i < 3; i++) add("puae", (const char *const[]){"1", "2", "3"}[i], 10);
    for (int i = 0; i < 2; i++) add("pusvdd", (const char *const[]){"1", "2"}[i], 20);
    settle();
    CHECK_OK(report_groups_make(&made, &memory, records, record_count));
    REQUIRE(made.count == 2);
    CHECK(made.list[0].epochs == 20 && made.list[0].count == 2);
    CHECK(made.list[1].pretrain_epochs == 100 && made.list[1].count == 4);
}

TEST(variants_are_compared_with_the_papers_options_on_the_same_classes)
{
    AUTO_ARENA arena memory = {0};
    report_groups made;
    record_count = 0;
    for (int i = 0; i < 3; i++) {
        const char *normal = (const char *const[]){"1", "2", "3"}[i];
        add("pusvdd", normal, 10);
        add("deepsad", normal, 10);
    }
    add("pusvdd", "3", 10)->weight = "equal";
    add("pusvdd", "3", 10)->objective = "pu_nn";
    add("puae", "3", 10)->weight = "equal"; /* not run with the paper's weight: nothing to compare with */
    settle();
    CHECK_OK(report_groups_make(&made, &memory, records, record_count));
    REQUIRE(made.count == 1 && made.variant_count == 1);
    CHECK_INT(made.list[0].count, 7);
    CHECK_INT(count_of(&made.list[0], "pusvdd"), 3);
    CHECK_INT(count_of(&made.list[0], "puae"), 1);
    CHECK_INT(made.variants[0].count, 3); /* class 3 of pusvdd */
    CHECK_INT(count_of(&made.variants[0], "pusvdd"), 3);
    CHECK(!strstr(made.variants[0].title, "embedding"));
}

TEST(sweeps_are_separate)
{
    AUTO_ARENA arena memory = {0};
    report_groups made;
    record_count = 0;
    add("pusvdd", "1", 10);
    add("pusvdd", "2", 10);
    add("pusvdd", "1", 10)->alpha = 0.3;
    add("pusvdd", "1", 10)->hidden = 500;
    settle();
    CHECK_OK(report_groups_make(&made, &memory, records, record_count));
    REQUIRE(made.count == 1);
    CHECK(made.list[0].count == 2 && made.other_count == 2);
    CHECK(report_is_papers(&records[0]) && !report_is_papers(&records[2]) && !report_is_papers(&records[3]));
    CHECK_FAILS(report_groups_make(&made, &memory, records, 0), PUAD_INVALID);
}
