/* Heat maps of photographs: by a model with a backbone of one convolution, and rejected calls. */
#include "base/rng.h"
#include "io/safetensors.h"
#include "written.h"

#include <math.h>
#include <puad/explain.h>
#include <puad/puad.h>
#include <stdlib.h>

enum { IMAGES = 40, SIDE = 16, CHANNELS = 6, TAPS = 3 };
static unsigned char images[IMAGES][SIDE * SIDE];

static void require_ok(puad_status status)
{
    if (status != PUAD_OK) abort();
}

static const char *backbone_file(void)
{
    static const char description[] =
        "{\"name\":\"one\",\"side\":16,\"mean\":[100,100,100],\"deviation\":[50,50,50],\"nodes\":[{"
        "\"operator\":\"conv\",\"inputs\":[0],\"tensor\":\"0\",\"stride\":2,\"padding\":\"same\",\"groups\":1,"
        "\"activation\":\"relu\"}],\"stages\":[1]}";
    static float weight[CHANNELS * TAPS * TAPS * 3], bias[CHANNELS];
    const char *path = test_path("one.safetensors");
    AUTO_SAFETENSORS safetensors file = {0};
    rng draws = rng_make(1, rng_stream("weights", 0));
    for (size_t i = 0; i < sizeof weight / sizeof *weight; i++) weight[i] = (float)rng_normal(&draws);
    require_ok(safetensors_add_text(&file, "format", "puad-backbone"));
    require_ok(safetensors_add_text(&file, "format_version", "1"));
    require_ok(safetensors_add_text(&file, "backbone", description));
    require_ok(
        safetensors_add(&file, "0.weight", TENSOR_F32, weight, 4, (const size_t[]){CHANNELS, TAPS, TAPS, 3}));
    require_ok(safetensors_add(&file, "0.bias", TENSOR_F32, bias, 1, (const size_t[]){CHANNELS}));
    require_ok(safetensors_add_checksum(&file));
    require_ok(safetensors_write(&file, path, false));
    return path;
}

static double mean_of(const float *heat, size_t first, size_t end)
{
    double sum = 0;
    for (size_t y = first; y < end; y++)
        for (size_t x = first; x < end; x++) sum += (double)heat[y * SIDE + x];
    return sum / (double)((end - first) * (end - first));
}

TEST(a_heat_map_is_bright_where_an_image_is_unusual)
{
    puad_options *options = NULL;
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    puad_heat_map *map = NULL;
    puad_heat_map_info info = {.struct_size = sizeof info};
    rng draws = rng_make(2, rng_stream("images", 0));
    for (size_t i = 0; i < IMAGES; i++)
        for (size_t p = 0; p < (size_t)SIDE * SIDE; p++)
            images[i][p] = (unsigned char)(100 + 10 * rng_normal(&draws));
    CHECK_OK(puad_options_new(&options));
    CHECK_OK(puad_options_set(options, "backbone", backbone_file()));
    CHECK_OK(puad_options_set(options, "image_size", "16"));
    CHECK_OK(puad_dataset_open(&data, write_npy("images.npy", "|u1", "40, 16, 16", images, sizeof images),
                               NULL, options));
    CHECK_OK(puad_detector_fit(&model, data, options));
    for (size_t y = 9; y < 15; y++)
        for (size_t x = 9; x < 15; x++) images[0][y * SIDE + x] = 220;
    CHECK_OK(puad_heat_map_new(&map, model, images[0], SIDE, SIDE, 1));
    CHECK_OK(puad_heat_map_get(map, &info));
    CHECK(info.height == SIDE && info.width == SIDE && info.pixels[3 * (10 * SIDE + 10) + 2] == 220);
    CHECK(mean_of(info.heat, 10, 14) > mean_of(info.heat, 1, 6) + 2);
    CHECK(fabs(mean_of(info.heat, 1, 6)) < 2);
    puad_heat_map_free(map);
    map = NULL;
    CHECK_FAILS(puad_heat_map_new(&map, model, images[0], SIDE, SIDE, 2), PUAD_INVALID, "2 channels",
                "1 or 3");
    CHECK_FAILS(puad_heat_map_new(&map, model, images[0], 0, SIDE, 1), PUAD_INVALID, "16 x 0", "pixels");
    CHECK_FAILS(puad_heat_map_read(&map, model, write_text("text.png", "text")), PUAD_FORMAT, "text.png",
                "PNG");
    CHECK(map == NULL);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(a_model_without_a_backbone_has_no_heat_maps)
{
    puad_detector *model = NULL;
    puad_dataset *data = NULL;
    puad_heat_map *map = NULL;
    CHECK_OK(puad_dataset_open(&data, write_text("rows.csv", "a,b\n1,2\n2,1\n3,7\n4,3\n5,9\n"), NULL, NULL));
    CHECK_OK(puad_detector_fit(&model, data, NULL));
    CHECK_FAILS(puad_heat_map_new(&map, model, images[0], SIDE, SIDE, 1), PUAD_INVALID, "backbone", "model");
    puad_detector_free(model);
    puad_dataset_free(data);
}
