/* The weight gradient in Winograd form: points of the input (V) and of the output's gradient (Z) for a
 * sweep of tiles; for each point the sum V'Z over the tiles; then back to taps. */
#include "nn/winograd.h"

#include <string.h>

/* Tiles whose points are in memory at once: a few MiB. Each sweep reads and writes the sums. */
enum { TILES_A_SWEEP = 128 };

static size_t sweep_tiles(const effective *e, size_t rows)
{
    size_t all = rows * winograd_tiles(e);
    return all < TILES_A_SWEEP ? all : TILES_A_SWEEP;
}

size_t winograd_shared(const effective *e, const kernels *k, size_t rows)
{
    (void)k;
    size_t sweep = sweep_tiles(e, rows);
    return winograd_points(e->taps) *
           (winograd_point_stride(sweep, e->in) + winograd_point_stride(sweep, e->out) + e->in * e->out);
}

/* Points are stored as [point][panel][tile][lane], so that a product reads both sides sequentially. */
typedef struct gradient_job {
    const effective *e;
    const pass *now;
    const float *in, *out_gradient;
    float *inputs, *spreads, *sums, *gradient;
    size_t in_stride, out_stride; /* between points */
    size_t sweep, first, tiles;   /* capacity in tiles, and the tiles of this sweep */
} gradient_job;

static void spread_tile(const gradient_job *job, size_t t)
{
    const effective *e = job->e;
    const kernels *k = job->now->k;
    const view *to = &e->to;
    const float *first = job->out_gradient + winograd_tile_at(e, job->first + t);
    float *points = job->spreads + t * k->panel;
    for (size_t phase = 0; phase < to->phases; phase++) {
        const float *pixels[WINOGRAD_OUTPUTS * WINOGRAD_OUTPUTS];
        for (size_t y = 0; y < WINOGRAD_OUTPUTS; y++)
            for (size_t x = 0; x < WINOGRAD_OUTPUTS; x++)
                pixels[y * WINOGRAD_OUTPUTS + x] = first + y * to->row + x * to->pixel + to->phase[phase];
        for (size_t c = 0; c < to->channels; c += k->panel, points += job->sweep * k->panel)
            k->winograd_spread((int)e->taps, points, job->out_stride, pixels, c, k->panel);
    }
}

static void gradient_points(void *context, size_t t, int thread)
{
    const gradient_job *job = context;
    const effective *e = job->e;
    const kernels *k = job->now->k;
    float *zero = thread_scratch(job->now, thread);
    memset(zero, 0, e->source.channels * sizeof *zero);
    winograd_room to = {job->inputs + t * k->panel, job->in_stride, k->panel, job->sweep * k->panel};
    winograd_tile_points(e, k, to, job->in, job->first + t, zero);
    spread_tile(job, t);
}

/* each item is one point and one panel of output channels; it owns its sums, which run over the tiles in
 * order */
static void gradient_sums(void *context, size_t item, int thread)
{
    (void)thread;
    const gradient_job *job = context;
    const effective *e = job->e;
    size_t width = job->now->k->panel, panels = e->out / width, p = item / panels, panel = item % panels;
    for (size_t ci = 0; ci < e->in; ci += width) {
        multiply_job product = {
            .a = job->inputs + p * job->in_stride + ci * job->sweep,
            .a_row = 1,
            .a_step = (ptrdiff_t)width,
            .b = job->spreads + p * job->out_stride + panel * job->sweep * width,
            .b_step = (ptrdiff_t)width,
            .c = job->sums + (p * e->in + ci) * e->out + panel * width,
            .c_row = (ptrdiff_t)e->out,
            .rows = width,
            .columns = width,
            .segments = 1,
            .depth = job->tiles,
            .add = job->first > 0,
        };
        job->now->k->multiply(&product);
    }
}

static void gradient_taps(void *context, size_t ci, int thread)
{
    (void)thread;
    const gradient_job *job = context;
    const effective *e = job->e;
    job->now->k->winograd_weights_back((int)e->taps, job->gradient + ci * e->out, e->in * e->out,
                                       job->sums + ci * e->out, e->in * e->out, e->out);
}

void winograd_weights(const effective *e, const pass *now, float *gradient, const float *in,
                      const float *out_gradient)
{
    size_t points = winograd_points(e->taps), all = now->rows * winograd_tiles(e);
    gradient_job job = {.e = e, .now = now, .in = in, .out_gradient = out_gradient, .gradient = gradient};
    job.sweep = sweep_tiles(e, now->rows);
    job.in_stride = winograd_point_stride(job.sweep, e->in);
    job.out_stride = winograd_point_stride(job.sweep, e->out);
    job.inputs = now->shared;
    job.spreads = job.inputs + points * job.in_stride;
    job.sums = job.spreads + points * job.out_stride;
    for (job.first = 0; job.first < all; job.first += job.tiles) {
        job.tiles = all - job.first < job.sweep ? all - job.first : job.sweep;
        team_run(now->workers, job.tiles, gradient_points, &job);
        team_run(now->workers, points * (e->out / now->k->panel), gradient_sums, &job);
    }
    team_run(now->workers, e->in, gradient_taps, &job);
}
