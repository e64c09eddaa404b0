/* Plain convolutions, written as their definition: the oracle for tests of the fast ones. */
#ifndef KERNELS_REFERENCE_H
#define KERNELS_REFERENCE_H

#include <stddef.h>

/* A convolution of N images of H x W x Ci, channels last, to H x W x Co with a square of `taps` x `taps`
 * weights [ky][kx][ci][co], padded by taps / 2 with zeros. */
typedef struct reference_shape {
    size_t images, height, width, in_channels, out_channels, taps;
} reference_shape;

void reference_convolve(float *out, const float *in, const float *weights, const reference_shape *shape);
void reference_convolve_back(float *in_gradient, const float *out_gradient, const float *weights,
                             const reference_shape *shape);
void reference_convolve_weights(float *weight_gradient, const float *in, const float *out_gradient,
                                const reference_shape *shape);

#endif
