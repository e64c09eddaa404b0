/* ADBench's splits row by row: the expected numbers are those of NumPy 2 and scikit-learn
 * (numpy.random.RandomState(2), train_test_split(test_size=0.3, stratify=y), 5% labeled). */
#include "lab/sets/adbench.h"
#include "lab/sets/numpy_random.h"
#include "test.h"

#include <stdio.h>

TEST(the_generator_draws_what_numpy_draws)
{
    static const uint32_t order[] = {7, 2, 1, 6, 0, 4, 3, 5}, below[] = {175, 196, 537, 502, 579, 211};
    uint32_t drawn[8];
    numpy_random state = numpy_random_make(1);
    numpy_random_permutation(&state, drawn, 8);
    for (size_t i = 0; i < 8; i++) CHECK_INT(drawn[i], order[i]);
    state = numpy_random_make(7);
    for (size_t i = 0; i < 6; i++) CHECK_INT(numpy_random_interval(&state, 999), below[i]);
}

/* Rows with their number as the only column; every seventh is an anomaly. */
static const file_set *numbered(size_t rows)
{
    char name[32];
    const file_set *file = NULL;
    snprintf(name, sizeof name, "rows%zu.csv", rows);
    FILE *stream = fopen(test_path(name), "w");
    if (!stream) return NULL;
    fputs("value,other,label\n", stream);
    for (size_t i = 0; i < rows; i++) fprintf(stream, "%zu.5,%zu,%d\n", i, i * i % 13, i % 7 == 3);
    fclose(stream);
    return file_set_open(&file, &(file_choice){.path = test_path(name)}) == PUAD_OK ? file : NULL;
}

typedef struct expected {
    size_t rows, train_count, train[4], test[4], train_sum, test_sum;
    size_t labeled, labeled_sum, published, published_sum;
} expected;

static void check_labels(const file_set *file, bool published, size_t count, size_t sum)
{
    AUTO_SPLIT split made = {0};
    size_t found = 0;
    CHECK_OK(adbench_split(&made, file, &(adbench_request){ONE(0), 0.05, published, 2}));
    for (size_t i = 0; i < made.plan.train_count; i++)
        if (made.plan.train_labels[i] == PUAD_LABEL_ANOMALY) found += made.plan.train_rows[i];
    CHECK_INT(made.plan.train_labeled, count);
    CHECK_INT(found, sum);
}

TEST(splits_have_the_rows_of_scikit_learn)
{
    static const expected all[] = {
        {40, 700, {14, 22, 37, 37}, {37, 6, 38, 14}, 13902, 5746, 1, 31, 5, 141},
        {1203, 842, {619, 1017, 1051, 738}, {954, 1115, 1201, 97}, 501361, 221642, 7, 4508, 6, 3714},
        {12000,
         7000,
         {665, 3114, 761, 2748},
         {3026, 2764, 5219, 7609},
         42106562,
         17893513,
         60,
         350040,
         51,
         289687}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const expected *want = &all[k];
        const file_set *file = numbered(want->rows);
        AUTO_SPLIT split made = {0};
        size_t train_sum = 0, test_sum = 0, hidden = 0;
        REQUIRE(file != NULL);
        CHECK_OK(adbench_split(&made, file, &(adbench_request){ONE(0), 0.05, false, 2}));
        CHECK_INT(made.plan.train_count, want->train_count);
        for (size_t i = 0; i < 4; i++) CHECK_INT(made.plan.train_rows[i], want->train[i]);
        for (size_t i = 0; i < 4; i++) CHECK_INT(made.plan.test_rows[i], want->test[i]);
        for (size_t i = 0; i < made.plan.train_count; i++) train_sum += made.plan.train_rows[i];
        for (size_t i = 0; i < made.plan.test_count; i++) test_sum += made.plan.test_rows[i];
        for (size_t i = 0; i < made.plan.train_count; i++)
            hidden += made.plan.train_rows[i] % 7 == 3 && made.plan.train_labels[i] == 0;
        CHECK_INT(train_sum, want->train_sum);
        CHECK_INT(test_sum, want->test_sum);
        CHECK_INT(made.plan.train_hidden, hidden);
        check_labels(file, false, want->labeled, want->labeled_sum);
        check_labels(file, true, want->published, want->published_sum);
    }
}

TEST(number_columns_are_standardized_by_the_training_rows)
{
    const file_set *file = numbered(1203);
    AUTO_SPLIT split made = {0};
    double sum = 0, squares = 0;
    REQUIRE(file != NULL);
    CHECK_OK(adbench_split(&made, file, &(adbench_request){ONE(0), 0.05, false, 2}));
    for (size_t i = 0; i < made.train.rows; i++) {
        double value = (double)made.train.values[i * made.train.columns];
        sum += value;
        squares += value * value;
    }
    double rows = (double)made.train.rows, mean = sum / rows;
    CHECK_NEAR(mean, 0, 1e-5);
    CHECK_NEAR(squares / rows - mean * mean, 0.0625, 1e-4); /* TABLE_SCALE squared */
}
