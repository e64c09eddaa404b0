/* puad bench kernels: every kernel of kernels.def on sizes of conv32 (one image, or one tile), in one
 * thread. A kernel without a row below causes a compile error. */
#include "cli/bench/bench.h"
#include "cli/common/json_line.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, CHANNELS = 32, PIXELS = SIDE * SIDE, VALUES = PIXELS * CHANNELS, DEPTH = 64 };

/* Arrays with one image each, and with one value per channel. */
typedef struct buffers {
    float *a, *b, *c, *d, *channel[6];
} buffers;

/* Cost of `times` calls: the kernel's additions and multiplications, and the bytes it must read and write. */
typedef struct cost {
    double flops, bytes;
} cost;

/* One kernel: values per call, operations and floats moved per value, and the call. */
#define BENCH(name, values, operations, floats, call)                                                        \
    static cost time_##name(const kernels *k, const buffers *r, size_t times)                                \
    {                                                                                                        \
        const float *const *channel = (const float *const *)r->channel;                                      \
        (void)channel;                                                                                       \
        for (size_t i = 0; i < times; i++) call;                                                             \
        return (cost){(double)times * (double)(values) * (operations),                                       \
                      (double)times * (double)(values) * (floats)*4};                                        \
    }

static const adam_step step = {1e-4f, 1.0f, 0.9f, 0.999f, 1e-8f, 1e-3f, 1.0f};

static multiply_job product(const kernels *k, const buffers *r)
{
    return (multiply_job){.a = r->a,
                          .a_row = 8 * DEPTH * 5,
                          .a_segment = DEPTH,
                          .a_step = 1,
                          .b = r->b,
                          .b_segment = (ptrdiff_t)(DEPTH * k->panel),
                          .b_step = (ptrdiff_t)k->panel,
                          .c = r->c,
                          .c_row = (ptrdiff_t)k->panel,
                          .rows = k->tile,
                          .columns = k->panel,
                          .segments = 5,
                          .depth = DEPTH};
}
static depthwise_job picture_of(const buffers *r)
{
    return (depthwise_job){.x = r->a,
                           .weights = r->d,
                           .bias = r->channel[1],
                           .height = SIDE,
                           .width = SIDE,
                           .channels = CHANNELS,
                           .tall = 3,
                           .wide = 3,
                           .stride = 1,
                           .top = 1,
                           .left = 1,
                           .out_width = SIDE};
}
/* The pixels of a tile, at most 8x8 with DEPTH channels. */
static float *const *pixels_of(float *array)
{
    static float *pixels[WINOGRAD_SIDE_MAX * WINOGRAD_SIDE_MAX];
    for (size_t i = 0; i < WINOGRAD_SIDE_MAX * WINOGRAD_SIDE_MAX; i++) pixels[i] = array + i * DEPTH;
    return pixels;
}
#define READ(array) ((const float *const *)pixels_of(r->array))
#define WRITE(array) pixels_of(r->array)

BENCH(multiply, k->tile * k->panel * 5 * DEPTH, 2, 1.0 / (double)k->tile, {
    multiply_job job = product(k, r);
    k->multiply(&job);
})
BENCH(depthwise, SIDE *CHANNELS, 18, 4, {
    depthwise_job job = picture_of(r);
    k->depthwise(r->b, &job, 8);
})
BENCH(winograd_input, DEPTH, 16 * 38, 128, k->winograd_input(5, r->b, DEPTH, READ(a), 0, DEPTH))
BENCH(winograd_output, DEPTH, 12 * 22, 80, k->winograd_output(5, WRITE(a), r->b, DEPTH, DEPTH))
BENCH(winograd_spread, DEPTH, 12 * 18, 80, k->winograd_spread(5, r->b, DEPTH, READ(a), 0, DEPTH))
BENCH(winograd_weights, DEPTH, 13 * 29, 89, k->winograd_weights(5, r->b, DEPTH, r->a, DEPTH, DEPTH))
BENCH(winograd_weights_back, DEPTH, 13 * 32, 89, k->winograd_weights_back(5, r->b, DEPTH, r->a, DEPTH, DEPTH))
BENCH(moments, VALUES, 4, 1, k->moments(r->channel[0], r->channel[1], r->a, PIXELS, CHANNELS))
BENCH(affine_leaky, VALUES, 3, 2,
      k->affine_leaky(r->b, r->a, channel[2], channel[3], 0.01f, PIXELS, CHANNELS))
BENCH(affine_leaky_pool, VALUES, 3, 1.25,
      k->affine_leaky_pool(r->b, r->a, channel[2], channel[3], 0.01f, SIDE, SIDE, CHANNELS))
BENCH(affine_leaky_sums, VALUES, 7, 2,
      k->affine_leaky_sums(r->channel[0], r->channel[1], r->b, r->a, channel[2], channel[3], channel[4],
                           0.01f, PIXELS, CHANNELS))
BENCH(affine_leaky_pool_sums, VALUES, 4, 1.25,
      k->affine_leaky_pool_sums(r->channel[0], r->channel[1], r->b, r->a, channel[2], channel[3], channel[4],
                                0.01f, SIDE, SIDE, CHANNELS))
BENCH(affine_leaky_back, VALUES, 7, 3,
      k->affine_leaky_back(r->c, r->b, r->a, channel[2], channel[3], channel[4], channel[5], 0.01f, PIXELS,
                           CHANNELS))
BENCH(affine_leaky_pool_back, VALUES, 5, 2.25,
      k->affine_leaky_pool_back(r->c, r->b, r->a, channel[2], channel[3], channel[4], channel[5], 0.01f, SIDE,
                                SIDE, CHANNELS))
BENCH(leaky, VALUES, 1, 2, k->leaky(r->b, r->a, 0.01f, VALUES))
BENCH(leaky_back, VALUES, 1, 3, k->leaky_back(r->c, r->b, r->a, 0.01f, VALUES))
BENCH(sigmoid, VALUES, 20, 2, k->sigmoid(r->b, r->a, VALUES))
BENCH(sigmoid_back, VALUES, 3, 3, k->sigmoid_back(r->c, r->b, r->a, VALUES))
BENCH(add, VALUES, 1, 3, k->add(r->d, r->a, VALUES))
BENCH(clamp, VALUES, 2, 2, k->clamp(r->d, 0, 6, VALUES))
BENCH(silu, VALUES, 21, 2, k->silu(r->b, r->a, VALUES))
BENCH(hard_swish, VALUES, 5, 2, k->hard_swish(r->b, r->a, VALUES))
BENCH(pool, VALUES, 0.75, 1.25, k->pool(r->b, r->a, SIDE, SIDE, CHANNELS))
BENCH(pool_back, VALUES, 0.75, 2.25, k->pool_back(r->c, r->b, r->a, SIDE, SIDE, CHANNELS))
BENCH(upsample, VALUES, 0, 1.25, k->upsample(r->b, r->a, SIDE / 2, SIDE / 2, CHANNELS))
BENCH(upsample_back, VALUES, 0.75, 1.25, k->upsample_back(r->b, r->a, SIDE / 2, SIDE / 2, CHANNELS))
BENCH(squared_distance, 3 * PIXELS, 3, 2, k->squared_distance(r->c, r->a, r->b, 3 * PIXELS, 1))
BENCH(scaled_difference, 3 * PIXELS, 2, 3, k->scaled_difference(r->c, r->a, r->b, 0.5f, 3 * PIXELS, 1))
/* A complete tree of five levels whose leaf values are their indices. */
enum { TREE_STEPS = 31, TREE_COLUMNS = 16 };
static const tree_step *small_tree(void)
{
    static tree_step steps[TREE_STEPS];
    for (int i = 0; i < TREE_STEPS; i++) {
        int below = 16;
        for (int level = i + 1; level > 1; level /= 2) below /= 2;
        bool last = i >= TREE_STEPS / 2;
        steps[i] = (tree_step){(int16_t)(1000 * (i % 7) - 3000), (uint16_t)(i % TREE_COLUMNS),
                               (uint16_t)(last ? TREE_STEPS : 2 * i + 1),
                               (uint16_t)(last ? TREE_STEPS : 2 * i + 2), (int16_t)below};
    }
    return steps;
}
BENCH(tree_sums, TREE_STEPS *TREE_ROWS, 5, 2.5,
      k->tree_sums((uint32_t *)(void *)r->c, small_tree(), TREE_STEPS / 2, TREE_STEPS, 0,
                   (const int16_t *)(const void *)r->a, (int16_t *)(void *)r->d))
BENCH(least_distances, 2 * 16 * 32 * CHANNELS, 3, 0.5,
      k->least_distances(r->c, r->b, 2, r->a, 16, 32, CHANNELS))
enum { NUMBERS = 128, NUMBER_COLUMNS = 16 };
static const double *small_numbers(void)
{
    static double numbers[NUMBERS];
    for (int i = 0; numbers[1] == 0 && i < NUMBERS; i++)
        numbers[NUMBERS - 1 - i] = i % 10 == 9 ? NAN : 1 + i * 0.37;
    return numbers;
}
static const number_encoding standard_encoding = {
    .factor = 1, .mean = 20, .sd = 13, .scale = 0.25, .low = 1, .high = 40};
BENCH(encode_numbers, NUMBERS, 6, 3,
      k->encode_numbers(r->c, NULL, &(bool){false}, &standard_encoding, small_numbers(), NUMBERS))
BENCH(turn_columns, NUMBERS *NUMBER_COLUMNS, 0, 2,
      k->turn_columns(r->c, NUMBER_COLUMNS, r->a, NUMBERS, NUMBERS, NUMBER_COLUMNS))
BENCH(adam, VALUES, 15, 7, k->adam(r->a, r->b, r->c, r->d, &step, VALUES))

static const struct {
    const char *name;
    cost (*run)(const kernels *k, const buffers *r, size_t times);
} kernel_list[] = {
#define KERNEL(name, arguments) {#name, time_##name},
#include "kernels/kernels.def"
#undef KERNEL
};

static puad_status make_buffers(buffers *r, arena *memory)
{
    float **const arrays[] = {&r->a, &r->b, &r->c, &r->d};
    rng draws = rng_make(0, rng_stream("bench", 1));
    for (size_t i = 0; i < 4; i++) {
        TRY(arena_new(memory, arrays[i], VALUES, sizeof(float)));
        for (size_t j = 0; j < VALUES; j++) (*arrays[i])[j] = (float)rng_uniform(&draws);
    }
    for (size_t i = 0; i < 6; i++) {
        TRY(arena_new(memory, &r->channel[i], CHANNELS, sizeof(float)));
        for (size_t j = 0; j < CHANNELS; j++) r->channel[i][j] = (float)rng_uniform(&draws);
    }
    return PUAD_OK;
}

/* Median over `repeats` runs of about two milliseconds each; returns the cost per second. */
static cost rate_of(cost (*run)(const kernels *, const buffers *, size_t), const kernels *k, const buffers *r,
                    size_t repeats)
{
    enum { MOST = 64 };
    double times[MOST];
    size_t calls = 1;
    for (double time = 0; time < 1e-3 && calls < (size_t)1 << 24; calls *= 2) {
        double begin = bench_seconds();
        run(k, r, calls);
        time = bench_seconds() - begin;
    }
    if (repeats > MOST) repeats = MOST;
    cost work = {0};
    for (size_t i = 0; i < repeats; i++) {
        double begin = bench_seconds();
        work = run(k, r, calls);
        times[i] = bench_seconds() - begin;
    }
    double middle = bench_median(times, repeats);
    return (cost){work.flops / middle, work.bytes / middle};
}

static puad_status print_kernel(const char *name, cost rate, double peak, bool json)
{
    if (!json) {
        printf("  %-24s %9.1f %9.1f %8.0f%%\n", name, rate.flops * 1e-9, rate.bytes * 1e-9,
               100 * rate.flops / peak);
        return PUAD_OK;
    }
    AUTO_JSON cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "kernel", name);
    cJSON_AddNumberToObject(out, "gflops", rate.flops * 1e-9);
    cJSON_AddNumberToObject(out, "gbytes_per_s", rate.bytes * 1e-9);
    cJSON_AddNumberToObject(out, "peak_share", rate.flops / peak);
    return json_line(out);
}

puad_status bench_kernels(const invocation *call, team *workers)
{
    AUTO_ARENA arena memory = {0};
    buffers r;
    TRY(make_buffers(&r, &memory));
    const kernels *k = kernels_best();
    bool json = is_given(call, "json");
    size_t repeats = (size_t)value_of(call, "steps")->integer;
    double peak = bench_peak(NULL, k);
    if (!json)
        printf("kernels of %s, one thread, peak %.1f GFLOP/s\n  %-24s %9s %9s %9s\n", k->name, peak * 1e-9,
               "", "GFLOP/s", "GB/s", "of peak");
    unsigned saved = flush_to_zero_begin();
    puad_status status = PUAD_OK;
    for (size_t i = 0; i < sizeof kernel_list / sizeof *kernel_list && status == PUAD_OK; i++)
        status = print_kernel(kernel_list[i].name, rate_of(kernel_list[i].run, k, &r, repeats), peak, json);
    flush_to_zero_end(saved);
    return status == PUAD_OK ? bench_passes(call, workers) : status;
}
