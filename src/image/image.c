/* Decodes image files: chooses the decoder, limits the size, converts channels. */
#include "image/image.h"

#include "base/file.h"
#include "image/image_decode.h"
#include "io/stream.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 256 << 20 };

void image_free(image *owner)
{
    free(owner->pixels);
    *owner = (image){0};
}

puad_status image_reserve(image *out, const image_source *images, uint64_t height, uint64_t width,
                          int channels, uint64_t ratio)
{
    if (height == 0 || width == 0 || height > IMAGE_SIDE_MAX || width > IMAGE_SIDE_MAX ||
        height * width > IMAGE_PIXELS_MAX)
        FAIL(PUAD_FORMAT, "%s: an image of %llu x %llu pixels, at most %d are allowed", images->path,
             (unsigned long long)width, (unsigned long long)height, IMAGE_PIXELS_MAX);
    if (!images->header_only && height * width / ratio > images->size)
        FAIL(PUAD_FORMAT, "%s: truncated: %zu bytes cannot hold %llu x %llu pixels", images->path,
             images->size, (unsigned long long)width, (unsigned long long)height);
    out->height = (int)height;
    out->width = (int)width;
    out->channels = channels;
    if (images->header_only) return PUAD_OK;
    return memory_new(&out->pixels, (size_t)(height * width) * (size_t)channels, 1, images->path);
}

/* The weights of ITU-R 601, as 16-bit fractions. */
static void to_gray(image *which)
{
    size_t count = (size_t)which->height * (size_t)which->width;
    uint8_t *pixels = which->pixels;
    for (size_t i = 0; i < count; i++)
        pixels[i] = (uint8_t)((pixels[3 * i] * 19595u + pixels[3 * i + 1] * 38470u +
                               pixels[3 * i + 2] * 7471u + 0x8000u) >>
                              16);
    which->channels = 1;
}

static puad_status to_color(image *which, const char *path)
{
    size_t count = (size_t)which->height * (size_t)which->width;
    uint8_t *color = NULL;
    TRY(memory_new(&color, count * 3, 1, path));
    for (size_t i = 0; i < count; i++) color[3 * i] = color[3 * i + 1] = color[3 * i + 2] = which->pixels[i];
    free(which->pixels);
    which->pixels = color;
    which->channels = 3;
    return PUAD_OK;
}

static puad_status decode(image *out, const image_source *images)
{
    if (images->size >= 8 && memcmp(images->bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
        return png_decode(out, images);
    if (images->size >= 3 && memcmp(images->bytes, "\xff\xd8\xff", 3) == 0) return jpeg_decode(out, images);
    if (images->size >= 4 &&
        (memcmp(images->bytes, "II*\0", 4) == 0 || memcmp(images->bytes, "MM\0*", 4) == 0))
        return tiff_decode(out, images);
    if (images->size >= 2 && memcmp(images->bytes, "BM", 2) == 0) return bmp_decode(out, images);
    FAIL(PUAD_FORMAT, "%s: at offset 0: not a PNG, JPEG, TIFF or BMP image", images->path);
}

puad_status image_read(image *out, const char *path, int channels)
{
    AUTO_IMAGE image result = {0};
    AUTO_FREE unsigned char *bytes = NULL;
    size_t size = 0;
    TRY(file_read(&bytes, &size, path, FILE_MAX));
    TRY(decode(&result, &(image_source){path, bytes, size, false}));
    if (channels == 1 && result.channels == 3) to_gray(&result);
    if (channels == 3 && result.channels == 1) TRY(to_color(&result, path));
    *out = result;
    result.pixels = NULL;
    return PUAD_OK;
}

puad_status image_probe(image *out, const char *path)
{
    enum { BEGINNING = 1 << 15 }; /* enough for nearly every header */
    unsigned char beginning[BEGINNING];
    AUTO_STREAM stream source = {0};
    AUTO_FREE unsigned char *bytes = NULL;
    size_t size = 0;
    image result = {0};
    TRY(stream_open(&source, path));
    TRY(stream_read_some(&source, beginning, BEGINNING, &size));
    puad_status status = decode(&result, &(image_source){path, beginning, size, true});
    if (status != PUAD_OK && size == BEGINNING) {
        TRY(file_read(&bytes, &size, path, FILE_MAX));
        status = decode(&result, &(image_source){path, bytes, size, true});
    }
    if (status == PUAD_OK) *out = result;
    return status;
}
