/* Image orientation: the EXIF metadata of a JPEG file, and rotating or mirroring pixels accordingly. */
#include "image/image_decode.h"

#include <stdlib.h>
#include <string.h>

enum { TIFF_AT = 6, ENTRY_SIZE = 12, TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3 };

int orientation_of_exif(const uint8_t *bytes, size_t size)
{
    if (size < TIFF_AT + 8 || memcmp(bytes, "Exif\0", TIFF_AT) != 0) return 1;
    const uint8_t *tiff = bytes + TIFF_AT;
    size_t left = size - TIFF_AT;
    bool big = memcmp(tiff, "MM\0*", 4) == 0;
    if (!big && memcmp(tiff, "II*\0", 4) != 0) return 1;
    size_t at = image_number(tiff + 4, 4, big);
    if (at > left || left - at < 2) return 1;
    size_t entries = image_number(tiff + at, 2, big);
    for (at += 2; entries > 0 && left - at >= ENTRY_SIZE; entries--, at += ENTRY_SIZE) {
        if (image_number(tiff + at, 2, big) != TAG_ORIENTATION) continue;
        size_t value = image_number(tiff + at + 8, 2, big);
        bool valid = image_number(tiff + at + 2, 2, big) == TYPE_SHORT && value >= 1 && value <= 8;
        return valid ? (int)value : 1;
    }
    return 1;
}

/* Pixel (y, x) of the upright picture is pixel (v, u) of the stored one: axes swapped from 5 on, then
 * mirrored. */
puad_status image_orient(image *which, int orientation, const char *path)
{
    if (orientation <= 1 || orientation > 8) return PUAD_OK;
    bool swapped = orientation >= 5;
    bool flip_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool flip_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    int height = swapped ? which->width : which->height, width = swapped ? which->height : which->width;
    size_t channels = (size_t)which->channels, stored = (size_t)which->width;
    uint8_t *pixels = NULL, *old = which->pixels;
    if (old) {
        TRY(memory_new(&pixels, (size_t)height * (size_t)width, channels, path));
        uint8_t *to = pixels;
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++, to += channels) {
                int v = swapped ? x : y, u = swapped ? y : x;
                if (flip_y) v = which->height - 1 - v;
                if (flip_x) u = which->width - 1 - u;
                memcpy(to, old + ((size_t)v * stored + (size_t)u) * channels, channels);
            }
        free(old);
    }
    which->pixels = pixels;
    which->height = height;
    which->width = width;
    return PUAD_OK;
}
