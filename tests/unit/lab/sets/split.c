/* The paper's split: its sizes, that no row is used twice, and that the seed decides everything. */
#include "lab/sets/split.h"
#include "test.h"

static raw_set open_set(const char *name)
{
    raw_set set = {0};
    const set_row *about = NULL;
    if (set_find(&about, name) != PUAD_OK || set_read(&set, about, "/nowhere", 0) != PUAD_OK)
        TEST_FAIL("%s", puad_last_error());
    return set;
}

/* A set of `rows[class]` rows per class and part without pixels. */
static raw_set made_up(const set_row *about, const size_t rows[PART_COUNT])
{
    raw_set set = {.about = about, .height = 1, .width = 1, .channels = 1};
    for (int part = 0; part < PART_COUNT; part++) {
        size_t count = rows[part] * (size_t)about->class_count;
        set.parts[part].rows = count;
        set.parts[part].classes = calloc(count, sizeof(int32_t));
        set.parts[part].pixels = calloc(count, 1);
        for (size_t i = 0; i < count; i++) set.parts[part].classes[i] = (int32_t)(i / rows[part]);
    }
    return set;
}

static void expect_valid(const split_plan *plan, const raw_set *set, const split_request *request)
{
    size_t counts[4] = {0}; /* unlabeled normal, hidden, labeled, known */
    uint8_t *used = calloc(set->parts[PART_TRAIN].rows + set->parts[PART_TEST].rows, 1);
    size_t twice = 0, misplaced = 0;
    for (size_t i = 0; i < plan->train_count; i++) {
        uint32_t row = plan->train_rows[i];
        class_bits class = ONE(set->parts[PART_TRAIN].classes[row]);
        bool normal = (class & request->normal) != 0;
        twice += used[row]++;
        misplaced += normal == (plan->train_truth[i] == 1) || (class & request->unseen);
        misplaced += plan->train_labels[i] == PUAD_LABEL_ANOMALY && normal;
        misplaced += plan->train_labels[i] == PUAD_LABEL_NORMAL && !normal;
        counts[plan->train_labels[i] ? plan->train_labels[i] == PUAD_LABEL_ANOMALY ? 2 : 3 : !normal]++;
    }
    uint8_t *used_test = used + set->parts[PART_TRAIN].rows;
    for (size_t i = 0; i < plan->test_count; i++) {
        uint32_t row = plan->test_rows[i];
        class_bits class = ONE(set->parts[PART_TEST].classes[row]);
        twice += used_test[row]++;
        int group = class & request->normal   ? GROUP_NORMAL
                    : class & request->unseen ? GROUP_UNSEEN
                                              : GROUP_SEEN;
        misplaced += group != plan->test_groups[i];
    }
    free(used);
    CHECK_INT(twice, 0);
    CHECK_INT(misplaced, 0);
    CHECK_INT(counts[0], plan->train_normal);
    CHECK_INT(counts[1], plan->train_hidden);
    CHECK_INT(counts[2], plan->train_labeled);
    CHECK_INT(counts[3], plan->train_known);
}

TEST(the_papers_sizes_hold_for_every_normal_class_of_glyphs)
{
    AUTO_RAW_SET raw_set set = open_set("glyphs");
    set_cell cells[SET_CELLS_MAX];
    size_t count = set_cells(cells, set.about);
    CHECK_INT(count, 9);
    for (size_t i = 0; i < count; i++) {
        AUTO_SPLIT_PLAN split_plan plan = {0};
        split_request request = split_standard(set.about, cells[i].normal, i);
        CHECK_OK(split_draw(&plan, &set, &request));
        CHECK_INT(plan.train_normal, 4500);
        CHECK_INT(plan.train_hidden, 250);
        CHECK_INT(plan.train_labeled, 250);
        CHECK_INT(plan.test_rows_of[GROUP_NORMAL], 1000);
        CHECK_INT(plan.test_rows_of[GROUP_SEEN], 500);
        CHECK_INT(plan.test_rows_of[GROUP_UNSEEN], 500);
        CHECK(!plan.reduced);
        CHECK_NEAR(plan.alpha_u, 250.0 / 4750, 1e-12);
        CHECK_NEAR(plan.alpha_all, 0.1, 1e-12);
        expect_valid(&plan, &set, &request);
    }
}

TEST(the_same_seed_gives_the_same_split_and_another_seed_another)
{
    AUTO_RAW_SET raw_set set = open_set("glyphs");
    AUTO_SPLIT_PLAN split_plan first = {0}, second = {0}, third = {0};
    split_request request = split_standard(set.about, ONE(3), 7);
    CHECK_OK(split_draw(&first, &set, &request));
    CHECK_OK(split_draw(&second, &set, &request));
    request.seed = 8;
    CHECK_OK(split_draw(&third, &set, &request));
    CHECK(memcmp(first.train_rows, second.train_rows, 5000 * sizeof(uint32_t)) == 0);
    CHECK(memcmp(first.test_rows, second.test_rows, 2000 * sizeof(uint32_t)) == 0);
    CHECK(memcmp(first.train_rows, third.train_rows, 5000 * sizeof(uint32_t)) != 0);
    CHECK(memcmp(first.test_rows, third.test_rows, 2000 * sizeof(uint32_t)) != 0);
}

static size_t labeled_in_both(const split_plan *a, const split_plan *b)
{
    size_t count = 0;
    for (size_t i = 0; i < a->train_count; i++)
        for (size_t k = 0; a->train_labels[i] == PUAD_LABEL_ANOMALY && k < b->train_count; k++)
            count += b->train_labels[k] == PUAD_LABEL_ANOMALY && a->train_rows[i] == b->train_rows[k];
    return count;
}

TEST(contamination_changes_the_unlabeled_rows_and_keeps_the_labeled_ones)
{
    AUTO_RAW_SET raw_set set = open_set("glyphs");
    AUTO_SPLIT_PLAN split_plan standard = {0};
    split_request request = split_standard(set.about, ONE(1), 0);
    CHECK_OK(split_draw(&standard, &set, &request));
    const size_t hidden[] = {0, 125, 250, 500, 1000};
    for (int i = 0; i < 5; i++) {
        AUTO_SPLIT_PLAN split_plan plan = {0};
        request.train_hidden = hidden[i];
        request.train_normal = 4750 - hidden[i];
        CHECK_OK(split_draw(&plan, &set, &request));
        CHECK_INT(plan.train_count, 5000);
        CHECK_INT(plan.train_hidden, hidden[i]);
        CHECK_INT(plan.train_labeled, 250);
        CHECK_NEAR(plan.alpha_all, (250.0 + (double)hidden[i]) / 5000, 1e-12);
        CHECK_NEAR(plan.alpha_u, (double)hidden[i] / 4750, 1e-12);
        CHECK_INT(labeled_in_both(&plan, &standard), 250);
        expect_valid(&plan, &set, &request);
    }
}

TEST(too_few_rows_shrink_both_kinds_by_one_factor_and_mark_the_split)
{
    const set_row *about = NULL;
    CHECK_OK(set_find(&about, "mnist"));
    AUTO_RAW_SET raw_set set = made_up(about, (size_t[]){900, 300});
    AUTO_SPLIT_PLAN split_plan plan = {0};
    split_request request = split_standard(about, ONE(2), 0);
    CHECK_OK(split_draw(&plan, &set, &request)); /* 900 of 4500 normal rows: a fifth */
    CHECK(plan.reduced);
    CHECK_INT(plan.train_normal, 900);
    CHECK_INT(plan.train_hidden, 50);
    CHECK_INT(plan.train_labeled, 50);
    CHECK_NEAR(plan.alpha_u, 50.0 / 950, 1e-12);
    CHECK_NEAR(plan.alpha_all, 0.1, 1e-12);
    CHECK_INT(plan.test_rows_of[GROUP_NORMAL], 300);
    CHECK_INT(plan.test_rows_of[GROUP_SEEN], 500);
    CHECK_INT(plan.test_rows_of[GROUP_UNSEEN], 300);
    expect_valid(&plan, &set, &request);
}

TEST(the_scarcer_kind_decides_how_much_a_split_shrinks)
{
    const set_row *about = NULL;
    CHECK_OK(set_find(&about, "mnist"));
    AUTO_RAW_SET raw_set set = made_up(about, (size_t[]){50, 50});
    AUTO_SPLIT_PLAN split_plan plan = {0};
    split_request request = split_standard(about, SPAN(1, 8), 0); /* 400 normal rows, 50 seen ones */
    request.train_normal = 500;
    request.train_hidden = 60;
    request.train_labeled = 40;
    CHECK_OK(split_draw(&plan, &set, &request)); /* 4/5 of the normal rows, 1/2 of the anomalies */
    CHECK(plan.reduced);
    CHECK_INT(plan.train_normal, 250);
    CHECK_INT(plan.train_hidden, 30);
    CHECK_INT(plan.train_labeled, 20);
    CHECK_NEAR(plan.alpha_all, 50.0 / 300, 1e-12);
    expect_valid(&plan, &set, &request);
}

TEST(roles_may_be_chosen_freely_but_not_twice)
{
    AUTO_RAW_SET raw_set set = open_set("glyphs");
    AUTO_SPLIT_PLAN split_plan plan = {0};
    split_request request = split_standard(set.about, 0, 0);
    CHECK_OK(set_parse_classes(&request.normal, set.about, "2,bar"));
    CHECK_OK(set_parse_classes(&request.unseen, set.about, "7,8,WAVE"));
    CHECK_INT(request.normal, ONE(1) | ONE(2));
    CHECK_INT(request.unseen, SPAN(7, 9));
    request.train_known = 100;
    CHECK_OK(split_draw(&plan, &set, &request));
    CHECK_INT(plan.train_count, 5100);
    CHECK_INT(plan.train_known, 100);
    expect_valid(&plan, &set, &request);
    CHECK_FAILS(set_parse_classes(&request.normal, set.about, "1,10"), PUAD_INVALID, "'10'", "glyphs");
    AUTO_SPLIT_PLAN split_plan refused = {0};
    request.unseen = ONE(2);
    CHECK_FAILS(split_draw(&refused, &set, &request), PUAD_INVALID, "glyphs");
    request.normal = 0;
    CHECK_FAILS(split_draw(&refused, &set, &request), PUAD_INVALID, "glyphs");
    request = split_standard(set.about, SPAN(1, 9), 0); /* nothing left to be seen */
    CHECK_FAILS(split_draw(&refused, &set, &request), PUAD_INVALID, "glyphs", "54000", "0");
}

TEST(roles_of_cifar100_are_nature_people_and_six_others)
{
    const set_row *about = NULL;
    set_cell cells[SET_CELLS_MAX];
    CHECK_OK(set_find(&about, "cifar100"));
    CHECK_INT(set_cells(cells, about), 1);
    CHECK_TEXT(cells[0].name, "nature");
    CHECK_INT(__builtin_popcountll(cells[0].normal), 13);
    class_bits seen = SPAN(0, 19) & ~cells[0].normal & ~about->unseen, named = 0;
    CHECK_OK(set_parse_classes(&named, about,
                               "food containers,household electrical devices,household furniture,"
                               "large man-made outdoor things,vehicles 1,vehicles 2"));
    CHECK_INT(seen, named);
    CHECK_OK(set_parse_classes(&named, about, "people"));
    CHECK_INT(about->unseen, named);
}

TEST(rows_carry_the_pixels_and_labels_of_the_plan)
{
    AUTO_RAW_SET raw_set set = open_set("glyphs");
    AUTO_SPLIT split parts = {0};
    split_request request = split_standard(set.about, ONE(4), 1);
    request.train_normal = 45;
    request.train_hidden = request.train_labeled = 5;
    request.test_rows[GROUP_NORMAL] = 10;
    CHECK_OK(split_make(&parts, &set, &request));
    CHECK_INT(parts.train.rows, 55);
    CHECK_INT(parts.test.rows, 1010);
    CHECK_INT(parts.train.columns, 32 * 32);
    CHECK_INT(parts.train.channels, 1);
    CHECK_INT(parts.train.class_count, 10);
    CHECK_TEXT(parts.train.class_names[4], "tee");
    uint8_t pixels[32 * 32];
    size_t wrong = 0;
    for (size_t i = 0; i < parts.train.rows; i++) {
        raw_set_row(pixels, &set, PART_TRAIN, parts.plan.train_rows[i]);
        for (size_t p = 0; p < 32 * 32; p++)
            wrong += fabsf(parts.train.values[i * 1024 + p] - (float)pixels[p] / 255) > 1e-6f;
        CHECK_INT(parts.train.classes[i], set.parts[PART_TRAIN].classes[parts.plan.train_rows[i]]);
        CHECK_INT(parts.train.labels[i], parts.plan.train_labels[i]);
    }
    CHECK_INT(wrong, 0);
    for (size_t i = 0; i < parts.test.rows; i++)
        CHECK_INT(parts.test.labels[i], parts.plan.test_groups[i] != GROUP_NORMAL);
}
