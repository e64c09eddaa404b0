/* BatchNorm over all pixels of the batch per channel (eps 1e-5, momentum 0.1, running variance unbiased),
 * LeakyReLU behind it, and optionally max-pool 2, fused. Parameters: scale then shift, if `affine`. State:
 * running mean, running variance.
 *
 * Moments and gradient sums are made per group of images and joined in the groups' order in double, so they
 * do not depend on the number of threads. */
#include "nn/layer.h"

#include <math.h>
#include <string.h>

enum { PIXELS_A_GROUP = 64 };
static const double epsilon = NORM_EPSILON, momentum = 0.1;

/* images in a group: whole images, and enough of them where an image is one pixel */
static size_t group_images(const layer *self)
{
    size_t pixels = self->in.height * self->in.width;
    return self->pool || pixels >= PIXELS_A_GROUP ? 1 : (PIXELS_A_GROUP + pixels - 1) / pixels;
}

static size_t group_count(const layer *self, size_t rows)
{
    return (rows + group_images(self) - 1) / group_images(self);
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
    self->shared = group_count(self, rows) * 2 * channels;
}

static size_t tensors(const layer *self, layer_tensor out[LAYER_TENSORS_MOST])
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

/* keep: per channel */
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

/* The images of a group: the first one, and how many pixels they have. */
static size_t group_first(const norm_job *job, size_t group, size_t *pixels)
{
    size_t images = group_images(job->self), first = group * images;
    if (images > job->now->rows - first) images = job->now->rows - first;
    *pixels = images * job->self->in.height * job->self->in.width;
    return first;
}

static void group_moments(void *context, size_t group, int thread)
{
    (void)thread;
    const norm_job *job = context;
    size_t pixels, first = group_first(job, group, &pixels), channels = job->self->in.channels;
    float *mean = job->now->shared + group * 2 * channels;
    job->now->k->moments(mean, mean + channels, job->in + first * shape_size(job->self->in), pixels,
                         channels);
}

/* Joins the groups' moments (Chan et al.) and moves the running ones. */
static void batch_moments(const norm_job *job)
{
    const layer *self = job->self;
    size_t channels = self->in.channels;
    team_run(job->now->workers, group_count(self, job->now->rows), group_moments, (void *)job);
    for (size_t c = 0; c < channels; c++) {
        double mean = 0, deviations = 0, count = 0;
        for (size_t group = 0; group < group_count(self, job->now->rows); group++) {
            size_t pixels;
            group_first(job, group, &pixels);
            const float *part = job->now->shared + group * 2 * channels;
            double difference = part[c] - mean, total = count + (double)pixels;
            mean += difference * (double)pixels / total;
            deviations += part[channels + c] + difference * difference * count * (double)pixels / total;
            count = total;
        }
        double variance = deviations / count;
        job->c.mean[c] = (float)mean;
        job->c.inverse[c] = (float)(1 / sqrt(variance + epsilon));
        float *running = job->now->state;
        double unbiased = count > 1 ? deviations / (count - 1) : variance;
        running[c] = (float)((1 - momentum) * running[c] + momentum * mean);
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
    float *sum = job->now->shared + group * 2 * channels;
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
    double count = (double)(now->rows * self->in.height * self->in.width);
    team_run(now->workers, group_count(self, now->rows), group_sums, &job);
    for (size_t c = 0; c < channels; c++) {
        double sum = 0, sum_x = 0;
        for (size_t group = 0; group < group_count(self, now->rows); group++) {
            sum += now->shared[group * 2 * channels + c];
            sum_x += now->shared[group * 2 * channels + channels + c];
        }
        if (self->affine && now->gradients) {
            now->gradients[c] = (float)(sum_x * job.c.inverse[c]);
            now->gradients[channels + c] = (float)sum;
        }
        /* dx = scale * (g - mean(g) - (x - mean) * inverse^2 * mean(g * (x - mean))) */
        double inverse = job.c.inverse[c], scale = job.c.scale[c];
        double by_x = now->training ? -scale * inverse * inverse * sum_x / count : 0;
        job.c.by_x[c] = (float)by_x;
        job.c.constant[c] = now->training ? (float)(-scale * sum / count - by_x * job.c.mean[c]) : 0;
    }
    if (in_gradient) team_run(now->workers, now->rows, apply_back, &job);
}

const layer_type layer_norm = {.name = "norm",
                               .back_in_place = true,
                               .plan = plan,
                               .tensors = tensors,
                               .start = start,
                               .forward = forward,
                               .backward = backward};
