/* Glyphs: a synthetic dataset similar to MNIST that needs no download. Ten characters, drawn with random
 * pen width, slant, rotation, scale, shift, distortion, contrast and noise.
 *
 * Uses only +, -, *, / and sqrt of IEEE doubles, so that a row has the same bytes on every machine. The
 * set is fixed, like a published one; rows are drawn on demand. */
#include "base/rng.h"
#include "lab/sets/set_readers.h"

#include <math.h>
#include <string.h>

enum { SIDE = 32, CLASSES = 10, TRAIN_EACH = 6000, TEST_EACH = 1000, POINTS_MAX = 20 };

/* Lines between points in [-1, 1], y downward; PEN_UP starts a new line. */
#define PEN_UP                                                                                               \
    {                                                                                                        \
        9, 9                                                                                                 \
    }
#define END                                                                                                  \
    {                                                                                                        \
        99, 99                                                                                               \
    }
static const double shapes[CLASSES][POINTS_MAX][2] = {
    /* ring */
    {{1, 0},
     {.92, .38},
     {.71, .71},
     {.38, .92},
     {0, 1},
     {-.38, .92},
     {-.71, .71},
     {-.92, .38},
     {-1, 0},
     {-.92, -.38},
     {-.71, -.71},
     {-.38, -.92},
     {0, -1},
     {.38, -.92},
     {.71, -.71},
     {.92, -.38},
     {1, 0},
     END},
    /* bar */ {{-.45, -.55}, {0, -1}, {0, 1}, END},
    /* cross */ {{-.9, 0}, {.9, 0}, PEN_UP, {0, -.9}, {0, .9}, END},
    /* corner */ {{-.75, -1}, {-.75, .95}, {.85, .95}, END},
    /* tee */ {{-.9, -.95}, {.9, -.95}, PEN_UP, {0, -.95}, {0, 1}, END},
    /* zigzag */ {{-.85, -.95}, {.85, -.95}, {-.85, .95}, {.85, .95}, END},
    /* triangle */ {{0, -1}, {.95, .85}, {-.95, .85}, {0, -1}, END},
    /* ladder */ {{-.75, -1}, {-.75, 1}, PEN_UP, {.75, -1}, {.75, 1}, PEN_UP, {-.75, 0}, {.75, 0}, END},
    /* cup */
    {{-.85, -1},
     {-.85, .2},
     {-.7, .65},
     {-.38, .92},
     {0, 1},
     {.38, .92},
     {.7, .65},
     {.85, .2},
     {.85, -1},
     END},
    /* wave */
    {{.8, -.7},
     {.45, -.95},
     {0, -1},
     {-.5, -.85},
     {-.7, -.5},
     {-.5, -.15},
     {0, 0},
     {.5, .15},
     {.7, .5},
     {.5, .85},
     {0, 1},
     {-.45, .95},
     {-.8, .7},
     END},
};

static double between(rng *state, double low, double high)
{
    return low + (high - low) * rng_uniform(state);
}

/* One image's pen and coordinate system. */
typedef struct hand {
    double a, b, c, d, x, y; /* of the affine map from the shape to pixels */
    double wobble, radius;
} hand;

static hand draw_hand(rng *state)
{
    double turn =
        between(state, -0.07, 0.07); /* tan of half the angle, so that sine and cosine are fractions */
    double cosine = (1 - turn * turn) / (1 + turn * turn), sine = 2 * turn / (1 + turn * turn);
    double slant = between(state, -0.25, 0.25);
    double width = between(state, 7.5, 10.5), height = width * between(state, 0.95, 1.25);
    hand result;
    result.a = width * cosine;
    result.c = width * sine;
    result.b = height * (-slant * cosine - sine);
    result.d = height * (-slant * sine + cosine);
    result.x = SIDE / 2.0 + between(state, -2, 2);
    result.y = SIDE / 2.0 + between(state, -2, 2);
    result.wobble = between(state, 0.0, 0.14);
    result.radius = between(state, 0.7, 1.9);
    return result;
}

/* Covers the pixels near a line by their distance inside it; the ramp is half a pixel on either side of
 * its edge. */
static void stroke(double *canvas, const double source[2], const double to[2], double radius)
{
    double along[2] = {to[0] - source[0], to[1] - source[1]},
           square = along[0] * along[0] + along[1] * along[1];
    double reach = radius + 1;
    int low[2], high[2];
    for (int i = 0; i < 2; i++) {
        double min = source[i] < to[i] ? source[i] : to[i], max = source[i] < to[i] ? to[i] : source[i];
        low[i] = min - reach < 0 ? 0 : min - reach > SIDE ? SIDE : (int)(min - reach);
        high[i] = max + reach + 1 > SIDE ? SIDE : max + reach + 1 < 0 ? 0 : (int)(max + reach + 1);
    }
    for (int y = low[1]; y < high[1]; y++)
        for (int x = low[0]; x < high[0]; x++) {
            double to_x = x + 0.5 - source[0], to_y = y + 0.5 - source[1];
            double t = square > 0 ? (to_x * along[0] + to_y * along[1]) / square : 0;
            t = t < 0 ? 0 : t > 1 ? 1 : t;
            double off_x = to_x - t * along[0], off_y = to_y - t * along[1];
            double cover = radius + 0.5 - sqrt(off_x * off_x + off_y * off_y);
            cover = cover < 0 ? 0 : cover > 1 ? 1 : cover;
            if (cover > canvas[y * SIDE + x]) canvas[y * SIDE + x] = cover;
        }
}

static void draw_shape(double *canvas, rng *state, int class)
{
    hand pen = draw_hand(state);
    double before[2] = {0, 0};
    bool down = false;
    for (int i = 0; i < POINTS_MAX && shapes[class][i][0] < 99; i++) {
        const double *point = shapes[class][i];
        if (point[0] == 9) {
            down = false;
            continue;
        }
        double u = point[0] + pen.wobble * between(state, -1, 1),
               v = point[1] + pen.wobble * between(state, -1, 1);
        double here[2] = {pen.a * u + pen.b * v + pen.x, pen.c * u + pen.d * v + pen.y};
        if (down) stroke(canvas, before, here, pen.radius);
        memcpy(before, here, sizeof here);
        down = true;
    }
}

static void draw(const raw_set *set, void *out, set_part part, size_t row)
{
    double canvas[SIDE * SIDE] = {0};
    uint8_t *pixels = out;
    rng state = rng_make(0, rng_stream(part == PART_TRAIN ? "glyphs train" : "glyphs test", row));
    double contrast = between(&state, 140, 255), noise = between(&state, 5, 30);
    draw_shape(canvas, &state, set->parts[part].classes[row]);
    for (int i = 0; i < SIDE * SIDE; i++) {
        uint32_t word =
            /* the sum of four bytes is approximately normal; its standard deviation is 147.8 */
            rng_word(&state);
        int sum =
            (int)(word & 255) + (int)(word >> 8 & 255) + (int)(word >> 16 & 255) + (int)(word >> 24) - 510;
        double value = contrast * canvas[i] + noise * sum / 147.8;
        pixels[i] = value <= 0 ? 0 : value >= 255 ? 255 : (uint8_t)lround(value);
    }
}

static puad_status read_all(raw_set *out, const set_row *about, const char *folder)
{
    (void)folder;
    static const size_t each[PART_COUNT] = {TRAIN_EACH, TEST_EACH};
    TRY(raw_set_shape(out, SIDE, SIDE, 1, about->name));
    out->draw = draw;
    for (int part = 0; part < PART_COUNT; part++) {
        raw_part *to = &out->parts[part];
        to->rows = CLASSES * each[part];
        TRY(memory_new(&to->classes, to->rows, sizeof(int32_t), about->name));
        for (size_t i = 0; i < to->rows; i++) to->classes[i] = (int32_t)(i % CLASSES);
    }
    return PUAD_OK;
}

const set_reader set_reader_glyphs = {.generated = true, .read = read_all};
