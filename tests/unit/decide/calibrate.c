/* Which rows are held out: a fraction, and the same ones the next time. */
#include "decide/calibrate.h"
#include "test.h"

enum { ROWS = 1000, COLUMNS = 2 };
static float values[ROWS * COLUMNS];
static int8_t labels[ROWS];

static puad_status part(calibration_parts *out, size_t rows, uint64_t seed, const uint8_t *asked,
                        const uint8_t *before)
{
    labeled_rows data = {values, labels, rows, 1, 1, COLUMNS, NULL};
    fit_options options = fit_options_standard();
    options.seed = seed;
    calibration_plan plan = {.share = 0.2, .asked = asked, .before = before};
    return calibration_part(out, &data, &options, &plan);
}

TEST(rows_held_out_before_are_held_out_again)
{
    AUTO_PARTS calibration_parts first = {0}, again = {0};
    uint8_t before[ROWS] = {0}, asked[ROWS] = {0};
    CHECK_OK(part(&first, ROWS, 3, NULL, NULL));
    CHECK_INT(first.unlabeled, 200);
    for (size_t i = 0; i < first.unlabeled; i++) before[first.held[i]] = CALIBRATION_HELD_BEFORE;
    asked[first.held[0]] = 1;                       /* a reviewer was asked about one of them */
    CHECK_OK(part(&again, ROWS, 4, asked, before)); /* another seed draws in another order */
    CHECK_INT(again.unlabeled, 200);
    size_t same = 0;
    for (size_t i = 0; i < again.unlabeled; i++) {
        same += before[again.held[i]] == CALIBRATION_HELD_BEFORE;
        CHECK(again.held[i] != first.held[0]);
    }
    CHECK_INT(same, 199);
}

TEST(missing_held_out_rows_are_replaced_by_new_rows)
{
    AUTO_PARTS calibration_parts first = {0}, again = {0};
    uint8_t before[ROWS] = {0};
    CHECK_OK(part(&first, 900, 3, NULL, NULL));
    for (size_t i = 0; i < first.unlabeled; i++) before[first.held[i]] = CALIBRATION_HELD_BEFORE;
    for (size_t i = 900; i < ROWS; i++) before[i] = CALIBRATION_NEW;
    CHECK_OK(part(&again, ROWS, 3, NULL, before));
    size_t held = 0, fresh = 0;
    for (size_t i = 0; i < again.unlabeled; i++) {
        held += before[again.held[i]] == CALIBRATION_HELD_BEFORE;
        fresh += before[again.held[i]] == CALIBRATION_NEW;
    }
    CHECK_INT(held, 180);
    CHECK_INT(fresh, 20);
}
