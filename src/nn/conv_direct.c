/* Direct convolution, for images with few channels and for sizes that the Winograd form does not support.
 * Images are copied with zeros left and right, so that a row of taps is one run of taps x channels values;
 * rows of taps outside the image are skipped. */
#include "nn/convolution.h"

#include <string.h>

enum {
    IMAGES_A_GROUP = 8
}; /* images per group of the weight gradient; fixed, so that sums do not depend on the number of threads */

static size_t padded_row(const effective *e)
{
    return (e->width + e->taps - 1) * e->in;
}
static size_t padded_out(const effective *e, const kernels *k)
{
    return round_to(e->out, k->panel);
}
/* Columns of a panel to compute: half if that holds all remaining channels. */
static size_t panel_columns(const effective *e, const kernels *k, size_t panel)
{
    return e->out - panel * k->panel <= k->panel / 2 ? k->panel / 2 : k->panel;
}
static size_t run_length(const effective *e)
{
    return e->taps * e->in;
}

size_t direct_packed(const effective *e, const kernels *k)
{
    return e->taps * run_length(e) * padded_out(e, k);
}

size_t direct_thread(const effective *e, const kernels *k)
{
    return round_to(e->height * padded_row(e), 16) + e->height * e->width * padded_out(e, k);
}

static size_t gradient_size(const effective *e, const kernels *k)
{
    return direct_packed(e, k);
}

static size_t groups(size_t rows)
{
    return (rows + IMAGES_A_GROUP - 1) / IMAGES_A_GROUP;
}

size_t direct_shared(const effective *e, const kernels *k, size_t rows)
{
    return groups(rows) * gradient_size(e, k);
}

/* packed: [panel][ky][kx][in][lane], lanes past the last channel are 0 */
void direct_pack(const effective *e, const pass *now, float *packed, const float *weights)
{
    size_t width = now->k->panel, rows = e->taps * run_length(e);
    for (size_t panel = 0; panel * width < e->out; panel++)
        for (size_t row = 0; row < rows; row++)
            for (size_t lane = 0; lane < width; lane++) {
                size_t channel = panel * width + lane;
                packed[(panel * rows + row) * width + lane] =
                    channel < e->out ? weights[row * e->out + channel] : 0;
            }
}

/* Copies an image, given by its view, to rows with zeros on both sides and joined phases. */
static void pad_image(const effective *e, float *out, const float *image)
{
    size_t pad = e->taps / 2 * e->in, row = padded_row(e);
    for (size_t y = 0; y < e->height; y++, out += row) {
        memset(out, 0, pad * sizeof *out);
        memset(out + row - pad, 0, pad * sizeof *out);
        float *to = out + pad;
        if (e->source.phases == 1) {
            memcpy(to, image + y * e->source.row, e->width * e->in * sizeof *out);
            continue;
        }
        for (size_t x = 0; x < e->width; x++)
            for (size_t phase = 0; phase < e->source.phases; phase++, to += e->source.channels)
                memcpy(to, image + y * e->source.row + x * e->source.pixel + e->source.phase[phase],
                       e->source.channels * sizeof *out);
    }
}

typedef struct direct_job {
    const effective *e;
    const pass *now;
    float *out;
    const float *in, *packed, *out_gradient;
} direct_job;

/* Copies pixels of `padded` floats to the addresses given by the view. */
static void scatter(const view *to, float *image, const float *pixels, size_t height, size_t width,
                    size_t padded)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++, pixels += padded)
            for (size_t phase = 0; phase < to->phases; phase++) {
                float *pixel = image + y * to->row + x * to->pixel + to->phase[phase];
                for (size_t c = 0; c < to->channels; c++) pixel[c] = pixels[phase * to->channels + c];
            }
}

static void gather(const view *source, float *pixels, const float *image, size_t height, size_t width,
                   size_t padded)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++, pixels += padded) {
            for (size_t phase = 0; phase < source->phases; phase++) {
                const float *pixel = image + y * source->row + x * source->pixel + source->phase[phase];
                for (size_t c = 0; c < source->channels; c++) pixels[phase * source->channels + c] = pixel[c];
            }
            for (size_t c = source->phases * source->channels; c < padded; c++) pixels[c] = 0;
        }
}

static void run_image(void *context, size_t n, int thread)
{
    const direct_job *job = context;
    const effective *e = job->e;
    const kernels *k = job->now->k;
    size_t width = k->panel, padded = padded_out(e, k), run = run_length(e);
    float *image = thread_scratch(job->now, thread);
    float *pixels = image + round_to(e->height * padded_row(e), 16);
    bool straight = e->to.phases == 1 && padded == e->out; /* writes results directly to their destination */
    float *target = straight ? job->out + n * e->to.image : pixels;
    pad_image(e, image, job->in + n * e->source.image);
    for (size_t y = 0; y < e->height; y++) {
        size_t count, tap = valid_taps(e, y, &count);
        for (size_t panel = 0; panel * width < e->out; panel++) {
            multiply_job product = {
                .a = image + (y + tap - e->taps / 2) * padded_row(e),
                .a_row = (ptrdiff_t)e->in,
                .a_segment = (ptrdiff_t)padded_row(e),
                .a_step = 1,
                .b = job->packed + (panel * e->taps + tap) * run * width,
                .b_segment = (ptrdiff_t)(run * width),
                .b_step = (ptrdiff_t)width,
                .c = target + y * e->width * padded + panel * width,
                .c_row = (ptrdiff_t)padded,
                .rows = e->width,
                .columns = panel_columns(e, k, panel),
                .segments = count,
                .depth = run,
            };
            k->multiply(&product);
        }
    }
    if (!straight) scatter(&e->to, job->out + n * e->to.image, pixels, e->height, e->width, padded);
}

void direct_run(const effective *e, const pass *now, float *out, const float *in, const float *packed)
{
    direct_job job = {.e = e, .now = now, .out = out, .in = in, .packed = packed};
    team_run(now->workers, now->rows, run_image, &job);
}

/* Each item is a group of images and sums [ky][kx][in][padded out] into a separate block. */
static void sum_group(void *context, size_t group, int thread)
{
    const direct_job *job = context;
    const effective *e = job->e;
    const kernels *k = job->now->k;
    size_t width = k->panel, padded = padded_out(e, k), run = run_length(e), pad = e->taps / 2;
    float *sums = job->now->shared + group * gradient_size(e, k);
    float *image = thread_scratch(job->now, thread);
    float *pixels = image + round_to(e->height * padded_row(e), 16);
    bool straight = e->to.phases == 1 && padded == e->out;
    size_t first = group * IMAGES_A_GROUP, last = first + IMAGES_A_GROUP;
    memset(sums, 0, gradient_size(e, k) * sizeof *sums);
    for (size_t n = first; n < last && n < job->now->rows; n++) {
        const float *gradient = job->out_gradient + n * e->to.image;
        pad_image(e, image, job->in + n * e->source.image);
        if (!straight) {
            gather(&e->to, pixels, gradient, e->height, e->width, padded);
            gradient = pixels;
        }
        for (size_t ky = 0; ky < e->taps; ky++) {
            size_t cut = ky < pad ? pad - ky : ky - pad;
            if (cut >= e->height) continue;
            for (size_t panel = 0; panel * width < e->out; panel++) {
                multiply_job product = {
                    .a = image + (ky > pad ? cut : 0) * padded_row(e),
                    .a_row = 1,
                    .a_segment = (ptrdiff_t)padded_row(e),
                    .a_step = (ptrdiff_t)e->in,
                    .b = gradient + (ky < pad ? cut : 0) * e->width * padded + panel * width,
                    .b_segment = (ptrdiff_t)(e->width * padded),
                    .b_step = (ptrdiff_t)padded,
                    .c = sums + ky * run * padded + panel * width,
                    .c_row = (ptrdiff_t)padded,
                    .rows = run,
                    .columns = panel_columns(e, k, panel),
                    .segments = e->height - cut,
                    .depth = e->width,
                    .add = true,
                };
                k->multiply(&product);
            }
        }
    }
}

/* Adds the groups' sums in order; each item is one row of weights. */
static void join_groups(void *context, size_t row, int thread)
{
    (void)thread;
    const direct_job *job = context;
    const effective *e = job->e;
    size_t padded = padded_out(e, job->now->k), size = gradient_size(e, job->now->k);
    float *out = job->out + row * e->out;
    memcpy(out, job->now->shared + row * padded, e->out * sizeof *out);
    for (size_t group = 1; group < groups(job->now->rows); group++)
        job->now->k->add(out, job->now->shared + group * size + row * padded, e->out);
}

void direct_weights(const effective *e, const pass *now, float *gradient, const float *in,
                    const float *out_gradient)
{
    direct_job job = {.e = e, .now = now, .out = gradient, .in = in, .out_gradient = out_gradient};
    team_run(now->workers, groups(now->rows), sum_group, &job);
    team_run(now->workers, e->taps * run_length(e), join_groups, &job);
}
