/* What running a convolution in Winograd form and the gradient by its weights share. The batch is seen as one
 * run of tiles of 4x4 outputs, image after image and in each row by row: both take some of them at a time,
 * wherever images begin. */
#ifndef NN_WINOGRAD_H
#define NN_WINOGRAD_H

#include "nn/convolution.h"

static inline size_t winograd_tiles(const effective *e)
{
    return (e->height / WINOGRAD_OUTPUTS) * (e->width / WINOGRAD_OUTPUTS);
}

/* Floats from one point of some tiles to the next: a cache line more than they have, because a transform
 * writes all points of a tile at once and strides of powers of two would all fall into the same lines of the
 * first-level cache. */
static inline size_t winograd_point_stride(size_t tiles, size_t channels)
{
    return tiles * channels + 16;
}

/* Room for the points of a tile: channel c of point p goes to
 * points[p * point_stride + c / run * run_stride + c % run]. */
typedef struct winograd_room {
    float *points;
    size_t point_stride, run, run_stride;
} winograd_room;

/* The points of one tile's inputs. `zero` holds as many zeros as a phase has channels: they stand for what
 * lies outside the image. */
void winograd_tile_points(const effective *e, const kernels *k, winograd_room to, const float *images,
                          size_t tile, const float *zero);

/* Where the first of a tile's outputs lies in a batch seen through e->to. */
size_t winograd_tile_at(const effective *e, size_t tile);

#endif
