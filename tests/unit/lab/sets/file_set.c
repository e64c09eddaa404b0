/* A user's labeled file: the order of its classes, which numbers them in experiments and figures. */
#include "lab/sets/file_set.h"
#include "test.h"

#include <stdio.h>

static void check_order(const char *const *rows, size_t count, const char *expected)
{
    const file_set *file = NULL;
    FILE *to = fopen(test_path("order.csv"), "w");
    REQUIRE(to != NULL);
    fputs("value,label\n", to);
    for (size_t i = 0; i < 4 * count; i++) fprintf(to, "%zu.5,%s\n", i, rows[i % count]);
    fclose(to);
    CHECK_OK(file_set_open(&file, &(file_choice){.path = test_path("order.csv")}));
    CHECK_TEXT(file->about.class_names, expected);
}

TEST(classes_are_in_one_order_whatever_the_order_of_the_rows)
{
    static const char *const first[] = {"5x", "10", "9", "nan", "-3"},
                             *const second[] = {"9", "nan", "5x", "-3", "10"},
                             *const third[] = {"10", "-3", "9", "5x", "nan"};
    static const char expected[] = "-3|9|10|5x|nan"; /* numbers by value, then strings */
    check_order(first, 5, expected);
    check_order(second, 5, expected);
    check_order(third, 5, expected);
}
