/* Shared by the Winograd convolution and its weight gradient. The batch is one sequence of tiles of 4x4
 * outputs, image by image and row by row; both process some of them at a time, across image borders. */
#ifndef NN_WINOGRAD_H
#define NN_WINOGRAD_H

#include "nn/convolution.h"

static inline size_t winograd_tiles(const effective *e)
{
    return (e->height / WINOGRAD_OUTPUTS) * (e->width / WINOGRAD_OUTPUTS);
}

/* Distance in floats between points of some tiles: one cache line more than their size, because a
 * transform writes all points of a tile at once, and with power-of-two strides they would map to the same
 * lines of the first-level cache. */
static inline size_t winograd_point_stride(size_t tiles, size_t channels)
{
    return tiles * channels + 16;
}

/* Storage for the points of a tile: channel c of point p goes to points[p * point_stride + c / run *
 * run_stride + c % run]. */
typedef struct winograd_room {
    float *points;
    size_t point_stride, run, run_stride;
} winograd_room;

/* The points of one tile's inputs. `zero` holds one zero per channel of a phase, for pixels outside the
 * image. */
void winograd_tile_points(const effective *e, const kernels *k, winograd_room to, const float *images,
                          size_t tile, const float *zero);

/* The offset of a tile's first output in a batch seen through e->to. */
size_t winograd_tile_at(const effective *e, size_t tile);

#endif
