/* Shifts, mirrors and turns images, and tests which of these changes can be recognized. */
#include "detector/network/augment.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { SHIFT_MAX = 4, ROWS_TESTED = 2000, ROWS_FOR_TEST = 40 };

/* If a linear rule recognizes more mirror images than this fraction of unseen ones, left and right differ. */
static const double side_matters = 0.6;

/* Turned images can be recognized if the rule is right more often than by chance, by this many standard
 * errors. */
static const double errors_least = 2;

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

/* The pixel of an image that is at (y, x) after `turn` quarter turns. */
static size_t turned(size_t *out_x, size_t y, size_t x, int turn, size_t side)
{
    size_t last = side - 1;
    switch (turn) {
    case 1: *out_x = last - y; return x;
    case 2: *out_x = last - x; return last - y;
    case 3: *out_x = y; return last - x;
    default: *out_x = x; return y;
    }
}

enum { MIRROR = 4 }; /* after the turns 1 to 3 */

/* The brightness of an image minus that of the image turned, or mirrored. */
static void difference(float *out, const float *image, shape in, int change)
{
    for (size_t y = 0; y < in.height; y++)
        for (size_t x = 0; x < in.width; x++) {
            size_t from_x = in.width - 1 - x, from_y = y;
            if (change != MIRROR) from_y = turned(&from_x, y, x, change, in.width);
            const float *here = image + (y * in.width + x) * in.channels,
                        *there = image + (from_y * in.width + from_x) * in.channels;
            float sum = 0;
            for (size_t c = 0; c < in.channels; c++) sum += here[c] - there[c];
            *out++ = sum;
        }
}

/* With d = an image minus the changed image, w = mean(d) / variance(d) of half of the images is a linear
 * rule that distinguishes the two; *right counts how often w . d > 0 in the other half, of *tested images. */
static puad_status test_change(size_t *right, size_t *tested, const train_images *images, int change)
{
    size_t size = images->in.height * images->in.width, pixels = shape_size(images->in), count = 0;
    AUTO_FREE float *d = NULL;
    AUTO_FREE double *mean = NULL, *square = NULL;
    TRY(memory_new(&d, size, sizeof *d, "changed images"));
    TRY(memory_new(&mean, size, sizeof *mean, "changed images"));
    TRY(memory_new(&square, size, sizeof *square, "changed images"));
    *right = *tested = 0;
    for (int half = 0; half < 2; half++) {
        count = 0;
        for (size_t i = 0; i < images->rows && count < ROWS_TESTED; i++) {
            if (images->labels[i] != 0 || (int)(count++ % 2) != half) continue;
            difference(d, images->values + i * pixels, images->in, change);
            double sum = 0;
            for (size_t j = 0; j < size; j++) {
                double x = (double)d[j];
                if (half == 0) mean[j] += x, square[j] += x * x;
                if (half == 1 && square[j] > 0) sum += mean[j] / square[j] * x;
            }
            *tested += (size_t)half;
            *right += half == 1 && sum > 0;
        }
    }
    return PUAD_OK;
}

puad_status augment_choose(augment_kind *out, const train_images *images)
{
    size_t right, tested;
    TRY(test_change(&right, &tested, images, MIRROR));
    bool known = tested >= ROWS_FOR_TEST / 2;
    *out = known && (double)right <= side_matters * (double)tested ? AUGMENT_FLIP : AUGMENT_SHIFT;
    return PUAD_OK;
}

puad_status augment_turns(turn_set *out, const train_images *images)
{
    *out = (turn_set){0};
    for (int turn = 1; turn <= TURNS_MAX; turn++) {
        size_t right, tested;
        TRY(test_change(&right, &tested, images, turn));
        double half = (double)tested / 2, deviation = sqrt((double)tested) / 2;
        if (tested >= ROWS_FOR_TEST / 2 && (double)right > half + errors_least * deviation)
            out->turns[out->count++] = turn;
    }
    return PUAD_OK;
}

int augment_draw_turn(const turn_set *turns, double part, rng *draws)
{
    if (turns->count == 0 || !(rng_uniform(draws) < part)) return 0;
    return turns->turns[rng_below(draws, turns->count)];
}

/* The index of a pixel, reflected at both borders. */
static size_t reflected(size_t at, int step, size_t size)
{
    long place = (long)at + step, last = (long)size - 1;
    if (last == 0) return 0;
    while (place < 0 || place > last) place = place < 0 ? -place : 2 * last - place;
    return (size_t)place;
}

void augment_image(float *to, const float *source, shape in, image_change change, rng *draws)
{
    int down = 0, across = 0;
    if (change.kind != AUGMENT_NONE) {
        down = (int)rng_below(draws, 2 * SHIFT_MAX + 1) - SHIFT_MAX;
        across = (int)rng_below(draws, 2 * SHIFT_MAX + 1) - SHIFT_MAX;
    }
    bool mirror = change.kind == AUGMENT_FLIP && rng_below(draws, 2) == 1;
    for (size_t y = 0; y < in.height; y++)
        for (size_t x = 0; x < in.width; x++, to += in.channels) {
            size_t from_x, from_y = turned(&from_x, y, x, change.turn, in.width);
            from_y = reflected(from_y, down, in.height);
            from_x = reflected(from_x, across, in.width);
            if (mirror) from_x = in.width - 1 - from_x;
            memcpy(to, source + (from_y * in.width + from_x) * in.channels, in.channels * sizeof *to);
        }
}
