/* Rows are found by value wherever they are, each once. */
#include "dataset/row_keys.h"
#include "test.h"

TEST(keys_distinguish_rows)
{
    float rows[4][2] = {{1, 2}, {2, 1}, {1, 2}, {0, 0}};
    CHECK(row_key(rows[0], 2) == row_key(rows[2], 2));
    CHECK(row_key(rows[0], 2) != row_key(rows[1], 2) && row_key(rows[3], 2) != row_key(rows[3], 1));
}

TEST(rows_are_found_at_their_old_or_new_place)
{
    uint64_t keys[] = {5, 7, 7, 9, 7, 3};
    AUTO_FINDER row_finder in = {0};
    CHECK_OK(row_finder_new(&in, keys, 6));
    uint64_t wanted[] = {9, 7, 8, 7, 5};
    uint32_t was[] = {0, 2, 1, 17, 0};
    size_t places[5];
    CHECK_INT(row_finder_find(places, &in, wanted, was, 5), 4);
    CHECK(places[0] == 3 && places[1] == 2 && places[2] == SIZE_MAX && places[3] == 1 && places[4] == 0);
    CHECK_INT(row_finder_find(places, &in, wanted, was, 2), 1); /* the last 7; there is no other 9 */
    CHECK(places[0] == SIZE_MAX && places[1] == 4);
    CHECK_INT(row_finder_find(places, &in, wanted, was, 5), 0);
}

TEST(rows_that_are_taken_are_not_found)
{
    uint64_t keys[] = {1, 1, 1};
    AUTO_FINDER row_finder in = {0};
    CHECK_OK(row_finder_new(&in, keys, 3));
    in.taken[0] = in.taken[2] = 1;
    size_t places[2];
    CHECK_INT(row_finder_find(places, &in, (uint64_t[]){1, 1}, (uint32_t[]){0, 2}, 2), 1);
    CHECK(places[0] == 1 && places[1] == SIZE_MAX);
}

TEST(many_identical_rows_are_found_quickly)
{
    enum { ROWS = 200000 };
    uint64_t *keys = calloc(ROWS, sizeof *keys);
    uint32_t *was = malloc(ROWS * sizeof *was);
    size_t *places = malloc(ROWS * sizeof *places);
    for (size_t i = 0; i < ROWS; i++) was[i] = ROWS;
    AUTO_FINDER row_finder in = {0};
    CHECK_OK(row_finder_new(&in, keys, ROWS));
    CHECK_INT(row_finder_find(places, &in, keys, was, ROWS), ROWS);
    CHECK(places[0] == 0 && places[ROWS - 1] == ROWS - 1);
    free(keys);
    free(was);
    free(places);
}
