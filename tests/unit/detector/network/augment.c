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

TEST(asymmetric_images_are_not_mirrored)
{
    augment_kind kind;
    draw(true);
    CHECK_OK(augment_choose(&kind, images, labels, ROWS, gray));
    CHECK_INT(kind, AUGMENT_SHIFT);
    draw(false);
    CHECK_OK(augment_choose(&kind, images, labels, ROWS, gray));
    CHECK_INT(kind, AUGMENT_FLIP);
    CHECK_OK(augment_choose(&kind, images, labels, 10, gray)); /* too few to decide */
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
        augment_image(moved, image, gray, AUGMENT_SHIFT, &draws);
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
        augment_image(moved, image, gray, AUGMENT_FLIP, &draws);
        mirrored += moved[SIDE / 2] < moved[SIDE / 2 - 1];
    }
    CHECK(mirrored > 140 && mirrored < 260);
}
