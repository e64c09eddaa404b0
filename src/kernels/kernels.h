/* Kernels: the arithmetic of a network on float arrays, one thread's part at a time. Kernels cannot fail
 * and do not allocate. Each exists as plain loops (reference.c) and as vector code (*.inl) that is built
 * for several instruction sets; dispatch.c picks the best one for the machine. */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "base/status.h"
#include "kernels/encoding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* C[m][n] (=, or += when `add`) the sum over s < segments, k < depth of
 *     a[m * a_row + s * a_segment + k * a_step]  *  b[s * b_segment + k * b_step + n]
 * for m < rows and n < columns <= the table's `panel`. Strides count floats. C row m begins at c + m *
 * c_row. `bias`, if not NULL, is added to each row at the end, rounded separately; then values below zero
 * are multiplied by `slope`, if not NULL. `padded`: rows of b and the bias extend to a whole panel, so
 * that more of them may be read than used. With segments a sum runs over pieces that are not adjacent: the
 * rows of an image, the images of a batch. */
typedef struct multiply_job {
    const float *a;
    ptrdiff_t a_row, a_segment, a_step;
    const float *b;
    ptrdiff_t b_segment, b_step;
    float *c;
    ptrdiff_t c_row;
    const float *bias, *slope;
    size_t rows, columns, segments, depth;
    bool add, padded;
} multiply_job;

/* A depthwise convolution: each channel of an image, height x width x channels, has separate weights,
 * `tall` x `wide` taps of `channels` values. Pixels outside the image (`top` rows above, `left` columns
 * before it) are 0. */
typedef struct depthwise_job {
    const float *x, *weights, *bias;
    size_t height, width, channels, tall, wide, stride, top, left, out_width;
} depthwise_job;

typedef struct adam_step {
    float rate;       /* learning rate / (1 - beta1^t) */
    float correction; /* 1 / sqrt(1 - beta2^t) */
    float beta1, beta2, epsilon, decay;
    float keep; /* 1, or 1 - learning rate * decoupled decay: factor of each weight */
} adam_step;

/* A node of a tree. Rows come TREE_ROWS at a time, as codes: codes[column x TREE_ROWS + row]; rows whose
 * code is below the threshold go right. `left` and `right` are the distances to the child nodes in the
 * array; all leaves of a tree share its last place. masks has capacity for TREE_ROWS x (steps + 1). From
 * step `inner` on, nodes have only leaves below them. `first` is the value of a tree's leftmost leaf.
 * `difference` is the value of the leftmost leaf below the right child minus that of the leftmost leaf
 * below this node, modulo 2^16; the sum over a row's right turns gives the value of its leaf. */
typedef struct tree_step {
    int16_t threshold;
    uint16_t column, left, right;
    int16_t difference;
} tree_step;

enum { TREE_ROWS = 64 };

/* Outputs of a Winograd tile along each axis, and the maximum number of points. */
enum { WINOGRAD_OUTPUTS = 4, WINOGRAD_SIDE_MAX = 8 };

/* Points along an axis of a tile: outputs + taps - 1. */
static inline size_t winograd_side(size_t taps)
{
    return taps + WINOGRAD_OUTPUTS - 1;
}
static inline size_t winograd_points(size_t taps)
{
    return winograd_side(taps) * winograd_side(taps);
}

typedef struct kernels {
    const char *name; /* "avx2" */
    size_t panel;     /* columns per multiply; packed weights come in panels of this width */
    size_t tile;      /* multiply runs best if the number of rows is a multiple of this */
#define KERNEL(name, arguments) void(*name) arguments;
#include "kernels/kernels.def"
#undef KERNEL
    double (*fused_rate)(
        size_t rounds); /* runs rounds x 1000 vector multiply-adds; returns the number of FLOP */
} kernels;

/* The best table for this machine, chosen once; PUAD_ISA=reference|baseline|avx2|avx512 overrides it. */
const kernels *kernels_best(void);

/* Fails if PUAD_ISA names an instruction set that is unavailable. */
puad_status kernels_check(void);

/* All tables this machine can run, reference first; ends with NULL. */
const kernels *const *kernels_all(void);
const kernels *kernels_named(const char *name); /* NULL when unknown or not runnable here */

#endif
