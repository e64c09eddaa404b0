/* Heat maps: distances of patches, enlarged to the picture. */
#include "input/picture_rows.h"

#include "backbone/backbone.h"

#include <math.h>
#include <string.h>

/* Adds a map, bilinearly interpolated between the centers of its places. */
static void add_enlarged(float *heat, int height, int width, const float *map, size_t tall, size_t wide,
                         float factor)
{
    for (int y = 0; y < height; y++) {
        double down = fmin(fmax((y + 0.5) * (double)tall / height - 0.5, 0), (double)(tall - 1));
        size_t top = (size_t)down, bottom = top + 1 < tall ? top + 1 : top;
        float low = (float)(down - (double)top);
        for (int x = 0; x < width; x++) {
            double along = fmin(fmax((x + 0.5) * (double)wide / width - 0.5, 0), (double)(wide - 1));
            size_t left = (size_t)along, right = left + 1 < wide ? left + 1 : left;
            float far = (float)(along - (double)left);
            float above = map[top * wide + left] * (1 - far) + map[top * wide + right] * far;
            float below = map[bottom * wide + left] * (1 - far) + map[bottom * wide + right] * far;
            heat[(size_t)y * (size_t)width + (size_t)x] += factor * (above * (1 - low) + below * low);
        }
    }
}

puad_status picture_heat(float *heat, const transform *encoding, const image *picture)
{
    AUTO_ARENA arena scratch = {0};
    AUTO_BACKBONE_RUNNER backbone_runner *runner = NULL;
    resize *plan = NULL;
    float *small, *features, *patches, *distances;
    size_t side = (size_t)encoding->height, stages = backbone_patch_stages(encoding->backbone);
    TRY(backbone_runner_new(&runner, encoding->backbone, encoding->height, NULL));
    TRY(arena_new(&scratch, &small, side * side, 3 * sizeof *small));
    TRY(arena_new(&scratch, &features, encoding->encoded, sizeof *features));
    TRY(arena_new(&scratch, &patches, backbone_patch_floats(runner), sizeof *patches));
    TRY(arena_new(&scratch, &distances, backbone_patch_floats(runner), sizeof *distances));
    TRY(resize_new(&plan, picture->height, picture->width, picture->channels, encoding->height,
                   encoding->width));
    resize_run(plan, small, picture->pixels);
    resize_free(plan);
    backbone_run(runner, features, small, 0);
    backbone_patches(runner, patches, 0);
    memset(heat, 0, (size_t)picture->height * (size_t)picture->width * sizeof *heat);
    for (size_t i = 0; i < stages; i++) {
        size_t tall, wide;
        backbone_patch_map(runner, distances, &tall, &wide, patches, i, 0);
        add_enlarged(heat, picture->height, picture->width, distances, tall, wide, 1 / (float)stages);
    }
    return PUAD_OK;
}
