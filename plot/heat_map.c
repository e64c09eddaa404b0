/* A heat map of one image: three small pictures side by side. */
#include "plot/heat_map.h"

#include "base/file.h"
#include "base/memory.h"
#include "plot/plot.h"

#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PICTURES = HEAT_MAP_PICTURES, SIDE = 150 };

puad_status heat_map_folder(const char *folder)
{
    struct stat about;
    if (mkdir(folder, 0777) == 0) return PUAD_OK;
    if (errno != EEXIST) FAIL(PUAD_IO, "%s: cannot create this folder: %s", folder, strerror(errno));
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        FAIL(PUAD_IO, "%s: is a file, expected a folder for the heat maps", folder);
    return PUAD_OK;
}

/* A color scale from black over red and yellow to white; darker means less, also in print and for
 * color-blind readers. */
static void glow(float rgb[3], float heat)
{
    for (int c = 0; c < 3; c++) rgb[c] = fminf(1, fmaxf(0, 3 * heat - (float)c));
}

/* The contribution of each pixel, summed over channels, smoothed over neighbors and scaled to a maximum of
 * 1. */
static void pixel_heat(float *heat, float *buffer, const float *shares, picture_shape shape)
{
    static const float weights[3] = {0.25f, 0.5f, 0.25f};
    long height = (long)shape.height, width = (long)shape.width;
    float max = 0;
    for (long i = 0; i < height * width; i++) {
        buffer[i] = 0;
        for (size_t c = 0; c < shape.channels; c++) buffer[i] += shares[(size_t)i * shape.channels + c];
    }
    for (long y = 0; y < height; y++)
        for (long x = 0; x < width; x++) {
            float sum = 0;
            for (long dy = -1; dy <= 1; dy++)
                for (long dx = -1; dx <= 1; dx++)
                    if (y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width)
                        sum += weights[dy + 1] * weights[dx + 1] * buffer[(y + dy) * width + x + dx];
            heat[y * width + x] = sum;
            max = fmaxf(max, sum);
        }
    for (long i = 0; i < height * width && max > 0; i++) heat[i] /= max;
}

puad_status heat_map_pictures(float *pictures, const float *image, const float *shares, picture_shape shape)
{
    size_t pixels = shape.height * shape.width;
    AUTO_FREE float *heat = NULL;
    TRY(memory_new(&heat, 2 * pixels, sizeof *heat, "a heat map"));
    pixel_heat(heat, heat + pixels, shares, shape);
    for (size_t i = 0; i < pixels; i++) {
        float *plain = pictures + 3 * i, *hot = plain + 3 * pixels, *both = hot + 3 * pixels, gray = 0;
        for (size_t c = 0; c < 3; c++) {
            plain[c] = image[i * shape.channels + (shape.channels == 3 ? c : 0)];
            gray += plain[c] / 3;
        }
        glow(hot, heat[i]);
        for (size_t c = 0; c < 3; c++)
            both[c] = 0.45f * gray * (1 - heat[i]) + hot[c] * fmaxf(heat[i], 0.25f);
    }
    return PUAD_OK;
}

static puad_status path_of(char *path, size_t size, const char *folder, size_t row)
{
    int length = snprintf(path, size, "%s/row-%06zu.png", folder, row);
    if (length < 0 || (size_t)length >= size) FAIL(PUAD_INVALID, "%.40s...: this path is too long", folder);
    return PUAD_OK;
}

static uint32_t packed(const float rgb[3])
{
    uint32_t all = 0;
    for (int c = 0; c < 3; c++) all = all << 8 | (uint32_t)lrintf(255 * fminf(fmaxf(rgb[c], 0), 1));
    return all;
}

static cairo_status_t append_bytes(void *closure, const unsigned char *bytes, unsigned size)
{
    return fwrite(bytes, 1, size, closure) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static puad_status write_pixels(const char *path, unsigned char *bytes, int width, int height)
{
    AUTO_OUTPUT file_output to = {0};
    TRY(file_create(&to, path));
    cairo_surface_t *surface =
        cairo_image_surface_create_for_data(bytes, CAIRO_FORMAT_RGB24, width, height, 4 * width);
    cairo_status_t status = cairo_surface_write_to_png_stream(surface, append_bytes, to.stream);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_NO_MEMORY) FAIL(PUAD_MEMORY, "no memory for a heat map");
    if (status != CAIRO_STATUS_SUCCESS)
        FAIL(PUAD_IO, "%s: cannot be written: %s", path, cairo_status_to_string(status));
    return file_commit(&to);
}

puad_status heat_map_photograph(const char *folder, size_t row, const unsigned char *pixels,
                                const float *heat, picture_shape shape)
{
    enum { SIDE_MAX = 32767 }; /* of a surface of cairo */
    char path[4096];
    AUTO_FREE uint32_t *both = NULL;
    TRY(path_of(path, sizeof path, folder, row));
    if (shape.height > SIDE_MAX || shape.width > SIDE_MAX / 2)
        FAIL(PUAD_INVALID, "row %zu: a photograph of %zu x %zu pixels is too large for a heat map", row,
             shape.width, shape.height);
    TRY(memory_new(&both, 2 * shape.height * shape.width, sizeof *both, "a heat map"));
    for (size_t y = 0; y < shape.height; y++)
        for (size_t x = 0; x < shape.width; x++) {
            size_t i = y * shape.width + x;
            float plain[3], hot[3], gray = 0;
            float brightness = (heat[i] - HEAT_USUAL) / (HEAT_BRIGHT - HEAT_USUAL);
            for (int c = 0; c < 3; c++) {
                plain[c] = (float)pixels[3 * i + (size_t)c] / 255;
                gray += plain[c] / 3;
            }
            brightness = fminf(fmaxf(brightness, 0), 1);
            glow(hot, brightness);
            for (int c = 0; c < 3; c++) hot[c] += 0.6f * gray * (1 - hot[c]);
            both[2 * y * shape.width + x] = packed(plain);
            both[(2 * y + 1) * shape.width + x] = packed(hot);
        }
    return write_pixels(path, (unsigned char *)both, (int)(2 * shape.width), (int)shape.height);
}

puad_status heat_map_write(const char *folder, size_t row, float score, const float *image,
                           const float *shares, picture_shape shape)
{
    AUTO_FREE float *pictures = NULL;
    TRY(memory_new(&pictures, HEAT_MAP_PICTURES * shape.height * shape.width, 3 * sizeof *pictures,
                   "a heat map"));
    TRY(heat_map_pictures(pictures, image, shares, shape));
    char path[4096], texts[2][48];
    snprintf(texts[0], sizeof texts[0], "row %zu", row);
    snprintf(texts[1], sizeof texts[1], "score %.4g", score);
    const char *captions[PICTURES] = {texts[0], "where", texts[1]};
    plot_panel panel = {.kind = PLOT_IMAGES,
                        .images = pictures,
                        .image_count = PICTURES,
                        .image_columns = PICTURES,
                        .image_height = (int)shape.height,
                        .image_width = (int)shape.width,
                        .image_channels = 3,
                        .captions = captions};
    plot_figure figure = {
        .panels = &panel, .panel_count = 1, .panel_width = PICTURES * SIDE, .panel_height = SIDE + 20};
    TRY(path_of(path, sizeof path, folder, row));
    return plot_write(&figure, path);
}
