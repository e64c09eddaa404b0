/* Implements the heat maps of <puad/explain.h>. */
#include "detector/model/model.h"
#include "input/picture_rows.h"

#include <puad/explain.h>
#include <stdlib.h>
#include <string.h>

struct puad_heat_map {
    image picture;
    float *heat;
};

void puad_heat_map_free(puad_heat_map *owner)
{
    if (!owner) return;
    image_free(&owner->picture);
    free(owner->heat);
    free(owner);
}

static puad_status check_model(const puad_detector *model)
{
    if (!model->table || !model->table->backbone)
        FAIL(PUAD_INVALID, "the model has no backbone; explain a row of its pixels instead");
    return PUAD_OK;
}

static puad_status measure(puad_heat_map *made, const puad_detector *model)
{
    TRY(memory_new(&made->heat, (size_t)made->picture.height * (size_t)made->picture.width,
                   sizeof *made->heat, "a heat map"));
    return picture_heat(made->heat, model->table, &made->picture);
}

/* Frees a map that could not be completed. */
static puad_status hand_over(puad_heat_map **out, puad_heat_map *made, puad_status status)
{
    if (status == PUAD_OK)
        *out = made;
    else
        puad_heat_map_free(made);
    return status;
}

puad_status puad_heat_map_read(puad_heat_map **out, const puad_detector *model, const char *path)
{
    NEED(out);
    NEED(model);
    NEED(path);
    puad_heat_map *made = NULL;
    TRY(check_model(model));
    TRY(memory_new(&made, 1, sizeof *made, "a heat map"));
    puad_status status = image_read(&made->picture, path, 3);
    if (status == PUAD_OK) status = measure(made, model);
    return hand_over(out, made, status);
}

puad_status puad_heat_map_new(puad_heat_map **out, const puad_detector *model, const unsigned char *pixels,
                              size_t height, size_t width, size_t channels)
{
    enum { SIDE_MAX = 65535, PIXELS_MAX = 1 << 26 };
    NEED(out);
    NEED(model);
    NEED(pixels);
    TRY(check_model(model));
    if (!height || !width || height > SIDE_MAX || width > SIDE_MAX || height * width > PIXELS_MAX)
        FAIL(PUAD_INVALID, "an image of %zu x %zu pixels, at most %d are allowed", width, height, PIXELS_MAX);
    if (channels != 1 && channels != 3) FAIL(PUAD_INVALID, "%zu channels, expected 1 or 3", channels);
    puad_heat_map *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a heat map"));
    made->picture = (image){.height = (int)height, .width = (int)width, .channels = 3};
    puad_status status = memory_new(&made->picture.pixels, height * width, 3, "a heat map");
    for (size_t i = 0; i < 3 * height * width && status == PUAD_OK; i++)
        made->picture.pixels[i] = pixels[channels == 3 ? i : i / 3];
    if (status == PUAD_OK) status = measure(made, model);
    return hand_over(out, made, status);
}

puad_status puad_heat_map_get(const puad_heat_map *map, puad_heat_map_info *out)
{
    NEED(map);
    NEED(out);
    const puad_heat_map_info info = {.struct_size = sizeof info,
                                     .height = (size_t)map->picture.height,
                                     .width = (size_t)map->picture.width,
                                     .pixels = map->picture.pixels,
                                     .heat = map->heat};
    return struct_write(out, &info, sizeof info, "puad_heat_map_info");
}
