/* Addresses and input points of the Winograd tiles of a batch. */
#include "nn/winograd.h"

typedef struct tile_place {
    size_t image, y, x; /* of the first output */
} tile_place;

static tile_place place_of(const effective *e, size_t tile)
{
    size_t across = e->width / WINOGRAD_OUTPUTS, within = tile % winograd_tiles(e);
    return (tile_place){tile / winograd_tiles(e), within / across * WINOGRAD_OUTPUTS,
                        within % across * WINOGRAD_OUTPUTS};
}

size_t winograd_tile_at(const effective *e, size_t tile)
{
    tile_place at = place_of(e, tile);
    return at.image * e->to.image + at.y * e->to.row + at.x * e->to.pixel;
}

void winograd_tile_points(const effective *e, const kernels *k, winograd_room to, const float *images,
                          size_t tile, const float *zero)
{
    tile_place at = place_of(e, tile);
    size_t side = winograd_side(e->taps), pad = e->taps / 2;
    for (size_t phase = 0; phase < e->source.phases; phase++) {
        const float *image = images + at.image * e->source.image + e->source.phase[phase];
        const float *pixels[WINOGRAD_SIDE_MAX * WINOGRAD_SIDE_MAX];
        for (size_t i = 0; i < side; i++) {
            size_t y = at.y + i - pad; /* wraps around if negative */
            for (size_t j = 0; j < side; j++) {
                size_t x = at.x + j - pad;
                bool inside = y < e->height && x < e->width;
                pixels[i * side + j] = inside ? image + y * e->source.row + x * e->source.pixel : zero;
            }
        }
        for (size_t c = 0; c < e->source.channels; c += to.run, to.points += to.run_stride)
            k->winograd_input((int)e->taps, to.points, to.point_stride, pixels, c, to.run);
    }
}
