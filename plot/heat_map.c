/* A heat map of one image: three small pictures side by side. */
#include "plot/heat_map.h"

#include "base/memory.h"
#include "plot/plot.h"

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
static void pixel_heat(float *heat, float *room, const float *shares, picture_shape of)
{
    static const float weights[3] = {0.25f, 0.5f, 0.25f};
    long height = (long)of.height, width = (long)of.width;
    float most = 0;
    for (long i = 0; i < height * width; i++) {
        room[i] = 0;
        for (size_t c = 0; c < of.channels; c++) room[i] += shares[(size_t)i * of.channels + c];
    }
    for (long y = 0; y < height; y++)
        for (long x = 0; x < width; x++) {
            float sum = 0;
            for (long dy = -1; dy <= 1; dy++)
                for (long dx = -1; dx <= 1; dx++)
                    if (y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width)
                        sum += weights[dy + 1] * weights[dx + 1] * room[(y + dy) * width + x + dx];
            heat[y * width + x] = sum;
            most = fmaxf(most, sum);
        }
    for (long i = 0; i < height * width && most > 0; i++) heat[i] /= most;
}

puad_status heat_map_pictures(float *pictures, const float *image, const float *shares, picture_shape of)
{
    size_t pixels = of.height * of.width;
    AUTO_FREE float *heat = NULL;
    TRY(memory_new(&heat, 2 * pixels, sizeof *heat, "a heat map"));
    pixel_heat(heat, heat + pixels, shares, of);
    for (size_t i = 0; i < pixels; i++) {
        float *plain = pictures + 3 * i, *hot = plain + 3 * pixels, *both = hot + 3 * pixels, gray = 0;
        for (size_t c = 0; c < 3; c++) {
            plain[c] = image[i * of.channels + (of.channels == 3 ? c : 0)];
            gray += plain[c] / 3;
        }
        glow(hot, heat[i]);
        for (size_t c = 0; c < 3; c++)
            both[c] = 0.45f * gray * (1 - heat[i]) + hot[c] * fmaxf(heat[i], 0.25f);
    }
    return PUAD_OK;
}

puad_status heat_map_write(const char *folder, size_t row, float score, const float *image,
                           const float *shares, picture_shape of)
{
    AUTO_FREE float *pictures = NULL;
    TRY(memory_new(&pictures, HEAT_MAP_PICTURES * of.height * of.width, 3 * sizeof *pictures, "a heat map"));
    TRY(heat_map_pictures(pictures, image, shares, of));
    char path[4096], texts[2][48];
    snprintf(texts[0], sizeof texts[0], "row %zu", row);
    snprintf(texts[1], sizeof texts[1], "score %.4g", score);
    const char *captions[PICTURES] = {texts[0], "where", texts[1]};
    plot_panel panel = {.kind = PLOT_IMAGES,
                        .images = pictures,
                        .image_count = PICTURES,
                        .image_columns = PICTURES,
                        .image_height = (int)of.height,
                        .image_width = (int)of.width,
                        .image_channels = 3,
                        .captions = captions};
    plot_figure figure = {
        .panels = &panel, .panel_count = 1, .panel_width = PICTURES * SIDE, .panel_height = SIDE + 20};
    int length = snprintf(path, sizeof path, "%s/row-%06zu.png", folder, row);
    if (length < 0 || (size_t)length >= sizeof path)
        FAIL(PUAD_INVALID, "%.40s...: this path is too long", folder);
    return plot_write(&figure, path);
}
