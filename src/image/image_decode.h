/* The interface between image.c and its decoders. */
#ifndef IMAGE_IMAGE_DECODE_H
#define IMAGE_IMAGE_DECODE_H

#include "image/image.h"

enum { IMAGE_SIDE_MAX = 65535, IMAGE_PIXELS_MAX = 1 << 26 };

/* A compressed image in memory, and its file name. */
typedef struct image_source {
    const char *path;
    const unsigned char *bytes;
    size_t size;
    bool header_only; /* read sizes and channels, no pixels */
} image_source;

/* Fills `out` with 1 or 3 channels as in the file. On failure out->pixels may be set; the caller frees it. */
puad_status png_decode(image *out, const image_source *images);
puad_status jpeg_decode(image *out, const image_source *images);
puad_status bmp_decode(image *out, const image_source *images);
puad_status tiff_decode(image *out, const image_source *images);

/* An unsigned number of `count` bytes, at most 8; `big`: the most significant byte first. */
static inline size_t image_number(const uint8_t *bytes, size_t count, bool big)
{
    size_t value = 0;
    for (size_t i = 0; i < count; i++) value = value << 8 | bytes[big ? i : count - 1 - i];
    return value;
}

/* The orientation, 1 to 8, in the EXIF metadata of a JPEG file ("Exif", two zero bytes and a TIFF header);
 * 1 if there is none or it is damaged. image_orient turns the image upright. */
int orientation_of_exif(const uint8_t *bytes, size_t size);
puad_status image_orient(image *which, int orientation, const char *path);

/* Checks the size in a header against the file's size times `ratio` pixels per byte, then allocates
 * memory. */
puad_status image_reserve(image *out, const image_source *images, uint64_t height, uint64_t width,
                          int channels, uint64_t ratio);

#endif
