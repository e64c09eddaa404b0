/* Rows that are unusual for the same reasons form one group, which states them. */
#include "base/rng.h"
#include "cli/library_values.h"
#include "test.h"

#include <puad/advanced.h>

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
    CHECK_OK(puad_dataset_from_table(out, table, NULL, NULL));
    puad_table_free(table);
}

static bool is_early(const puad_reason *first, const puad_reason *second)
{
    const puad_reason *hour = strcmp(first->column, "hour") == 0 ? first : second;
    return hour->column && strcmp(hour->column, "hour") == 0 && hour->value > 1.5 && hour->value < 4;
}

static bool is_at_pier(const puad_reason *first, const puad_reason *second)
{
    const puad_reason *place = strcmp(first->column, "place") == 0 ? first : second;
    return place->category && strcmp(place->category, "pier") == 0;
}

TEST(rows_of_one_kind_form_a_group_with_its_reasons)
{
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    puad_groups *groups = NULL;
    make(&data);
    CHECK_OK(puad_detector_fit(&model, data, NULL));
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    CHECK_OK(puad_groups_find(&groups, scorer, dataset_of(data).values, ODD, dataset_of(data).columns));
    CHECK(puad_groups_count(groups) >= 3);
    bool large = false, small = false, early = false;
    size_t sum = 0, before = 0;
    for (size_t g = 0; g < puad_groups_count(groups); g++) {
        puad_group group = {.struct_size = sizeof group};
        puad_reason first = {.struct_size = sizeof first}, second = first;
        CHECK_OK(puad_groups_at(groups, &group, g));
        size_t kind = group.example / 10;
        CHECK(g == 0 || group.rows <= before);
        before = group.rows;
        CHECK_INT(puad_groups_of_row(groups, group.example), g);
        sum += group.rows;
        if (group.rows < 8) continue;
        REQUIRE(group.reasons >= 1);
        CHECK_OK(puad_groups_reason(groups, &first, g, 0));
        CHECK(first.contribution > 0 && first.contribution <= 1);
        if (group.reasons > 1) {
            CHECK_OK(puad_groups_reason(groups, &second, g, 1));
            CHECK(second.contribution <= first.contribution);
        }
        CHECK_FAILS(puad_groups_reason(groups, &second, g, 99), PUAD_INVALID, "99");
        for (size_t i = 0; i < ODD; i++)
            if (puad_groups_of_row(groups, i) == g) CHECK_INT(i / 10, kind);
        large |= kind == 0 && strcmp(first.column, "amount") == 0 && first.value > first.typical.high;
        small |= kind == 1 && strcmp(first.column, "amount") == 0 && first.value < first.typical.low;
        early |= kind == 2 && is_early(&first, &second) && is_at_pier(&first, &second);
    }
    CHECK_INT(sum, ODD);
    CHECK(large);
    CHECK(small);
    CHECK(early);
    puad_groups_free(groups);
    CHECK_FAILS(puad_groups_find(&groups, scorer, dataset_of(data).values, 2000, dataset_of(data).columns),
                PUAD_INVALID, "2000", "1000");
    puad_groups_free(groups);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(data);
}
