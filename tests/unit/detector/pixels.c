/* Pixels of every type give the same images, and a model's images have the divisor of its training. */
#include "cli/library_values.h"
#include "test.h"

#include <puad/advanced.h>

enum { ROWS = 40, SIDE = 32, COUNT = ROWS * SIDE * SIDE };
static unsigned char bytes[COUNT];
static uint16_t words[COUNT];
static float shares[COUNT];
static double numbers[COUNT];
static int8_t labels[ROWS];
static float expected[ROWS], scores[ROWS];

static void make_pixels(void)
{
    for (int i = 0; i < COUNT; i++) {
        bytes[i] = (unsigned char)(i * 7 % 200 + (i < 4 * SIDE * SIDE ? 55 : 0));
        words[i] = (uint16_t)(bytes[i] * 257);
        shares[i] = (float)bytes[i] / 255.0F;
        numbers[i] = bytes[i];
    }
    for (int i = 0; i < ROWS; i++) labels[i] = i < 2;
}

TEST(pixels_of_every_type_are_the_same_images)
{
    const void *pixels[] = {bytes, words, shares, numbers};
    const float *first = NULL;
    puad_dataset *data[4] = {0};
    make_pixels();
    for (int i = 0; i < 4; i++) {
        CHECK_OK(puad_dataset_from_pixels(
            &data[i],
            &(puad_pixels){sizeof(puad_pixels), pixels[i], (puad_pixel)i, ROWS, SIDE, SIDE, 1, labels}, NULL,
            NULL));
        CHECK_INT(puad_dataset_count(data[i], PUAD_LABEL_ANOMALY), 2);
        if (!first) first = dataset_of(data[0]).values;
        for (int k = 0; k < COUNT; k++)
            if (fabsf(dataset_of(data[i]).values[k] - first[k]) > 1e-6F) TEST_FAIL("type %d, pixel %d", i, k);
    }
    for (int i = 0; i < 4; i++) puad_dataset_free(data[i]);
    CHECK_FAILS(puad_dataset_from_pixels(
                    &data[0],
                    &(puad_pixels){sizeof(puad_pixels), bytes, (puad_pixel)9, ROWS, SIDE, SIDE, 1, NULL},
                    NULL, NULL),
                PUAD_INVALID, "puad_pixel");
}

TEST(a_model_reads_pixels_as_those_of_its_training)
{
    puad_options *options = NULL;
    puad_dataset *train = NULL, *fresh = NULL;
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    make_pixels();
    CHECK_OK(puad_options_new(&options));
    CHECK_OK(puad_options_set(options, "method", "if"));
    CHECK_OK(puad_options_set(options, "force", "yes"));
    CHECK_OK(puad_dataset_from_pixels(
        &train, &(puad_pixels){sizeof(puad_pixels), numbers, PUAD_PIXEL_DOUBLE, ROWS, SIDE, SIDE, 1, labels},
        NULL, NULL));
    CHECK_OK(puad_detector_fit(&model, train, options));
    CHECK_OK(puad_scorer_new(&scorer, model, options));
    CHECK_OK(puad_scorer_run(scorer, expected, ROWS, train));
    CHECK_OK(puad_dataset_from_pixels(
        &fresh, &(puad_pixels){sizeof(puad_pixels), bytes, PUAD_PIXEL_U8, ROWS, SIDE, SIDE, 1, labels}, model,
        NULL));
    CHECK_OK(puad_scorer_run(scorer, scores, ROWS, fresh));
    CHECK(memcmp(scores, expected, sizeof scores) == 0);
    puad_dataset_free(fresh);
    CHECK_FAILS(puad_dataset_from_pixels(
                    &fresh,
                    &(puad_pixels){sizeof(puad_pixels), shares, PUAD_PIXEL_FLOAT, ROWS, SIDE, SIDE, 1, NULL},
                    model, NULL),
                PUAD_INVALID, "no pixel is above 1");
    numbers[5] = 100;
    CHECK_OK(puad_dataset_from_pixels(
        &fresh, &(puad_pixels){sizeof(puad_pixels), numbers, PUAD_PIXEL_DOUBLE, ROWS, SIDE, SIDE, 1, NULL},
        model, NULL));
    CHECK(dataset_of(fresh).labels == NULL);
    puad_dataset_free(fresh);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) numbers[i] = (double)(i % 17);
    CHECK_FAILS(puad_dataset_from_pixels(&fresh,
                                         &(puad_pixels){sizeof(puad_pixels), numbers, PUAD_PIXEL_DOUBLE, ROWS,
                                                        SIDE, SIDE, 1, labels},
                                         NULL, NULL),
                PUAD_INVALID, "brightest pixel is 16");
    numbers[5] = 300;
    CHECK_FAILS(puad_dataset_from_pixels(&fresh,
                                         &(puad_pixels){sizeof(puad_pixels), numbers, PUAD_PIXEL_DOUBLE, ROWS,
                                                        SIDE, SIDE, 1, NULL},
                                         model, NULL),
                PUAD_INVALID, "300");
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(train);
    puad_options_free(options);
}
