/* The effective form of a convolution layer, and the two algorithms that compute it.
 *
 * Up-sampling by 2 followed by a 5x5 convolution equals one 3x3 convolution of the small image to four
 * times the channels, one set for each of the four places (phases) in a 2x2 block of the large one. Equal
 * input channels equal one channel with the sum of their weights. The effective form is a plain
 * convolution; `view` has the addresses of a pixel's channels if they are spread over phases. */
#ifndef NN_CONVOLUTION_H
#define NN_CONVOLUTION_H

#include "nn/layer.h"

/* A batch of images seen as H x W pixels of `phases` x `channels` values. */
typedef struct view {
    size_t phases, channels;
    size_t image, row, pixel; /* strides in floats */
    size_t phase[4];          /* offset of each phase */
} view;

/* The effective convolution of a layer. */
typedef struct effective {
    size_t height, width, in, out, taps; /* channels in and out of the effective form */
    view source, to;
    bool winograd;
} effective;

effective convolution_effective(const layer *self, const kernels *k);
/* the convolution that computes the gradient by the input */
effective effective_reversed(const effective *forward);

/* The taps that are inside the image for output row y: returns the first, sets the count. */
static inline size_t valid_taps(const effective *e, size_t y, size_t *count)
{
    size_t pad = e->taps / 2, first = y < pad ? pad - y : 0, last = e->height - 1 - y + pad;
    if (last > e->taps - 1) last = e->taps - 1;
    *count = last - first + 1;
    return first;
}

/* Sizes in floats: packed weights, scratch per thread, and shared scratch for the weight gradient. */
size_t effective_packed(const effective *e, const kernels *k);
size_t effective_thread(const effective *e, const kernels *k);
size_t effective_shared(const effective *e, const kernels *k, size_t rows);

/* Packs weights [ky][kx][in][out] of the effective form. */
void effective_pack(const effective *e, const pass *now, float *packed, const float *weights);

/* out = convolution of in, both by their views, with packed weights. */
void effective_run(const effective *e, const pass *now, float *out, const float *in, const float *packed);

/* gradient [ky][kx][in][out] of the effective form, from the layer's input and the gradient of its output. */
void effective_weights(const effective *e, const pass *now, float *gradient, const float *in,
                       const float *out_gradient);

/* The two algorithms; the functions above choose between them. */
#define FORM(name)                                                                                           \
    size_t name##_packed(const effective *e, const kernels *k);                                              \
    size_t name##_thread(const effective *e, const kernels *k);                                              \
    size_t name##_shared(const effective *e, const kernels *k, size_t rows);                                 \
    void name##_pack(const effective *e, const pass *now, float *packed, const float *weights);              \
    void name##_run(const effective *e, const pass *now, float *out, const float *in, const float *packed);  \
    void name##_weights(const effective *e, const pass *now, float *gradient, const float *in,               \
                        const float *out_gradient);
FORM(direct)
FORM(winograd)
#undef FORM

#endif
