/* Random trees: they separate classes, out-of-bag scores exclude a tree's bag, the bits are the same for
 * any team, and invalid trees are rejected. */
#include "detector/forest/random_trees.h"

#include "base/rng.h"
#include "detector/forest/tree_bag.h"
#include "test.h"

#include <math.h>

enum { ROWS = 600, COLUMNS = 4, POSITIVES = 40 };

/* The first POSITIVES rows are moved away in one column. */
static trees_plan make_plan(float *values, uint32_t *numbers)
{
    rng draws = rng_make(1, rng_stream("rows", 0));
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = (float)rng_normal(&draws);
    for (int i = 0; i < POSITIVES; i++) values[i * COLUMNS + 2] += 4;
    for (uint32_t i = 0; i < ROWS; i++) numbers[i] = i;
    return (trees_plan){.values = values,
                        .columns = COLUMNS,
                        .positives = numbers,
                        .positive_count = POSITIVES,
                        .negatives = numbers + POSITIVES,
                        .negative_count = ROWS - POSITIVES,
                        .trees = 50,
                        .sample = 100,
                        .seed = 3,
                        .stream = "test"};
}

TEST(positives_score_above_negatives)
{
    float values[ROWS * COLUMNS], scores[ROWS];
    uint32_t numbers[ROWS];
    trees_plan plan = make_plan(values, numbers);
    AUTO_TREES random_trees forest = {0};
    CHECK_OK(random_trees_grow(&forest, &plan, NULL));
    CHECK_OK(random_trees_check(&forest));
    CHECK_OK(random_trees_out_of_bag(scores, &forest, &plan, numbers, ROWS, NULL));
    double better = 0;
    for (int i = 0; i < POSITIVES; i++)
        for (int j = POSITIVES; j < ROWS; j++) better += scores[i] > scores[j];
    CHECK(better / (POSITIVES * (ROWS - POSITIVES)) > 0.98);
}

TEST(columns_before_the_first_are_not_tested)
{
    float values[ROWS * COLUMNS];
    uint32_t numbers[ROWS];
    for (size_t first = 0; first < COLUMNS; first++) {
        trees_plan plan = make_plan(values, numbers);
        AUTO_TREES random_trees forest = {0};
        bool tested[COLUMNS] = {0};
        plan.first_column = first;
        CHECK_OK(random_trees_grow(&forest, &plan, NULL));
        for (size_t i = 0; i < forest.nodes; i++)
            if (forest.feature[i] >= 0) tested[forest.feature[i]] = true;
        for (size_t c = 0; c < COLUMNS; c++) CHECK(tested[c] == (c >= first));
    }
}

TEST(out_of_bag_scores_are_those_of_the_other_trees)
{
    float values[ROWS * COLUMNS], scores[ROWS];
    uint32_t numbers[ROWS];
    trees_plan plan = make_plan(values, numbers);
    AUTO_TREES random_trees forest = {0};
    AUTO_ARENA arena memory = {0};
    tree_bag bag;
    CHECK_OK(random_trees_grow(&forest, &plan, NULL));
    CHECK_OK(random_trees_out_of_bag(scores, &forest, &plan, numbers, ROWS, NULL));
    CHECK_OK(tree_bag_new(&bag, &plan, &memory));
    uint32_t row = 77;
    double sum = 0;
    int count = 0;
    for (size_t tree = 0; tree < forest.trees; tree++) {
        tree_bag_draw(&bag, &plan, tree);
        bool in = false;
        for (size_t i = 0; i < bag.rows; i++) in |= bag.numbers[i] == row;
        if (in) continue;
        uint32_t node = forest.root[tree];
        while (forest.feature[node] >= 0)
            node = forest.child[node] +
                   (values[row * COLUMNS + (uint32_t)forest.feature[node]] > forest.threshold[node]);
        sum += (double)forest.threshold[node];
        count++;
    }
    CHECK(count > 0 && count < 50);
    CHECK_NEAR((double)scores[row], sum / count, 1e-6);
}

TEST(a_bag_has_no_negative_row_twice_and_does_not_depend_on_the_one_before)
{
    float values[ROWS * COLUMNS];
    uint32_t numbers[ROWS], first[ROWS];
    trees_plan plan = make_plan(values, numbers);
    AUTO_ARENA arena memory = {0};
    tree_bag bag;
    CHECK_OK(tree_bag_new(&bag, &plan, &memory));
    tree_bag_draw(&bag, &plan, 5);
    CHECK_INT(bag.rows, POSITIVES + 100);
    CHECK_INT(bag.positives, POSITIVES);
    uint8_t seen[ROWS] = {0};
    for (size_t i = bag.positives; i < bag.rows; i++) {
        CHECK(!seen[bag.numbers[i]] && bag.numbers[i] >= POSITIVES);
        seen[bag.numbers[i]] = 1;
    }
    memcpy(first, bag.numbers, bag.rows * sizeof *first);
    tree_bag_draw(&bag, &plan, 6);
    CHECK(memcmp(first, bag.numbers, bag.rows * sizeof *first) != 0);
    tree_bag_draw(&bag, &plan, 5);
    CHECK(memcmp(first, bag.numbers, bag.rows * sizeof *first) == 0);
}

TEST(one_and_three_threads_give_the_same_bits)
{
    float values[ROWS * COLUMNS], scores[2][ROWS];
    uint32_t numbers[ROWS];
    trees_plan plan = make_plan(values, numbers);
    for (int i = 0; i < 2; i++) {
        AUTO_TREES random_trees forest = {0};
        AUTO_TEAM team *workers = NULL;
        CHECK_OK(team_new(&workers, i ? 3 : 1));
        CHECK_OK(random_trees_grow(&forest, &plan, workers));
        random_trees_score(scores[i], &forest, values, ROWS, workers);
    }
    CHECK(memcmp(scores[0], scores[1], sizeof scores[0]) == 0);
}

TEST(forests_put_together_score_as_their_mean)
{
    float values[ROWS * COLUMNS], one[ROWS], other[ROWS], both[ROWS];
    uint32_t numbers[ROWS];
    trees_plan plan = make_plan(values, numbers);
    AUTO_TREES random_trees first = {0}, second = {0}, all = {0};
    CHECK_OK(random_trees_grow(&first, &plan, NULL));
    plan.seed++;
    CHECK_OK(random_trees_grow(&second, &plan, NULL));
    CHECK_OK(random_trees_append(&all, &first, first.trees));
    CHECK_OK(random_trees_append(&all, &second, second.trees));
    CHECK_OK(random_trees_check(&all));
    random_trees_score(one, &first, values, ROWS, NULL);
    random_trees_score(other, &second, values, ROWS, NULL);
    random_trees_score(both, &all, values, ROWS, NULL);
    for (int i = 0; i < ROWS; i++) CHECK_NEAR((double)both[i], (double)(one[i] + other[i]) / 2, 1e-6);
}

TEST(one_row_of_each_class_and_constant_columns_make_a_forest)
{
    float values[4] = {1, 5, 2, 5}, scores[2];
    uint32_t numbers[2] = {0, 1};
    trees_plan plan = {.values = values,
                       .columns = 2,
                       .positives = numbers,
                       .positive_count = 1,
                       .negatives = numbers + 1,
                       .negative_count = 1,
                       .trees = 10,
                       .sample = 256,
                       .stream = "test"};
    AUTO_TREES random_trees forest = {0}, same = {0};
    CHECK_OK(random_trees_grow(&forest, &plan, NULL));
    random_trees_score(scores, &forest, values, 2, NULL);
    CHECK_NEAR((double)scores[0], 1, 0);
    CHECK_NEAR((double)scores[1], 0, 0);
    values[2] = 1; /* nothing distinguishes them */
    CHECK_OK(random_trees_grow(&same, &plan, NULL));
    random_trees_score(scores, &same, values, 2, NULL);
    CHECK_NEAR((double)scores[0], 0.5, 0);
}

TEST(arrays_that_no_fit_creates_are_rejected)
{
    float values[ROWS * COLUMNS];
    uint32_t numbers[ROWS];
    trees_plan plan = make_plan(values, numbers);
    AUTO_TREES random_trees forest = {0};
    CHECK_OK(random_trees_grow(&forest, &plan, NULL));
    uint32_t child = forest.child[0];
    forest.child[0] = 0; /* a walk that would never end */
    CHECK_FAILS(random_trees_check(&forest), PUAD_FORMAT, "node 0");
    forest.child[0] = (uint32_t)forest.nodes;
    CHECK_FAILS(random_trees_check(&forest), PUAD_FORMAT, "node 0");
    forest.child[0] = child;
    forest.feature[0] = COLUMNS;
    CHECK_FAILS(random_trees_check(&forest), PUAD_FORMAT, "node 0");
    forest.feature[0] = 0;
    forest.threshold[0] = NAN;
    CHECK_FAILS(random_trees_check(&forest), PUAD_FORMAT, "node 0");
    forest.threshold[0] = 0;
    forest.root[1] = 0;
    CHECK_FAILS(random_trees_check(&forest), PUAD_FORMAT, "tree 0");
}
