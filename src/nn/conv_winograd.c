/* Convolution in Winograd form along x: tiles of four outputs become 8 points (5 taps) or 6 points (3 taps),
 * and for each point the sum over rows and channels is a product of matrices: 2.5 and 2 times fewer
 * multiplications.
 *
 * Layout of points: [point][image][y][tile][channel]. Rows of a product are the same place in neighbouring
 * images, so that rows of taps that fall outside the image can be left out. */
#include "nn/convolution.h"

#include <string.h>

enum {
    IMAGES_A_SWEEP =
        32, /* images whose points are held at once for the weight gradient: a few MiB, near the caches */
    DEPTH_A_STEP = 128, /* products summed before the sums go back to memory */
};

static size_t tiles(const effective *e)
{
    return e->width / WINOGRAD_OUTPUTS;
}
static size_t places(const effective *e)
{
    return e->height * tiles(e);
}

/* Floats from one image's points to the next: a cache line more than they have, because a product walks over
 * several images at once and strides of powers of two would all fall into the same lines of the first-level
 * cache. */
static size_t image_stride(const effective *e)
{
    return places(e) * e->in + 16;
}

size_t winograd_packed(const effective *e, const kernels *k)
{
    (void)k;
    return winograd_points((int)e->taps) * e->taps * e->in * e->out;
}

size_t winograd_thread(const effective *e, const kernels *k)
{
    size_t images = k->tile, points = winograd_points((int)e->taps);
    return round_to(points * images * image_stride(e), 16) + points * places(e) * images * k->panel +
           round_to(e->from.channels, 16);
}

size_t winograd_shared(const effective *e, const kernels *k, size_t rows)
{
    (void)k;
    if (rows > IMAGES_A_SWEEP) rows = IMAGES_A_SWEEP;
    size_t points = winograd_points((int)e->taps);
    return points * rows * places(e) * (e->in + e->out) + points * e->taps * e->in * e->out;
}

typedef struct packing {
    const effective *e;
    const kernels *k;
    float *packed;
    const float *weights;
} packing;

/* packed: [point][panel][ky][in][lane], one panel an item */
static void pack_panel(void *context, size_t panel, int thread)
{
    (void)thread;
    const packing *job = context;
    const effective *e = job->e;
    size_t width = job->k->panel, stride = e->taps * e->in * e->out;
    for (size_t ky = 0; ky < e->taps; ky++)
        for (size_t ci = 0; ci < e->in; ci++)
            job->k->winograd_weights(
                (int)e->taps, job->packed + ((panel * e->taps + ky) * e->in + ci) * width, stride,
                job->weights + (ky * e->taps * e->in + ci) * e->out + panel * width, e->in * e->out, width);
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
    size_t images_an_item;
} running;

/* Points of one image: out[point * point_stride + (y, tile) * channels]. `zero` holds channels zeros. */
static void transform_image(const effective *e, const kernels *k, float *out, size_t point_stride,
                            const float *image, const float *zero)
{
    size_t pad = e->taps / 2, count = winograd_points((int)e->taps);
    for (size_t y = 0; y < e->height; y++)
        for (size_t tile = 0; tile < tiles(e); tile++, out += e->in)
            for (size_t phase = 0; phase < e->from.phases; phase++) {
                const float *pixels[8];
                const float *row = image + y * e->from.row + e->from.phase[phase];
                for (size_t i = 0; i < count; i++) {
                    size_t x = tile * WINOGRAD_OUTPUTS + i - pad;
                    pixels[i] = x < e->width ? row + x * e->from.pixel : zero;
                }
                k->winograd_input((int)e->taps, out + phase * e->from.channels, point_stride, pixels,
                                  e->from.channels);
            }
}

static void run_images(void *context, size_t item, int thread)
{
    const running *job = context;
    const effective *e = job->e;
    const kernels *k = job->now->k;
    size_t first = item * job->images_an_item, images = job->now->rows - first;
    if (images > job->images_an_item) images = job->images_an_item;
    size_t points = winograd_points((int)e->taps), spots = places(e), width = k->panel;
    float *inputs = thread_scratch(job->now, thread);
    float *outputs = inputs + round_to(points * k->tile * image_stride(e), 16);
    float *zero = outputs + points * spots * k->tile * width;
    memset(zero, 0, e->from.channels * sizeof *zero);
    size_t in_point = images * image_stride(e), out_point = spots * images * width;
    for (size_t n = 0; n < images; n++)
        transform_image(e, k, inputs + n * image_stride(e), in_point, job->in + (first + n) * e->from.image,
                        zero);
    for (size_t panel = 0; panel < e->out / width; panel++) {
        for (size_t p = 0; p < points; p++)
            for (size_t y = 0; y < e->height; y++) {
                size_t count, tap = valid_taps(e, y, &count), pad = e->taps / 2;
                for (size_t tile = 0; tile < tiles(e); tile++) {
                    multiply_job product = {
                        .a = inputs + p * in_point + ((y + tap - pad) * tiles(e) + tile) * e->in,
                        .a_row = (ptrdiff_t)image_stride(e),
                        .a_segment = (ptrdiff_t)(tiles(e) * e->in),
                        .a_step = 1,
                        .b = job->packed + ((p * (e->out / width) + panel) * e->taps + tap) * e->in * width,
                        .b_segment = (ptrdiff_t)(e->in * width),
                        .b_step = (ptrdiff_t)width,
                        .c = outputs + p * out_point + (y * tiles(e) + tile) * images * width,
                        .c_row = (ptrdiff_t)width,
                        .rows = images,
                        .columns = width,
                        .segments = count,
                        .depth = e->in,
                    };
                    k->multiply(&product);
                }
            }
        size_t phase = panel * width / e->to.channels, channel = panel * width % e->to.channels;
        for (size_t spot = 0; spot < spots; spot++)
            for (size_t n = 0; n < images; n++) {
                size_t y = spot / tiles(e), x = spot % tiles(e) * WINOGRAD_OUTPUTS;
                float *pixel = job->out + (first + n) * e->to.image + y * e->to.row + x * e->to.pixel +
                               e->to.phase[phase] + channel;
                float *pixels[4] = {pixel, pixel + e->to.pixel, pixel + 2 * e->to.pixel,
                                    pixel + 3 * e->to.pixel};
                k->winograd_output((int)e->taps, pixels, outputs + (spot * images + n) * width, out_point,
                                   width);
            }
    }
}

void winograd_run(const effective *e, const pass *now, float *out, const float *in, const float *packed)
{
    running job = {e, now, out, in, packed, now->k->tile};
    team_run(now->workers, (now->rows + job.images_an_item - 1) / job.images_an_item, run_images, &job);
}

/* The weight gradient: points of the input (V) and of the output's gradient (Z) for a sweep of images, then
 * for each point the products V'Z per row of taps (S), then back to taps. */
typedef struct gradient_job {
    const effective *e;
    const pass *now;
    const float *in, *out_gradient;
    float *inputs, *spreads, *sums, *gradient;
    size_t first, images;
} gradient_job;

/* Spreads lie as [point][panel][image][y][tile][lane], so that a product reads them in one run. */
static void spread_image(const gradient_job *job, size_t n)
{
    const effective *e = job->e;
    size_t width = job->now->k->panel, panel_stride = job->images * places(e) * width;
    const float *image = job->out_gradient + (job->first + n) * e->to.image;
    float *out = job->spreads + n * places(e) * width;
    for (size_t y = 0; y < e->height; y++)
        for (size_t tile = 0; tile < tiles(e); tile++, out += width)
            for (size_t panel = 0; panel < e->out / width; panel++) {
                size_t phase = panel * width / e->to.channels, channel = panel * width % e->to.channels;
                const float *pixel = image + y * e->to.row + tile * WINOGRAD_OUTPUTS * e->to.pixel +
                                     e->to.phase[phase] + channel;
                const float *pixels[4] = {pixel, pixel + e->to.pixel, pixel + 2 * e->to.pixel,
                                          pixel + 3 * e->to.pixel};
                job->now->k->winograd_spread((int)e->taps, out + panel * panel_stride,
                                             job->images * places(e) * e->out, pixels, width);
            }
}

static void gradient_points(void *context, size_t n, int thread)
{
    const gradient_job *job = context;
    const effective *e = job->e;
    float *zero = thread_scratch(job->now, thread);
    memset(zero, 0, e->from.channels * sizeof *zero);
    transform_image(e, job->now->k, job->inputs + n * places(e) * e->in, job->images * places(e) * e->in,
                    job->in + (job->first + n) * e->from.image, zero);
    spread_image(job, n);
}

/* one point and one panel an item: its sums belong to it alone and run over the images in order */
static void gradient_sums(void *context, size_t item, int thread)
{
    (void)thread;
    const gradient_job *job = context;
    const effective *e = job->e;
    size_t width = job->now->k->panel, panels = e->out / width, p = item / panels, panel = item % panels;
    const float *inputs = job->inputs + p * job->images * places(e) * e->in;
    const float *spreads = job->spreads + (p * panels + panel) * job->images * places(e) * width;
    size_t block = places(e) < DEPTH_A_STEP ? DEPTH_A_STEP / places(e) : 1, pad = e->taps / 2;
    for (size_t n = 0; n < job->images; n += block)
        for (size_t ky = 0; ky < e->taps; ky++) {
            size_t cut = ky < pad ? pad - ky : ky - pad; /* rows that have no partner at this tap */
            if (cut >= e->height) {
                if (job->first == 0 && n == 0)
                    for (size_t ci = 0; ci < e->in; ci++)
                        memset(job->sums + ((p * e->taps + ky) * e->in + ci) * e->out + panel * width, 0,
                               width * sizeof(float));
                continue;
            }
            size_t in_row = ky > pad ? cut : 0, out_row = ky < pad ? cut : 0;
            multiply_job product = {
                .a = inputs + (n * places(e) + in_row * tiles(e)) * e->in,
                .a_row = 1,
                .a_segment = (ptrdiff_t)(places(e) * e->in),
                .a_step = (ptrdiff_t)e->in,
                .b = spreads + (n * places(e) + out_row * tiles(e)) * width,
                .b_segment = (ptrdiff_t)(places(e) * width),
                .b_step = (ptrdiff_t)width,
                .c = job->sums + (p * e->taps + ky) * e->in * e->out + panel * width,
                .c_row = (ptrdiff_t)e->out,
                .rows = e->in,
                .columns = width,
                .segments = job->images - n < block ? job->images - n : block,
                .depth = (e->height - cut) * tiles(e),
                .add = job->first > 0 || n > 0,
            };
            job->now->k->multiply(&product);
        }
}

static void gradient_taps(void *context, size_t item, int thread)
{
    (void)thread;
    const gradient_job *job = context;
    const effective *e = job->e;
    size_t ky = item / e->in, ci = item % e->in;
    job->now->k->winograd_weights_back((int)e->taps, job->gradient + (ky * e->taps * e->in + ci) * e->out,
                                       e->in * e->out, job->sums + (ky * e->in + ci) * e->out,
                                       e->taps * e->in * e->out, e->out);
}

void winograd_weights(const effective *e, const pass *now, float *gradient, const float *in,
                      const float *out_gradient)
{
    size_t points = winograd_points((int)e->taps);
    size_t sweep = now->rows < IMAGES_A_SWEEP ? now->rows : IMAGES_A_SWEEP;
    gradient_job job = {.e = e, .now = now, .in = in, .out_gradient = out_gradient, .gradient = gradient};
    job.inputs = now->shared;
    job.spreads = job.inputs + points * sweep * places(e) * e->in;
    job.sums = job.spreads + points * sweep * places(e) * e->out;
    for (job.first = 0; job.first < now->rows; job.first += sweep) {
        job.images = now->rows - job.first < sweep ? now->rows - job.first : sweep;
        team_run(now->workers, job.images, gradient_points, &job);
        team_run(now->workers, points * (e->out / now->k->panel), gradient_sums, &job);
    }
    team_run(now->workers, e->taps * e->in, gradient_taps, &job);
}
