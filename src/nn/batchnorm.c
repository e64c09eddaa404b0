/* BatchNorm over all pixels of the batch per channel (eps 1e-5, momentum 0.1, running variance unbiased),
 * followed by LeakyReLU and optional max-pool 2, fused. Parameters: scale then shift, if `affine`. State:
 * running mean, running variance.
 *
 * Moments and gradient sums are computed per group of images, combined in double in group order within
 * each part of the batch, and then across parts as ranks_join does. Results therefore do not depend on the
 * number of threads, nor on whether one, two or four ranks share the batch. */
#include "base/memory.h"
#include "nn/layer.h"

#include <math.h>
#include <string.h>

enum { PIXELS_A_GROUP = 64 };
static const double epsilon = NORM_EPSILON, momentum = 0.1;

/* images in a group: whole images, and many if an image is one pixel */
static size_t group_images(const layer *self)
{
    size_t pixels = self->in.height * self->in.width;
    return self->pool || pixels >= PIXELS_A_GROUP ? 1 : (PIXELS_A_GROUP + pixels - 1) / pixels;
}

/* Number of groups in the largest part of the batch. */
static size_t part_groups(const layer *self, size_t rows, size_t parts)
{
    size_t whole = rows / self->views, max = (whole + parts - 1) / parts * self->views;
    return (max + group_images(self) - 1) / group_images(self);
}

/* shared: the sums over the batch in double, two per channel and the number of pixels; then two floats per
 * channel and group */
static size_t sums_room(const layer *self)
{
    return round_to((2 * self->in.channels + 1) * 2, MEMORY_ALIGNMENT / sizeof(float));
}

static float *group_room(const layer *self, const pass *now, size_t group)
{
    return now->shared + sums_room(self) + group * 2 * self->in.channels;
}

static void plan(layer *self, const kernels *k, size_t rows)
{
    (void)k;
    size_t channels = self->in.channels;
    self->out = self->in;
    if (self->pool) {
        self->out.height /= 2;
        self->out.width /= 2;
    }
    self->parameters = self->affine ? 2 * channels : 0;
    self->state = 2 * channels;
    self->keep = 6 * channels;
    self->shared =
        sums_room(self) + RANKS_PARTS_MAX * part_groups(self, rows, RANKS_PARTS_MAX) * 2 * channels;
}

static size_t tensors(const layer *self, layer_tensor out[LAYER_TENSORS_MAX])
{
    static const char *const names[] = {"scale", "shift", "running_mean", "running_variance"};
    size_t count = 0;
    for (size_t i = self->affine ? 0 : 2; i < 4; i++)
        out[count++] =
            (layer_tensor){.name = names[i], .state = i >= 2, .dimensions = 1, .shape = {self->in.channels}};
    return count;
}

static void start(const layer *self, float *parameters, float *state)
{
    for (size_t c = 0; c < self->in.channels; c++) {
        if (self->affine) {
            parameters[c] = 1;
            parameters[self->in.channels + c] = 0;
        }
        state[c] = 0;
        state[self->in.channels + c] = 1;
    }
}

/* keep: values per channel */
typedef struct constants {
    float *mean, *inverse, *scale, *shift, *by_x, *constant;
} constants;

static constants kept(const layer *self, const pass *now)
{
    size_t channels = self->in.channels;
    float *at = now->keep;
    return (constants){
        at, at + channels, at + 2 * channels, at + 3 * channels, at + 4 * channels, at + 5 * channels};
}

typedef struct norm_job {
    const layer *self;
    const pass *now;
    constants c;
    const float *in, *out_gradient;
    float *out;
} norm_job;

/* The groups of a part of the batch: first group and count, images of each group, and of the last one. */
typedef struct part_span {
    size_t first_image, first_group, groups, images, last_images;
} part_span;

static part_span span_of(const norm_job *job, size_t part)
{
    const layer *self = job->self;
    const pass *now = job->now;
    size_t first = pass_part_begin(self, now, part), rows = pass_part_begin(self, now, part + 1) - first;
    part_span span = {.first_image = first,
                      .first_group = part * part_groups(self, now->rows, now->parts),
                      .images = group_images(self)};
    span.groups = (rows + span.images - 1) / span.images;
    span.last_images = rows - (span.groups ? span.groups - 1 : 0) * span.images;
    return span;
}

/* The first image of a group, and its number of pixels; 0 if the part is not full. */
static size_t group_first(const norm_job *job, size_t group, size_t *pixels)
{
    size_t in_part = part_groups(job->self, job->now->rows, job->now->parts);
    part_span span = span_of(job, group / in_part);
    size_t at = group - span.first_group;
    size_t images = at + 1 < span.groups ? span.images : at + 1 == span.groups ? span.last_images : 0;
    *pixels = images * job->self->in.height * job->self->in.width;
    return span.first_image + at * span.images;
}

/* Runs a function over the groups of all parts. */
static void run_groups(norm_job *job, void (*run)(void *context, size_t group, int thread))
{
    const pass *now = job->now;
    team_run(now->workers, now->parts * part_groups(job->self, now->rows, now->parts), run, job);
}

static void group_moments(void *context, size_t group, int thread)
{
    (void)thread;
    const norm_job *job = context;
    size_t pixels, first = group_first(job, group, &pixels), channels = job->self->in.channels;
    float *mean = group_room(job->self, job->now, group);
    if (pixels == 0) return;
    job->now->k->moments(mean, mean + channels, job->in + first * shape_size(job->self->in), pixels,
                         channels);
}

typedef struct channel_moments {
    double count, mean, deviations;
} channel_moments;

/* Combines the moments of a part's groups (Chan et al.). */
static channel_moments join_groups(const norm_job *job, const part_span *span, size_t c)
{
    const layer *self = job->self;
    size_t channels = self->in.channels, pixels = self->in.height * self->in.width;
    channel_moments moments = {0};
    for (size_t i = 0; i < span->groups; i++) {
        const float *values = group_room(self, job->now, span->first_group + i);
        double count = (double)((i + 1 < span->groups ? span->images : span->last_images) * pixels);
        double difference = values[c] - moments.mean, total = moments.count + count;
        moments.mean += difference * count / total;
        moments.deviations += values[channels + c] + difference * difference * moments.count * count / total;
        moments.count = total;
    }
    return moments;
}

static double batch_pixels(const norm_job *job)
{
    return (double)(job->now->rows * job->self->in.height * job->self->in.width);
}

/* Combines the moments of parts and ranks in one exchange: sums of x - m and of its square. m is the
 * running mean, which is the same on all ranks and close enough to the mean to avoid cancellation. */
static void join_parts(const norm_job *job)
{
    size_t channels = job->self->in.channels, parts = job->now->parts;
    double *sums = (double *)job->now->shared;
    part_span spans[RANKS_PARTS_MAX];
    for (size_t part = 0; part < parts; part++) spans[part] = span_of(job, part);
    for (size_t c = 0; c < channels; c++) {
        double first[RANKS_PARTS_MAX], second[RANKS_PARTS_MAX];
        for (size_t part = 0; part < parts; part++) {
            channel_moments moments = join_groups(job, &spans[part], c);
            double away = moments.mean - (double)job->now->state[c];
            first[part] = moments.count * away;
            second[part] = moments.deviations + moments.count * away * away;
        }
        sums[c] = ranks_join(first, parts);
        sums[channels + c] = ranks_join(second, parts);
    }
    sums[2 * channels] = batch_pixels(job);
    ranks_sum_doubles(job->now->ranks, sums, 2 * channels + 1);
}

static channel_moments joined_moments(const norm_job *job, size_t c)
{
    const double *sums = (const double *)job->now->shared;
    size_t channels = job->self->in.channels;
    double count = sums[2 * channels], away = sums[c] / count,
           deviations = sums[channels + c] - sums[c] * away;
    return (channel_moments){count, (double)job->now->state[c] + away, deviations > 0 ? deviations : 0};
}

/* The moments of the batch; updates the running ones. */
static void batch_moments(norm_job *job)
{
    const layer *self = job->self;
    size_t channels = self->in.channels;
    run_groups(job, group_moments);
    join_parts(job);
    for (size_t c = 0; c < channels; c++) {
        channel_moments all = joined_moments(job, c);
        double variance = all.deviations / all.count;
        job->c.mean[c] = (float)all.mean;
        job->c.inverse[c] = (float)(1 / sqrt(variance + epsilon));
        float *running = job->now->state;
        double unbiased = all.count > 1 ? all.deviations / (all.count - 1) : variance;
        running[c] = (float)((1 - momentum) * running[c] + momentum * all.mean);
        running[channels + c] = (float)((1 - momentum) * running[channels + c] + momentum * unbiased);
    }
}

static void apply(void *context, size_t n, int thread)
{
    (void)thread;
    const norm_job *job = context;
    const layer *self = job->self;
    const float *in = job->in + n * shape_size(self->in);
    float *out = job->out + n * shape_size(self->out);
    if (self->pool)
        job->now->k->affine_leaky_pool(out, in, job->c.scale, job->c.shift, self->slope, self->in.height,
                                       self->in.width, self->in.channels);
    else
        job->now->k->affine_leaky(out, in, job->c.scale, job->c.shift, self->slope,
                                  self->in.height * self->in.width, self->in.channels);
}

static void forward(const layer *self, const pass *now, const float *in, float *out)
{
    size_t channels = self->in.channels;
    norm_job job = {.self = self, .now = now, .c = kept(self, now), .in = in, .out = out};
    if (now->training) {
        batch_moments(&job);
    } else {
        for (size_t c = 0; c < channels; c++) {
            job.c.mean[c] = now->state[c];
            job.c.inverse[c] = (float)(1 / sqrt((double)now->state[channels + c] + epsilon));
        }
    }
    for (size_t c = 0; c < channels; c++) {
        job.c.scale[c] = self->affine ? now->parameters[c] * job.c.inverse[c] : job.c.inverse[c];
        job.c.shift[c] = (self->affine ? now->parameters[channels + c] : 0) - job.c.mean[c] * job.c.scale[c];
    }
    team_run(now->workers, now->rows, apply, &job);
}

static void group_sums(void *context, size_t group, int thread)
{
    (void)thread;
    const norm_job *job = context;
    const layer *self = job->self;
    size_t pixels, first = group_first(job, group, &pixels), channels = self->in.channels;
    const float *in = job->in + first * shape_size(self->in);
    const float *gradient = job->out_gradient + first * shape_size(self->out);
    float *sum = group_room(self, job->now, group);
    if (pixels == 0) return;
    if (self->pool)
        job->now->k->affine_leaky_pool_sums(sum, sum + channels, gradient, in, job->c.scale, job->c.shift,
                                            job->c.mean, self->slope, self->in.height, self->in.width,
                                            channels);
    else
        job->now->k->affine_leaky_sums(sum, sum + channels, gradient, in, job->c.scale, job->c.shift,
                                       job->c.mean, self->slope, pixels, channels);
}

static void apply_back(void *context, size_t n, int thread)
{
    (void)thread;
    const norm_job *job = context;
    const layer *self = job->self;
    const float *in = job->in + n * shape_size(self->in),
                *gradient = job->out_gradient + n * shape_size(self->out);
    float *out = job->out + n * shape_size(self->in);
    const constants *c = &job->c;
    if (self->pool)
        job->now->k->affine_leaky_pool_back(out, gradient, in, c->scale, c->shift, c->by_x, c->constant,
                                            self->slope, self->in.height, self->in.width, self->in.channels);
    else
        job->now->k->affine_leaky_back(out, gradient, in, c->scale, c->shift, c->by_x, c->constant,
                                       self->slope, self->in.height * self->in.width, self->in.channels);
}

/* Sums of g and of g * (x - mean) over this rank's rows, per channel; and the number of their pixels. */
static void join_sums(const norm_job *job, double *sums)
{
    const layer *self = job->self;
    size_t channels = self->in.channels, parts = job->now->parts;
    part_span spans[RANKS_PARTS_MAX];
    for (size_t part = 0; part < parts; part++) spans[part] = span_of(job, part);
    for (size_t c = 0; c < channels; c++) {
        double sum[RANKS_PARTS_MAX] = {0}, sum_x[RANKS_PARTS_MAX] = {0};
        for (size_t part = 0; part < parts; part++)
            for (size_t i = 0; i < spans[part].groups; i++) {
                const float *values = group_room(self, job->now, spans[part].first_group + i);
                sum[part] += values[c];
                sum_x[part] += values[channels + c];
            }
        sums[c] = ranks_join(sum, parts);
        sums[channels + c] = ranks_join(sum_x, parts);
    }
    sums[2 * channels] = batch_pixels(job);
}

static void backward(const layer *self, const pass *now, const float *in, const float *out,
                     const float *out_gradient, float *in_gradient)
{
    (void)out;
    size_t channels = self->in.channels;
    norm_job job = {.self = self,
                    .now = now,
                    .c = kept(self, now),
                    .in = in,
                    .out = in_gradient,
                    .out_gradient = out_gradient};
    double *sums = (double *)now->shared;
    run_groups(&job, group_sums);
    join_sums(&job, sums);
    if (now->training) ranks_sum_doubles(now->ranks, sums, 2 * channels + 1);
    bool ours =
        /* sums over all ranks; only one rank writes them, because the trainer adds gradients */
        !now->training || ranks_is_first(now->ranks);
    for (size_t c = 0; self->affine && now->gradients && c < channels; c++) {
        now->gradients[c] = ours ? (float)(sums[channels + c] * job.c.inverse[c]) : 0;
        now->gradients[channels + c] = ours ? (float)sums[c] : 0;
    }
    double count = sums[2 * channels];
    for (size_t c = 0; c < channels; c++) {
        /* dx = scale * (g - mean(g) - (x - mean) * inverse^2 * mean(g * (x - mean))) */
        double inverse = job.c.inverse[c], scale = job.c.scale[c];
        double by_x = now->training ? -scale * inverse * inverse * sums[channels + c] / count : 0;
        job.c.by_x[c] = (float)by_x;
        job.c.constant[c] = now->training ? (float)(-scale * sums[c] / count - by_x * job.c.mean[c]) : 0;
    }
    if (in_gradient) team_run(now->workers, now->rows, apply_back, &job);
}

const layer_type layer_norm = {.name = "norm",
                               .back_in_place = true,
                               .sums_batch = true,
                               .plan = plan,
                               .tensors = tensors,
                               .start = start,
                               .forward = forward,
                               .backward = backward};
