/* A grid of example images. */
#ifndef CLI_COMMON_PREVIEW_IMAGES_H
#define CLI_COMMON_PREVIEW_IMAGES_H

#include "base/status.h"

#include <stddef.h>

typedef struct preview_shape {
    int height, width, channels;
} preview_shape;

/* Writes a grid of images, each with a caption, `columns` per row. */
puad_status preview_images(const char *path, const char *title, const float *images, size_t count,
                           preview_shape shape, const char *const *captions, size_t columns);

#endif
