/* Winograd convolution: tiles of 4x4 outputs become 8x8 points (5 taps) or 6x6 (3 taps), and for each
 * point the sum over channels is a product of matrices, tiles x channels by channels: 6.25 and 4 times
 * fewer multiplications. */
#include "nn/winograd.h"

#include <string.h>

/* Maximum number of tiles per work item: enough to reuse packed weights, which come from outer caches, and
 * few enough that the tiles' points stay in the second-level cache. */
enum { TILES_AN_ITEM = 24 };

/* Fewer if a batch has few tiles, so that every thread has work. */
static size_t tiles_an_item(const effective *e, const pass *now)
{
    size_t items = 2 * (size_t)team_size(now->workers);
    size_t share = round_to((now->rows * winograd_tiles(e) + items - 1) / items, now->k->tile);
    return share < TILES_AN_ITEM ? share : TILES_AN_ITEM;
}

size_t winograd_packed(const effective *e, const kernels *k)
{
    (void)k;
    return winograd_points(e->taps) * e->in * e->out;
}

size_t winograd_thread(const effective *e, const kernels *k)
{
    return winograd_points(e->taps) * (winograd_point_stride(TILES_AN_ITEM, e->in) +
                                       winograd_point_stride(TILES_AN_ITEM, k->panel)) +
           round_to(e->source.channels, 16);
}

typedef struct packing {
    const effective *e;
    const kernels *k;
    float *packed;
    const float *weights;
} packing;

/* packed: [panel][point][in][lane], one panel per item */
static void pack_panel(void *context, size_t panel, int thread)
{
    (void)thread;
    const packing *job = context;
    const effective *e = job->e;
    size_t width = job->k->panel;
    float *packed = job->packed + panel * winograd_points(e->taps) * e->in * width;
    for (size_t ci = 0; ci < e->in; ci++)
        job->k->winograd_weights((int)e->taps, packed + ci * width, e->in * width,
                                 job->weights + ci * e->out + panel * width, e->in * e->out, width);
}

void winograd_pack(const effective *e, const pass *now, float *packed, const float *weights)
{
    packing job = {e, now->k, packed, weights};
    team_run(now->workers, e->out / now->k->panel, pack_panel, &job);
}

typedef struct running {
    const effective *e;
    const pass *now;
    float *out;
    const float *in, *packed;
    size_t tiles_an_item;
} running;

/* One point of some tiles, for one panel of output channels. */
static void multiply_point(const effective *e, const kernels *k, float *out, const float *in,
                           const float *packed, size_t tiles)
{
    multiply_job product = {
        .a = in,
        .a_row = (ptrdiff_t)e->in,
        .a_step = 1,
        .b = packed,
        .b_step = (ptrdiff_t)k->panel,
        .c = out,
        .c_row = (ptrdiff_t)k->panel,
        .rows = tiles,
        .columns = k->panel,
        .segments = 1,
        .depth = e->in,
    };
    k->multiply(&product);
}

/* From the points of one tile to its outputs, for one panel of output channels. */
static void write_tile(const running *job, size_t tile, size_t panel, const float *points,
                       size_t point_stride)
{
    const view *to = &job->e->to;
    size_t width = job->now->k->panel, phase = panel * width / to->channels;
    float *first =
        job->out + winograd_tile_at(job->e, tile) + to->phase[phase] + panel * width % to->channels;
    float *pixels[WINOGRAD_OUTPUTS * WINOGRAD_OUTPUTS];
    for (size_t y = 0; y < WINOGRAD_OUTPUTS; y++)
        for (size_t x = 0; x < WINOGRAD_OUTPUTS; x++)
            pixels[y * WINOGRAD_OUTPUTS + x] = first + y * to->row + x * to->pixel;
    job->now->k->winograd_output((int)job->e->taps, pixels, points, point_stride, width);
}

static void run_tiles(void *context, size_t item, int thread)
{
    const running *job = context;
    const effective *e = job->e;
    const kernels *k = job->now->k;
    size_t first = item * job->tiles_an_item, tiles = job->now->rows * winograd_tiles(e) - first;
    if (tiles > job->tiles_an_item) tiles = job->tiles_an_item;
    size_t points = winograd_points(e->taps), width = k->panel;
    size_t in_stride = winograd_point_stride(TILES_AN_ITEM, e->in),
           out_stride = winograd_point_stride(TILES_AN_ITEM, width);
    float *inputs = thread_scratch(job->now, thread), *outputs = inputs + points * in_stride;
    float *zero = outputs + points * out_stride;
    memset(zero, 0, e->source.channels * sizeof *zero);
    for (size_t t = 0; t < tiles; t++) {
        winograd_room to = {inputs + t * e->in, in_stride, e->source.channels, e->source.channels};
        winograd_tile_points(e, k, to, job->in, first + t, zero);
    }
    for (size_t panel = 0; panel < e->out / width; panel++) {
        const float *packed = job->packed + panel * points * e->in * width;
        for (size_t p = 0; p < points; p++)
            multiply_point(e, k, outputs + p * out_stride, inputs + p * in_stride, packed + p * e->in * width,
                           tiles);
        for (size_t t = 0; t < tiles; t++) write_tile(job, first + t, panel, outputs + t * width, out_stride);
    }
}

void winograd_run(const effective *e, const pass *now, float *out, const float *in, const float *packed)
{
    running job = {e, now, out, in, packed, tiles_an_item(e, now)};
    size_t tiles = now->rows * winograd_tiles(e);
    team_run(now->workers, (tiles + job.tiles_an_item - 1) / job.tiles_an_item, run_tiles, &job);
}
