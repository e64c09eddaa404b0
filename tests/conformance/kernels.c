/* Every kernel of kernels.def against its plain reference, on every instruction set of this machine: sizes
 * 0, 1, whole vectors, tails, and unaligned arrays. A kernel without a check_NAME below causes a compile
 * error. */
#include "kernels/kernels.h"
#include "base/rng.h"
#include "test.h"

enum { ROOM = 1 << 15 };
static float a[ROOM + 8], b[ROOM + 8], parameters[6][4096], ours[ROOM + 8], expected[ROOM + 8],
    ours2[ROOM + 8], expected2[ROOM + 8];
static const kernels *plain, *fast;
static const char *kernel;
static rng draws;

/* Normal draws from a precomputed pool, with a different start each time. */
static void fill(float *out, size_t count)
{
    static float pool[2 * ROOM];
    static size_t turn;
    for (size_t i = 0; turn == 0 && i < 2 * ROOM; i++) pool[i] = (float)rng_normal(&draws);
    turn = turn * 5 + 12345;
    memcpy(out, pool + turn % (ROOM - 8), count * sizeof *out);
}

static void refill(void)
{
    fill(a, ROOM + 8);
    fill(b, ROOM + 8);
    for (int i = 0; i < 6; i++) fill(parameters[i], 4096);
    fill(ours, ROOM + 8);
    memcpy(expected, ours, sizeof ours);
    memcpy(ours2, ours, sizeof ours);
    memcpy(expected2, ours, sizeof ours);
}

/* Compares the whole buffer: values outside the result must be unchanged. */
static void compare(const float *got, const float *want, double scale, size_t size)
{
    for (size_t i = 0; i < ROOM + 8; i++)
        if (!(fabs(got[i] - want[i]) <= scale * 1e-6 * (1 + fabs(want[i])))) {
            TEST_FAIL("%s %s size %zu: value %zu is %.9g, expected %.9g", fast->name, kernel, size, i, got[i],
                      want[i]);
            return;
        }
}

static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100, 129};
#define EACH_COUNT(n)                                                                                        \
    for (const size_t *each = counts, n##_end = 0, *stop = counts + sizeof counts / sizeof *counts;          \
         each < stop + n##_end; each++)                                                                      \
        for (size_t n = *each, once = 1; once; once = 0)

static void check_multiply(void)
{
    const size_t rows_of[] = {0, 1, 2, 5, 6, 7, 11, 12, 13, 25}, depths[] = {0, 1, 5, 33};
    for (size_t r = 0; r < 10; r++)
        for (size_t d = 0; d < 4; d++)
            for (size_t i = 0; i < 9; i++)
                for (int form = 0; form < 5; form++) {
                    size_t depth = depths[d], rows = rows_of[r], panel = fast->panel;
                    size_t columns =
                        (size_t[]){0, 1, 2, 3, panel / 2 - 1, panel / 2, panel / 2 + 1, panel - 1, panel}[i];
                    refill();
                    multiply_job job = {.a = a + 1,
                                        .b = b + 3,
                                        .c = ours + 1,
                                        .rows = rows,
                                        .columns = columns,
                                        .segments = (size_t)(form == 3 ? 3 : 1),
                                        .depth = depth,
                                        .bias = r & 1 ? b + 5 : NULL,
                                        .slope = r & 2 ? &(float){0.01f} : NULL,
                                        .add = form & 1,
                                        .padded = form == 4};
                    job.c_row = (ptrdiff_t)panel + (form & 1);
                    job.a_segment = 1000;
                    job.b_segment = 2000;
                    if (form < 2 || form == 4) { /* packed weights */
                        job.a_row = 40, job.a_step = 1, job.b_step = (ptrdiff_t)panel;
                    } else { /* transposed left side, rows of the right side with a stride */
                        job.a_row = 1, job.a_step = 27, job.b_step = (ptrdiff_t)panel + 5;
                    }
                    fast->multiply(&job);
                    job.c = expected + 1;
                    plain->multiply(&job);
                    compare(ours, expected, 10 + (double)depth, depth);
                }
}

static void check_depthwise(void)
{
    for (size_t channels = 1; channels <= 80; channels += channels < 6 ? 1 : 13)
        for (size_t width = 1; width <= 11; width += 2)
            for (int form = 0; form < 4; form++) {
                size_t side = form & 1 ? 5 : 3, stride = form & 2 ? 2 : 1, height = 4;
                refill();
                depthwise_job job = {.x = a + 1,
                                     .weights = b + 3,
                                     .bias = b + 1,
                                     .height = height,
                                     .width = width,
                                     .channels = channels,
                                     .tall = side,
                                     .wide = side,
                                     .stride = stride,
                                     .top = side / 2,
                                     .left = (side - 1) / 2,
                                     .out_width = (width + stride - 1) / stride};
                for (size_t row = 0; row < height / stride; row++) {
                    fast->depthwise(ours + 1, &job, row);
                    plain->depthwise(expected + 1, &job, row);
                    compare(ours, expected, 30, channels);
                }
            }
}

enum { TILE_PIXELS = WINOGRAD_SIDE_MAX * WINOGRAD_SIDE_MAX, FIRST = 5 };

/* Pixels of a tile, not in memory order. */
static void winograd_pixels(float **pixels, float *source, size_t channels)
{
    for (size_t i = 0; i < TILE_PIXELS; i++) pixels[i] = source + 1 + i * 5 % TILE_PIXELS * (channels + 7);
}

#define EACH_WINOGRAD                                                                                        \
    for (int taps = 3; taps <= 5; taps += 2)                                                                 \
        for (size_t channels = 0; channels <= 96; channels += 32)

static void check_winograd_input(void)
{
    EACH_WINOGRAD
    {
        float *pixels[TILE_PIXELS];
        refill();
        winograd_pixels(pixels, a, channels);
        const float *const *source = (const float *const *)pixels;
        fast->winograd_input(taps, ours + 1, channels + 16, source, FIRST, channels);
        plain->winograd_input(taps, expected + 1, channels + 16, source, FIRST, channels);
        compare(ours, expected, 20, channels);
    }
}

static void check_winograd_output(void)
{
    EACH_WINOGRAD
    {
        float *mine[TILE_PIXELS], *theirs[TILE_PIXELS];
        refill();
        winograd_pixels(mine, ours, channels), winograd_pixels(theirs, expected, channels);
        fast->winograd_output(taps, mine, a + 1, channels + 16, channels);
        plain->winograd_output(taps, theirs, a + 1, channels + 16, channels);
        compare(ours, expected, 20, channels);
    }
}

static void check_winograd_spread(void)
{
    EACH_WINOGRAD
    {
        float *pixels[TILE_PIXELS];
        refill();
        winograd_pixels(pixels, a, channels);
        const float *const *source = (const float *const *)pixels;
        fast->winograd_spread(taps, ours + 1, channels + 16, source, FIRST, channels);
        plain->winograd_spread(taps, expected + 1, channels + 16, source, FIRST, channels);
        compare(ours, expected, 20, channels);
    }
}

static void check_winograd_weights(void)
{
    EACH_WINOGRAD
    {
        refill();
        fast->winograd_weights(taps, ours + 1, channels + 16, a + 1, channels + 5, channels);
        plain->winograd_weights(taps, expected + 1, channels + 16, a + 1, channels + 5, channels);
        compare(ours, expected, 5, channels);
    }
}

static void check_winograd_weights_back(void)
{
    EACH_WINOGRAD
    {
        refill();
        fast->winograd_weights_back(taps, ours + 1, channels + 5, a + 1, channels + 16, channels);
        plain->winograd_weights_back(taps, expected + 1, channels + 5, a + 1, channels + 16, channels);
        compare(ours, expected, 20, channels);
    }
}

static const size_t rows_list[] = {0, 1, 2, 37};
#define EACH_ROWS                                                                                            \
    for (size_t turn = 0; turn < 4; turn++)                                                                  \
        for (size_t rows = rows_list[turn], go = 1; go; go = 0)

static void check_moments(void)
{
    EACH_ROWS EACH_COUNT(channels)
    {
        refill();
        fast->moments(ours + 1, ours2 + 1, a + 1, rows, channels);
        plain->moments(expected + 1, expected2 + 1, a + 1, rows, channels);
        compare(ours, expected, 10, channels);
        compare(ours2, expected2, 30, channels);
    }
}

static void check_affine_leaky(void)
{
    EACH_ROWS EACH_COUNT(channels)
    {
        refill();
        fast->affine_leaky(ours + 1, a + 1, parameters[0] + 1, parameters[1], 0.01f, rows, channels);
        plain->affine_leaky(expected + 1, a + 1, parameters[0] + 1, parameters[1], 0.01f, rows, channels);
        compare(ours, expected, 2, channels);
    }
}

static void check_affine_leaky_sums(void)
{
    EACH_ROWS EACH_COUNT(channels)
    {
        refill();
        fast->affine_leaky_sums(ours, ours2 + 1, b + 1, a + 1, parameters[0] + 1, parameters[1],
                                parameters[2], 0.01f, rows, channels);
        plain->affine_leaky_sums(expected, expected2 + 1, b + 1, a + 1, parameters[0] + 1, parameters[1],
                                 parameters[2], 0.01f, rows, channels);
        compare(ours, expected, 40, channels);
        compare(ours2, expected2, 80, channels);
    }
}

static void check_affine_leaky_back(void)
{
    EACH_ROWS EACH_COUNT(channels)
    {
        refill();
        fast->affine_leaky_back(ours + 1, b + 1, a + 1, parameters[0], parameters[1], parameters[2],
                                parameters[3], 0.01f, rows, channels);
        plain->affine_leaky_back(expected + 1, b + 1, a + 1, parameters[0], parameters[1], parameters[2],
                                 parameters[3], 0.01f, rows, channels);
        compare(ours, expected, 4, channels);
    }
}

#define EACH_PICTURE                                                                                         \
    for (size_t side = 0; side <= 6; side += 2) EACH_COUNT(channels)

static void check_affine_leaky_pool(void)
{
    EACH_PICTURE
    {
        refill();
        fast->affine_leaky_pool(ours + 1, a + 1, parameters[0], parameters[1], 0.01f, side, side, channels);
        plain->affine_leaky_pool(expected + 1, a + 1, parameters[0], parameters[1], 0.01f, side, side,
                                 channels);
        compare(ours, expected, 2, channels);
    }
}

static void check_affine_leaky_pool_sums(void)
{
    EACH_PICTURE
    {
        refill();
        fast->affine_leaky_pool_sums(ours, ours2 + 1, b + 1, a + 1, parameters[0], parameters[1],
                                     parameters[2], 0.01f, side, side, channels);
        plain->affine_leaky_pool_sums(expected, expected2 + 1, b + 1, a + 1, parameters[0], parameters[1],
                                      parameters[2], 0.01f, side, side, channels);
        compare(ours, expected, 20, channels);
        compare(ours2, expected2, 40, channels);
    }
}

static void check_affine_leaky_pool_back(void)
{
    for (int equal = 0; equal < 2; equal++) EACH_PICTURE
        {
            refill();
            for (size_t i = 0; equal && i < ROOM; i++)
                a[i] = roundf(a[i]); /* many ties: the first one wins */
            fast->affine_leaky_pool_back(ours + 1, b + 1, a + 1, parameters[0], parameters[1], parameters[2],
                                         parameters[3], 0.01f, side, side, channels);
            plain->affine_leaky_pool_back(expected + 1, b + 1, a + 1, parameters[0], parameters[1],
                                          parameters[2], parameters[3], 0.01f, side, side, channels);
            compare(ours, expected, 4, channels);
        }
}

static void check_leaky(void)
{
    EACH_COUNT(n)
    {
        refill();
        fast->leaky(ours + 1, a + 1, 0.01f, n);
        plain->leaky(expected + 1, a + 1, 0.01f, n);
        compare(ours, expected, 1, n);
    }
}

static void check_leaky_back(void)
{
    EACH_COUNT(n)
    {
        refill();
        fast->leaky_back(ours + 1, b + 1, a + 1, 0.0f, n);
        plain->leaky_back(expected + 1, b + 1, a + 1, 0.0f, n);
        compare(ours, expected, 1, n);
    }
}

static void check_sigmoid(void)
{
    EACH_COUNT(n)
    {
        refill();
        for (size_t i = 0; i < 200; i++) a[i] *= i % 3 == 0 ? 100.0f : 3.0f;
        fast->sigmoid(ours + 1, a + 1, n);
        plain->sigmoid(expected + 1, a + 1, n);
        compare(ours, expected, 1, n);
    }
}

static void check_silu(void)
{
    EACH_COUNT(n)
    {
        refill();
        for (size_t i = 0; i < 200; i++) a[i] *= i % 3 == 0 ? 100.0f : 3.0f;
        fast->silu(ours + 1, a + 1, n);
        plain->silu(expected + 1, a + 1, n);
        compare(ours, expected, 2, n);
    }
}

static void check_hard_swish(void)
{
    EACH_COUNT(n)
    {
        refill();
        for (size_t i = 0; i < 200; i++) a[i] *= 3.0f;
        fast->hard_swish(ours + 1, a + 1, n);
        plain->hard_swish(expected + 1, a + 1, n);
        compare(ours, expected, 1, n);
    }
}

static void check_clamp(void)
{
    EACH_COUNT(n)
    {
        refill();
        fast->clamp(ours + 1, -0.25f, 0.5f, n);
        plain->clamp(expected + 1, -0.25f, 0.5f, n);
        compare(ours, expected, 1, n);
    }
}

static void check_sigmoid_back(void)
{
    EACH_COUNT(n)
    {
        refill();
        fast->sigmoid_back(ours + 1, b + 1, a + 1, n);
        plain->sigmoid_back(expected + 1, b + 1, a + 1, n);
        compare(ours, expected, 4, n);
    }
}

static void check_add(void)
{
    EACH_COUNT(n)
    {
        refill();
        fast->add(ours + 1, a + 1, n);
        plain->add(expected + 1, a + 1, n);
        compare(ours, expected, 1, n);
    }
}

static void check_pool(void)
{
    EACH_PICTURE
    {
        refill();
        fast->pool(ours + 1, a + 1, side, side, channels);
        plain->pool(expected + 1, a + 1, side, side, channels);
        compare(ours, expected, 0, channels);
    }
}

static void check_pool_back(void)
{
    for (int equal = 0; equal < 2; equal++) EACH_PICTURE
        {
            refill();
            for (size_t i = 0; equal && i < ROOM; i++) a[i] = roundf(a[i]);
            fast->pool_back(ours + 1, b + 1, a + 1, side, side, channels);
            plain->pool_back(expected + 1, b + 1, a + 1, side, side, channels);
            compare(ours, expected, 0, channels);
        }
}

static void check_upsample(void)
{
    EACH_PICTURE
    {
        refill();
        fast->upsample(ours + 1, a + 1, side, side + 1, channels);
        plain->upsample(expected + 1, a + 1, side, side + 1, channels);
        compare(ours, expected, 0, channels);
    }
}

static void check_upsample_back(void)
{
    EACH_PICTURE
    {
        refill();
        fast->upsample_back(ours + 1, a + 1, side, side + 1, channels);
        plain->upsample_back(expected + 1, a + 1, side, side + 1, channels);
        compare(ours, expected, 2, channels);
    }
}

static void check_squared_distance(void)
{
    for (size_t repeat = 1; repeat <= 3; repeat += 2) EACH_COUNT(n)
        {
            refill();
            fast->squared_distance(ours + 1, a + 1, b + 1, n * repeat, repeat);
            plain->squared_distance(expected + 1, a + 1, b + 1, n * repeat, repeat);
            compare(ours, expected, 10, n);
        }
}

static void check_scaled_difference(void)
{
    for (size_t repeat = 1; repeat <= 3; repeat += 2) EACH_COUNT(n)
        {
            refill();
            fast->scaled_difference(ours + 1, a + 1, b + 1, 0.7f, n * repeat, repeat);
            plain->scaled_difference(expected + 1, a + 1, b + 1, 0.7f, n * repeat, repeat);
            compare(ours, expected, 2, n);
        }
}

static void check_adam(void)
{
    adam_step step = {1e-3f, 3.0f, 0.9f, 0.999f, 1e-8f, 1e-3f, 0.99f};
    EACH_COUNT(n)
    {
        refill();
        for (size_t i = 0; i < ROOM + 8; i++) parameters[5][i % 4096] = fabsf(parameters[5][i % 4096]);
        memcpy(parameters[4], parameters[3], sizeof parameters[3]);
        memcpy(parameters[2], parameters[5], sizeof parameters[5]);
        fast->adam(ours + 1, a + 1, parameters[3] + 1, parameters[5] + 1, &step, n);
        plain->adam(expected + 1, a + 1, parameters[4] + 1, parameters[2] + 1, &step, n);
        compare(ours, expected, 2, n);
        for (size_t i = 0; i < 200; i++) {
            CHECK_NEAR(parameters[3][i], parameters[4][i], 1e-5);
            CHECK_NEAR(parameters[5][i], parameters[2][i], 1e-5);
        }
    }
}

/* A random tree: steps in order, children after their parents, leaf values numbered from the left. */
static size_t number_leaves(tree_step *steps, size_t at, size_t count, const uint16_t *left,
                            const uint16_t *right, size_t next, uint16_t *leftmost)
{
    size_t after = next, middle;
    uint16_t first = (uint16_t)next, second;
    if (left[at])
        after = number_leaves(steps, left[at], count, left, right, next, &first);
    else
        after++;
    middle = after;
    second = (uint16_t)middle;
    if (right[at])
        after = number_leaves(steps, right[at], count, left, right, middle, &second);
    else
        after++;
    steps[at].left = left[at] ? left[at] : (uint16_t)count;
    steps[at].right = right[at] ? right[at] : (uint16_t)count;
    steps[at].difference = (int16_t)(uint16_t)(second - first);
    *leftmost = first;
    return after;
}

/* Moves the steps with only leaves below them after all others; returns their number. */
static size_t leaves_last(tree_step *steps, size_t count)
{
    tree_step moved[256];
    uint16_t place[256];
    size_t next = 0, inner = 0;
    place[count] = (uint16_t)count;
    for (int last = 0; last < 2; last++) {
        for (size_t i = 0; i < count; i++)
            if ((steps[i].left == count && steps[i].right == count) == last) place[i] = (uint16_t)next++;
        if (!last) inner = next;
    }
    for (size_t i = 0; i < count; i++) {
        moved[place[i]] = steps[i];
        moved[place[i]].left = place[steps[i].left];
        moved[place[i]].right = place[steps[i].right];
    }
    memcpy(steps, moved, count * sizeof *steps);
    return inner;
}

static void check_tree_sums(void)
{
    enum { COLUMNS = 5, STEPS = 100 };
    static int16_t codes[COLUMNS * TREE_ROWS + 1], masks[(STEPS + 1) * TREE_ROWS + 1];
    for (size_t count = 0; count <= STEPS; count = count * 2 + 1) {
        tree_step steps[STEPS + 1] = {{0}};
        uint16_t left[STEPS + 1] = {0}, right[STEPS + 1] = {0}, first = 0;
        uint32_t got[TREE_ROWS] = {0}, want[TREE_ROWS] = {0};
        for (size_t i = 0; i < count; i++) {
            steps[i].column = (uint16_t)rng_below(&draws, COLUMNS);
            steps[i].threshold = (int16_t)((int)rng_below(&draws, 65536) - 32768);
            for (bool placed = i == 0; !placed;) {
                uint16_t *side = rng_below(&draws, 2) ? left : right;
                size_t parent = (size_t)rng_below(&draws, i);
                placed = !side[parent];
                if (placed) side[parent] = (uint16_t)i;
            }
        }
        if (count) number_leaves(steps, 0, count, left, right, 0, &first);
        size_t inner = leaves_last(steps, count);
        for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
            codes[i] = (int16_t)((int)rng_below(&draws, 65536) - 32768);
        fast->tree_sums(got, steps, inner, count, first, codes + 1, masks + 1);
        plain->tree_sums(want, steps, inner, count, first, codes + 1, masks + 1);
        for (size_t row = 0; row < TREE_ROWS; row++)
            if (got[row] != want[row])
                TEST_FAIL("%s: of %zu steps, row %zu gets %u, expected %u", fast->name, count, row, got[row],
                          want[row]);
    }
}

static void check_least_distances(void)
{
    for (size_t columns = 1; columns < 30; columns += 9) EACH_COUNT(n)
        {
            if (n == 0) continue;
            refill();
            for (size_t rows = 1; rows <= 3; rows++) {
                fast->least_distances(ours + 1, a + 1, rows, b + 1, 3, n, columns);
                plain->least_distances(expected + 1, a + 1, rows, b + 1, 3, n, columns);
                compare(ours, expected, 10, n);
            }
        }
}

/* Encoded numbers have the same bits on every machine: constants of every size, and numbers that are
 * missing, tiny, huge or outside the bounds. */
static void check_encode_numbers(void)
{
    static const double odd[] = {NAN, 0, -0.0, 1e300, -1e300, 5e-324, 1e-40, -1e-45, 1e30, 1e12, INFINITY};
    static float got[2][200], want[2][200];
    double numbers[200];
    for (int round = 0; round < 2000; round++) {
#define ANY(power) (pow(10, (power) * (rng_uniform(&draws) - 0.5)))
        double extreme = round % 10 ? 8 : 600, size = ANY(8);
        bool bounded = round % 5 == 0;
        number_encoding encoding = {.pivot = round % 3 ? (rng_uniform(&draws) - 0.5) * size : 0,
                                    .factor = ANY(extreme),
                                    .mean = rng_uniform(&draws) - 0.5,
                                    .sd = ANY(extreme),
                                    .scale = round % 2 ? 1 : ANY(8),
                                    .low = bounded ? -ANY(6) : -INFINITY,
                                    .high = bounded ? ANY(6) : INFINITY,
                                    .shift = rng_uniform(&draws) - 0.5,
                                    .spread = round % 4 ? 0 : ANY(4)};
#undef ANY
        size_t count = counts[(size_t)round % (sizeof counts / sizeof *counts)];
        for (size_t i = 0; i < count; i++)
            numbers[i] = round % 6 == 0 && i % 5 == 0 ? odd[i / 5 % (sizeof odd / sizeof *odd)]
                                                      : encoding.pivot + (rng_uniform(&draws) - 0.5) * size;
        bool beyond = false, expected_beyond = false, marks = round % 7 == 0;
        fast->encode_numbers(got[0] + 1, marks ? got[1] + 1 : NULL, &beyond, &encoding, numbers, count);
        plain->encode_numbers(want[0] + 1, marks ? want[1] + 1 : NULL, &expected_beyond, &encoding, numbers,
                              count);
        if (memcmp(got, want, sizeof got) != 0 || beyond != expected_beyond)
            TEST_FAIL("%s: round %d, %zu numbers differ from the reference", fast->name, round, count);
    }
}

static void check_turn_columns(void)
{
    for (size_t columns = 0; columns < 20; columns += columns < 9 ? 1 : 5) EACH_COUNT(n)
        {
            refill();
            fast->turn_columns(ours + 1, 21, a + 1, 131, n, columns);
            plain->turn_columns(expected + 1, 21, a + 1, 131, n, columns);
            compare(ours, expected, 0, n);
        }
}

#define KERNEL(name, arguments)                                                                              \
    TEST(name##_equals_its_reference)                                                                        \
    {                                                                                                        \
        plain = kernels_named("reference");                                                                  \
        kernel = #name;                                                                                      \
        for (const kernels *const *table = kernels_all(); *table; table++) {                                 \
            fast = *table;                                                                                   \
            draws = rng_make(1, 2);                                                                          \
            check_##name();                                                                                  \
        }                                                                                                    \
    }
#include "kernels/kernels.def"
#undef KERNEL

TEST(the_best_table_can_be_overridden_and_unknown_names_are_not_found)
{
    CHECK(kernels_best() != NULL);
    CHECK(kernels_named("reference") == plain || plain == NULL);
    CHECK(kernels_named("nonsense") == NULL);
}
