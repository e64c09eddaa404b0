/* Shifts and mirrors images, and tests whether images may be mirrored. */
#include "detector/network/augment.h"

#include "base/memory.h"

#include <string.h>

enum { SHIFT_MOST = 4, ROWS_TESTED = 2000, ROWS_FOR_TEST = 40 };

/* If a linear rule recognizes more mirror images than this fraction of unseen ones, left and right differ. */
static const double side_matters = 0.6;

static const char *const names[] = {
    [AUGMENT_NONE] = "none", [AUGMENT_AUTO] = "auto", [AUGMENT_SHIFT] = "shift", [AUGMENT_FLIP] = "flip"};

const char *augment_name(augment_kind kind)
{
    return names[kind];
}

bool augment_find(augment_kind *out, const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *out = (augment_kind)i;
            return true;
        }
    return false;
}

/* The brightness of an image minus that of its mirror image, for the left half of each line. */
static void asymmetry(float *out, const float *image, shape in)
{
    for (size_t y = 0; y < in.height; y++)
        for (size_t x = 0; x < in.width / 2; x++) {
            const float *left = image + (y * in.width + x) * in.channels,
                        *right = image + (y * in.width + in.width - 1 - x) * in.channels;
            float sum = 0;
            for (size_t c = 0; c < in.channels; c++) sum += left[c] - right[c];
            *out++ = sum;
        }
}

/* d = asymmetry of an image changes its sign with the mirror, so w = mean(d) / variance(d) of half of the
 * images is a linear rule that distinguishes images from mirror images; the other half shows how often w . d
 * > 0. */
puad_status augment_choose(augment_kind *out, const float *values, const int8_t *labels, size_t rows,
                           shape in)
{
    size_t size = in.height * (in.width / 2), pixels = shape_size(in), count = 0, right = 0;
    AUTO_FREE float *d = NULL;
    AUTO_FREE double *mean = NULL, *square = NULL;
    TRY(memory_new(&d, size + 1, sizeof *d, "mirror images"));
    TRY(memory_new(&mean, size + 1, sizeof *mean, "mirror images"));
    TRY(memory_new(&square, size + 1, sizeof *square, "mirror images"));
    size_t half[2] = {0};
    for (int side = 0; side < 2; side++) {
        count = 0;
        for (size_t i = 0; i < rows && count < ROWS_TESTED; i++) {
            if (labels[i] != 0 || (int)(count++ % 2) != side) continue;
            half[side]++;
            asymmetry(d, values + i * pixels, in);
            double sum = 0;
            for (size_t j = 0; j < size; j++) {
                double x = (double)d[j];
                if (side == 0) mean[j] += x, square[j] += x * x;
                if (side == 1 && square[j] > 0) sum += mean[j] / square[j] * x;
            }
            right += side == 1 && sum > 0;
        }
    }
    bool known = half[1] >= ROWS_FOR_TEST / 2;
    *out = known && (double)right <= side_matters * (double)half[1] ? AUGMENT_FLIP : AUGMENT_SHIFT;
    return PUAD_OK;
}

/* The index of a pixel, reflected at both borders. */
static size_t reflected(size_t at, int by, size_t size)
{
    long place = (long)at + by, last = (long)size - 1;
    if (last == 0) return 0;
    while (place < 0 || place > last) place = place < 0 ? -place : 2 * last - place;
    return (size_t)place;
}

void augment_image(float *to, const float *from, shape in, augment_kind kind, rng *draws)
{
    int down = (int)rng_below(draws, 2 * SHIFT_MOST + 1) - SHIFT_MOST,
        across = (int)rng_below(draws, 2 * SHIFT_MOST + 1) - SHIFT_MOST;
    bool mirror = kind == AUGMENT_FLIP && rng_below(draws, 2) == 1;
    for (size_t y = 0; y < in.height; y++) {
        const float *line = from + reflected(y, down, in.height) * in.width * in.channels;
        for (size_t x = 0; x < in.width; x++, to += in.channels) {
            size_t place = reflected(x, across, in.width);
            if (mirror) place = in.width - 1 - place;
            memcpy(to, line + place * in.channels, in.channels * sizeof *to);
        }
    }
}
