/* The settings of the trees of a PU forest, and how they are chosen. */
#include "detector/forest/tree_growth.h"

#include "base/rng.h"
#include "test.h"

#include <math.h>

TEST(evidence_counts_the_unlabeled_rows_above_a_label)
{
    float unlabeled[] = {0.1F, NAN, 0.3F, 0.2F, 0.4F}, above = 0.9F, tied = 0.3F, none = NAN;
    double evidence;
    CHECK_OK(tree_growth_evidence(&evidence, &above, 1, unlabeled, 5));
    CHECK_NEAR(evidence, -log(0.5 / 5), 1e-12);
    CHECK_OK(tree_growth_evidence(&evidence, &tied, 1, unlabeled, 5));
    CHECK_NEAR(evidence, -log(2.0 / 5), 1e-12); /* one above, half of the equal one, and 1/2 */
    CHECK_OK(tree_growth_evidence(&evidence, &none, 1, unlabeled, 5));
    CHECK_NEAR(evidence, 0, 0);
}

TEST(without_evidence_most_trees_have_the_usual_setting)
{
    double fractions[TREE_GROWTHS];
    tree_growth_fractions(fractions, (double[TREE_GROWTHS]){0, 0, 0});
    CHECK(fractions[0] > 0.5);
    CHECK_NEAR(fractions[0] + fractions[1] + fractions[2], 1, 1e-12);
}

TEST(strong_evidence_decides_on_one_setting)
{
    double fractions[TREE_GROWTHS];
    tree_growth_fractions(fractions, (double[TREE_GROWTHS]){100, 100, 150});
    CHECK_NEAR(fractions[2], 1, 0);
    tree_growth_fractions(fractions, (double[TREE_GROWTHS]){100, -INFINITY, -INFINITY});
    CHECK_NEAR(fractions[0], 1, 0);
}

enum { ROWS = 400, POSITIVES = 100 };

/* Trees on one column, in which the classes overlap. */
static puad_status grow(random_trees *out, float *values, size_t leaf, bool between_rows)
{
    static uint32_t numbers[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) numbers[i] = i;
    trees_plan plan = {.values = values,
                       .columns = 1,
                       .positives = numbers,
                       .positive_count = POSITIVES,
                       .negatives = numbers + POSITIVES,
                       .negative_count = ROWS - POSITIVES,
                       .trees = 20,
                       .sample = ROWS - POSITIVES,
                       .leaf = leaf,
                       .between_rows = between_rows,
                       .seed = 1,
                       .stream = "test"};
    return random_trees_grow(out, &plan, NULL);
}

TEST(leaves_have_the_minimum_number_of_rows)
{
    float values[ROWS];
    rng draws = rng_make(1, 0);
    for (int i = 0; i < ROWS; i++) values[i] = (float)rng_uniform(&draws);
    AUTO_TREES random_trees fine = {0}, coarse = {0};
    CHECK_OK(grow(&fine, values, 1, false));
    CHECK_OK(grow(&coarse, values, 5, false));
    CHECK((coarse.nodes + coarse.trees) / 2 <= coarse.trees * ROWS / 5); /* leaves */
    CHECK((fine.nodes + fine.trees) / 2 > fine.trees * ROWS / 5);
}

/* With thresholds uniform over the range, the deepest level is reached before the classes are apart. */
TEST(thresholds_between_rows_divide_a_column_with_a_heavy_tail)
{
    float values[ROWS], scores[2][ROWS];
    size_t wrong[2] = {0};
    for (int i = 0; i < ROWS; i++) values[i] = powf(2, (float)(i % 100)) * (i < POSITIVES ? 1 : 1.5F);
    for (int between = 0; between < 2; between++) {
        AUTO_TREES random_trees forest = {0};
        CHECK_OK(grow(&forest, values, 1, between));
        random_trees_score(scores[between], &forest, values, ROWS, NULL);
        for (int i = 0; i < ROWS; i++) wrong[between] += (scores[between][i] > 0.5F) != (i < POSITIVES);
    }
    CHECK(wrong[1] < wrong[0]);
}
