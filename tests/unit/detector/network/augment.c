/* Random changes of training images. */
#include "detector/network/augment.h"
#include "test.h"

enum { SIDE = 8, ROWS = 400 };
static const shape gray = {SIDE, SIDE, 1};
static float images[ROWS * SIDE * SIDE];
static int8_t labels[ROWS];

/* Noise with a bright line, left of the middle in the images of `left`, else on either side. */
static void draw(bool left)
{
    rng draws = rng_make(1, rng_stream("images", left));
    for (size_t i = 0; i < ROWS; i++) {
        float *image = images + i * SIDE * SIDE;
        for (size_t j = 0; j < SIDE * SIDE; j++) image[j] = (float)rng_uniform(&draws);
        size_t line = left || rng_below(&draws, 2) ? 1 : SIDE - 2;
        for (size_t y = 0; y < SIDE; y++) image[y * SIDE + line] += 1;
    }
}

static const train_images all = {images, labels, ROWS, {SIDE, SIDE, 1}};

TEST(asymmetric_images_are_not_mirrored)
{
    augment_kind kind;
    draw(true);
    CHECK_OK(augment_choose(&kind, &all));
    CHECK_INT(kind, AUGMENT_SHIFT);
    draw(false);
    CHECK_OK(augment_choose(&kind, &all));
    CHECK_INT(kind, AUGMENT_FLIP);
    CHECK_OK(augment_choose(&kind, &(train_images){images, labels, 10, gray})); /* too few to decide */
    CHECK_INT(kind, AUGMENT_SHIFT);
}

TEST(a_shift_moves_all_pixels_by_the_same_distance)
{
    float image[SIDE * SIDE] = {0}, moved[SIDE * SIDE];
    image[3 * SIDE + 4] = 1;
    bool moves = false;
    for (uint64_t seed = 0; seed < 50; seed++) {
        rng draws = rng_make(seed, 0);
        size_t bright = 0;
        augment_image(moved, image, gray, (image_change){AUGMENT_SHIFT, 0}, &draws);
        for (size_t i = 0; i < SIDE * SIDE; i++) bright += moved[i] == 1;
        CHECK(bright <= 4); /* once, and again where the border reflects it */
        moves |= moved[3 * SIDE + 4] != 1;
    }
    CHECK(moves);
}

TEST(mirror_images_are_drawn_half_of_the_time)
{
    float image[SIDE * SIDE], moved[SIDE * SIDE];
    size_t mirrored = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++) image[i] = (float)(i % SIDE);
    for (uint64_t seed = 0; seed < 400; seed++) {
        rng draws = rng_make(seed, 0);
        augment_image(moved, image, gray, (image_change){AUGMENT_FLIP, 0}, &draws);
        mirrored += moved[SIDE / 2] < moved[SIDE / 2 - 1];
    }
    CHECK(mirrored > 140 && mirrored < 260);
}

TEST(turns_that_change_nothing_are_left_out)
{
    turn_set turns;
    draw(false);
    CHECK_OK(augment_turns(&turns, &all)); /* a half turn moves the line to the other side, where it may be */
    CHECK_INT(turns.count, 2);
    CHECK(turns.turns[0] == 1 && turns.turns[1] == 3);
    draw(true);
    CHECK_OK(augment_turns(&turns, &all));
    CHECK_INT(turns.count, 3);
    CHECK_OK(augment_turns(&turns, &(train_images){images, labels, 10, gray})); /* too few to decide */
    CHECK_INT(turns.count, 0);
}

TEST(a_turn_rotates_the_image_by_a_quarter)
{
    float image[SIDE * SIDE], once[SIDE * SIDE], twice[SIDE * SIDE], back[SIDE * SIDE];
    const image_change quarter = {AUGMENT_NONE, 1}, half = {AUGMENT_NONE, 2};
    rng draws = rng_make(1, 0);
    for (size_t i = 0; i < SIDE * SIDE; i++) image[i] = (float)i;
    augment_image(once, image, gray, quarter, &draws);
    augment_image(twice, once, gray, quarter, &draws);
    augment_image(back, twice, gray, half, &draws);
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++) {
            CHECK_NEAR((double)once[y * SIDE + x], (double)image[x * SIDE + SIDE - 1 - y], 0);
            CHECK_NEAR((double)back[y * SIDE + x], (double)image[y * SIDE + x], 0);
        }
}

TEST(the_given_part_of_images_is_turned)
{
    const turn_set turns = {{1, 3}, 2}, none = {{0}, 0};
    size_t drawn[4] = {0};
    rng draws = rng_make(2, 0);
    for (int i = 0; i < 3000; i++) drawn[augment_draw_turn(&turns, 0.4, &draws)]++;
    CHECK(drawn[0] > 1700 && drawn[0] < 1900 && drawn[2] == 0);
    CHECK(drawn[1] > 500 && drawn[3] > 500);
    CHECK_INT(augment_draw_turn(&none, 1, &draws), 0);
}
