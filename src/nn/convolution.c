/* The convolution layer: 5x5 or 3x3, stride 1, zero padding, no bias; also after up-sampling by 2, and for
 * input channels that are known to be equal. A transposed convolution of stride 1 is a convolution with
 * rotated weights, so this layer covers both. Parameters: [ky][kx][stored input channel][output channel]. */
#include "nn/convolution.h"

#include <string.h>

effective convolution_effective(const layer *self, const kernels *k)
{
    size_t height = self->in.height, width = self->in.width, in = self->in.channels, out = self->out.channels;
    effective e = {.height = height, .width = width, .in = in, .out = out, .taps = self->taps};
    e.source = (view){1, in, height * width * in, width * in, in, {0}};
    e.to = (view){1, out, height * width * out, width * out, out, {0}};
    if (self->upsample) {
        e.taps = 3;
        e.out = 4 * out;
        e.to = (view){4,
                      out,
                      4 * height * width * out,
                      4 * width * out,
                      2 * out,
                      {0, out, 2 * width * out, 2 * width * out + out}};
    }
    bool tiles = height % WINOGRAD_OUTPUTS == 0 && width % WINOGRAD_OUTPUTS == 0;
    e.winograd = !self->direct && tiles && in % k->panel == 0 && out % k->panel == 0;
    return e;
}

effective effective_reversed(const effective *forward)
{
    effective e = *forward;
    e.in = forward->out;
    e.out = forward->in;
    e.source = forward->to;
    e.to = forward->source;
    return e;
}

size_t effective_packed(const effective *e, const kernels *k)
{
    return e->winograd ? winograd_packed(e, k) : direct_packed(e, k);
}

size_t effective_thread(const effective *e, const kernels *k)
{
    return e->winograd ? winograd_thread(e, k) : direct_thread(e, k);
}

size_t effective_shared(const effective *e, const kernels *k, size_t rows)
{
    return e->winograd ? winograd_shared(e, k, rows) : direct_shared(e, k, rows);
}

void effective_pack(const effective *e, const pass *now, float *packed, const float *weights)
{
    (e->winograd ? winograd_pack : direct_pack)(e, now, packed, weights);
}

void effective_run(const effective *e, const pass *now, float *out, const float *in, const float *packed)
{
    (e->winograd ? winograd_run : direct_run)(e, now, out, in, packed);
}

void effective_weights(const effective *e, const pass *now, float *gradient, const float *in,
                       const float *out_gradient)
{
    (e->winograd ? winograd_weights : direct_weights)(e, now, gradient, in, out_gradient);
}

/* keep: packed weights forward and backward, then the effective weights (also their gradient) and their
 * transpose */
typedef struct sections {
    float *forward, *backward, *weights, *turned;
} sections;

static size_t effective_count(const effective *e)
{
    return e->taps * e->taps * e->in * e->out;
}

static sections kept(const layer *self, const pass *now, const effective *e)
{
    effective reversed = effective_reversed(e);
    sections s = {.forward = now->keep};
    s.backward = s.forward + round_to(effective_packed(e, now->k), 16);
    s.weights = s.backward + round_to(effective_packed(&reversed, now->k), 16);
    s.turned = s.weights + round_to(effective_count(e), 16);
    (void)self;
    return s;
}

static void plan(layer *self, const kernels *k, size_t rows)
{
    if (!self->repeat) self->repeat = 1;
    self->out.height = self->in.height << self->upsample;
    self->out.width = self->in.width << self->upsample;
    size_t stored = self->in.channels * self->repeat;
    self->parameters = self->taps * self->taps * stored * self->out.channels;
    self->fan_in = self->taps * self->taps * stored;
    effective e = convolution_effective(self, k), reversed = effective_reversed(&e);
    self->keep = round_to(effective_packed(&e, k), 16) + round_to(effective_packed(&reversed, k), 16) +
                 2 * round_to(effective_count(&e), 16);
    size_t forward = effective_thread(&e, k), backward = effective_thread(&reversed, k);
    self->thread = forward > backward ? forward : backward;
    self->shared = effective_shared(&e, k, rows);
}

/* The tap of the small image that corresponds to a tap of the up-sampled one, for output place 0 or 1
 * within its block: up-sampled row 2i + place + tap - 2 is row i - 1 + result of the small image. */
static size_t small_tap(size_t tap, size_t place)
{
    return (tap + place) / 2;
}

/* For one effective input channel, runs body for every pair of `large` (index of a stored weight row of Co
 * values) and `small` (index of the effective row) that belong together. */
#define EACH_PAIR(self, e, ci, body)                                                                         \
    for (size_t ky = 0; ky < (self)->taps; ky++)                                                             \
        for (size_t kx = 0; kx < (self)->taps; kx++)                                                         \
            for (size_t copy = 0; copy < (self)->repeat; copy++)                                             \
                for (size_t phase = 0; phase < (e)->to.phases; phase++) {                                    \
                    size_t y = (self)->upsample ? small_tap(ky, phase / 2) : ky;                             \
                    size_t x = (self)->upsample ? small_tap(kx, phase % 2) : kx;                             \
                    size_t stored = (ci) * (self)->repeat + copy;                                            \
                    size_t large = ((ky * (self)->taps + kx) * (e)->in * (self)->repeat + stored) * width;   \
                    size_t small = ((y * (e)->taps + x) * (e)->in + (ci)) * (e)->out + phase * width;        \
                    body;                                                                                    \
                }

static bool needs_folding(const layer *self)
{
    return self->upsample || self->repeat > 1;
}

/* Converts stored to effective weights; each item is one effective input channel. */
typedef struct folding {
    const layer *self;
    const pass *now;
    const effective *e;
    float *to;
    const float *source;
} folding;

static void fold_channel(void *context, size_t ci, int thread)
{
    (void)thread;
    const folding *job = context;
    const effective *e = job->e;
    size_t width = job->self->out.channels;
    for (size_t tap = 0; tap < e->taps * e->taps; tap++)
        memset(job->to + (tap * e->in + ci) * e->out, 0, e->out * sizeof *job->to);
    EACH_PAIR(job->self, e, ci, job->now->k->add(job->to + small, job->source + large, width))
}

static void unfold_channel(void *context, size_t ci, int thread)
{
    (void)thread;
    const folding *job = context;
    const effective *e = job->e;
    size_t width = job->self->out.channels, taps = job->self->taps, repeat = job->self->repeat;
    for (size_t tap = 0; tap < taps * taps; tap++)
        memset(job->to + (tap * e->in + ci) * repeat * width, 0, repeat * width * sizeof *job->to);
    EACH_PAIR(job->self, e, ci, job->now->k->add(job->to + large, job->source + small, width))
}

static void fold(const layer *self, const pass *now, const effective *e, float *folded,
                 const float *stored_weights)
{
    folding job = {self, now, e, folded, stored_weights};
    team_run(now->workers, e->in, fold_channel, &job);
}

static void unfold(const layer *self, const pass *now, const effective *e, float *gradient,
                   const float *folded)
{
    folding job = {self, now, e, gradient, folded};
    team_run(now->workers, e->in, unfold_channel, &job);
}

typedef struct turning {
    const effective *e;
    const float *weights;
    float *turned;
} turning;

/* turned[T-1-ky][T-1-kx][out][in] = weights[ky][kx][in][out]; each item is one tap */
static void turn_tap(void *context, size_t tap, int thread)
{
    (void)thread;
    const turning *job = context;
    size_t in = job->e->in, out = job->e->out, last = job->e->taps * job->e->taps - 1;
    const float *source = job->weights + tap * in * out;
    float *to = job->turned + (last - tap) * in * out;
    enum { BLOCK = 8 }; /* a block of each stays in the first-level cache */
    for (size_t i0 = 0; i0 < in; i0 += BLOCK)
        for (size_t o = 0; o < out; o++)
            for (size_t i = i0; i < in && i < i0 + BLOCK; i++) to[o * in + i] = source[i * out + o];
}

static void pack_all(const layer *self, const pass *now, const effective *e, const sections *s)
{
    const float *weights = now->parameters;
    if (needs_folding(self)) {
        fold(self, now, e, s->weights, now->parameters);
        weights = s->weights;
    }
    effective_pack(e, now, s->forward, weights);
}

static void forward(const layer *self, const pass *now, const float *in, float *out)
{
    effective e = convolution_effective(self, now->k);
    sections s = kept(self, now, &e);
    if (now->weights_changed) pack_all(self, now, &e, &s);
    effective_run(&e, now, out, in, s.forward);
}

static void backward(const layer *self, const pass *now, const float *in, const float *out,
                     const float *out_gradient, float *in_gradient)
{
    (void)in, (void)out;
    if (!in_gradient) return;
    effective e = convolution_effective(self, now->k), reversed = effective_reversed(&e);
    sections s = kept(self, now, &e);
    turning job = {&e, needs_folding(self) ? s.weights : now->parameters, s.turned};
    team_run(now->workers, e.taps * e.taps, turn_tap, &job);
    effective_pack(&reversed, now, s.backward, s.turned);
    effective_run(&reversed, now, in_gradient, out_gradient, s.backward);
}

static void weights(const layer *self, const pass *now, const float *in, const float *out_gradient)
{
    effective e = convolution_effective(self, now->k);
    sections s = kept(self, now, &e);
    float *gradient = needs_folding(self) ? s.turned : now->gradients;
    effective_weights(&e, now, gradient, in, out_gradient);
    if (needs_folding(self)) unfold(self, now, &e, now->gradients, gradient);
}

static size_t tensors(const layer *self, layer_tensor out[LAYER_TENSORS_MAX])
{
    size_t channels = self->in.channels * self->repeat;
    out[0] = (layer_tensor){
        .name = "weight", .dimensions = 4, .shape = {self->taps, self->taps, channels, self->out.channels}};
    return 1;
}

const layer_type layer_convolution = {.name = "convolution",
                                      .plan = plan,
                                      .tensors = tensors,
                                      .forward = forward,
                                      .backward = backward,
                                      .weights = weights};
