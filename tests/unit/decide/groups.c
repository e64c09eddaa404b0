/* Rows that stand out for the same reasons are one group, and the group says which. */
#include "base/rng.h"
#include "test.h"

#include <puad/puad.h>

enum { ROWS = 900, ODD = 30 };
static double amounts[ROWS], hours[ROWS], calm[ROWS];
static const char *places[ROWS];

/* Rows 0 to 9 have a large amount, 10 to 19 a small one, 20 to 29 an early hour in a rare place. */
static void make(puad_dataset **out)
{
    rng draws = rng_make(3, rng_stream("groups", 0));
    puad_table *table = NULL;
    for (int i = 0; i < ROWS; i++) {
        amounts[i] = 100 + 5 * rng_normal(&draws) + (i < 10 ? 60 : i < 20 ? -60 : 0);
        hours[i] = 12 + rng_normal(&draws) - (i >= 20 && i < ODD ? 9 : 0);
        calm[i] = rng_normal(&draws);
        places[i] = i >= 20 && i < ODD ? "pier" : i % 3 ? "home" : "office";
    }
    CHECK_OK(puad_table_new(&table, ROWS));
    CHECK_OK(puad_table_add_doubles(table, "amount", amounts, 0));
    CHECK_OK(puad_table_add_doubles(table, "hour", hours, 0));
    CHECK_OK(puad_table_add_doubles(table, "calm", calm, 0));
    CHECK_OK(puad_table_add_texts(table, "place", places, 0));
    CHECK_OK(puad_dataset_from_table(out, table, NULL));
    puad_table_free(table);
}

TEST(rows_of_one_kind_are_one_group_that_says_what_makes_it_special)
{
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    puad_groups *groups = NULL;
    make(&data);
    CHECK_OK(puad_detector_fit(&model, data, NULL));
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    CHECK_OK(puad_groups_find(&groups, scorer, puad_dataset_values(data), ODD, puad_dataset_columns(data)));
    CHECK(puad_groups_count(groups) >= 3);
    bool large = false, small = false, early = false;
    size_t sum = 0;
    for (size_t g = 0; g < puad_groups_count(groups); g++) {
        size_t example = puad_groups_example(groups, g), kind = example / 10;
        char text[200], more[200];
        CHECK(g == 0 || puad_groups_size(groups, g) <= puad_groups_size(groups, g - 1));
        CHECK_INT(puad_groups_of(groups, example), g);
        sum += puad_groups_size(groups, g);
        if (puad_groups_size(groups, g) < 8) continue;
        double share = puad_groups_share(groups, g, 0);
        CHECK(puad_groups_column(groups, g, 0) < puad_detector_column_count(model));
        CHECK(puad_groups_column(groups, g, 99) == SIZE_MAX);
        CHECK(share > 0 && share <= 1 && !(puad_groups_share(groups, g, 1) > share));
        CHECK_OK(puad_groups_reason(text, sizeof text, groups, g, 0));
        CHECK_OK(puad_groups_reason(more, sizeof more, groups, g, 1));
        for (size_t i = 0; i < ODD; i++)
            if (puad_groups_of(groups, i) == g) CHECK_INT(i / 10, kind);
        large |= kind == 0 && strncmp(text, "amount: 1", 9) == 0 && strstr(text, ", usual 1");
        small |= kind == 1 && strncmp(text, "amount: 4", 9) == 0;
        early |= kind == 2 && (strstr(text, "place: pier") || strstr(more, "place: pier")) &&
                 (strstr(text, "hour: 3") || strstr(more, "hour: 3") || strstr(text, "hour: 2") ||
                  strstr(more, "hour: 2"));
    }
    CHECK_INT(sum, ODD);
    CHECK(large);
    CHECK(small);
    CHECK(early);
    puad_groups_free(groups);
    CHECK_FAILS(
        puad_groups_find(&groups, scorer, puad_dataset_values(data), 2000, puad_dataset_columns(data)),
        PUAD_INVALID, "2000", "1000");
    puad_groups_free(groups);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(data);
}
