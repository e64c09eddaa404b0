/* A picture of the contributions of an image's pixels to its score. */
#ifndef PLOT_HEAT_MAP_H
#define PLOT_HEAT_MAP_H

#include "base/status.h"

#include <stddef.h>

typedef struct picture_shape {
    size_t height, width, channels;
} picture_shape;

/* HEAT_MAP_PICTURES pictures of three channels: the image, the contributions to its score (per pixel and
 * channel, all >= 0), and both combined. */
enum { HEAT_MAP_PICTURES = 3 };
puad_status heat_map_pictures(float *pictures, const float *image, const float *shares, picture_shape shape);

/* Writes a photograph of height x width x 3 bytes and, to its right, the same darkened with its heat map:
 * places up to HEAT_USUAL standard deviations above usual patches stay dark, HEAT_BRIGHT is white. */
#define HEAT_USUAL 1.0f
#define HEAT_BRIGHT 7.0f
puad_status heat_map_photograph(const char *folder, size_t row, const unsigned char *pixels,
                                const float *heat, picture_shape shape);

/* Creates the folder if it does not exist. */
puad_status heat_map_folder(const char *folder);

/* Writes them as FOLDER/row-NNNNNN.png. */
puad_status heat_map_write(const char *folder, size_t row, float score, const float *image,
                           const float *shares, picture_shape shape);

#endif
