/* Any bytes as a PNG, JPEG, TIFF or BMP picture, decoded and resized. */
#include "fuzz_file.h"
#include "image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static resize *plan;
    static float row[32 * 32 * 3];
    AUTO_IMAGE image header = {0}, picture = {0};
    int channels = size % 2 ? 1 : 3;
    const char *path = fuzz_file(bytes, size);
    if (!path || image_probe(&header, path) != PUAD_OK) return 0;
    if (header.height > 300 || header.width > 300) return 0; /* allowed, but slow */
    if (image_read(&picture, path, channels) == PUAD_OK &&
        resize_fit(&plan, picture.height, picture.width, channels, 32, 32) == PUAD_OK)
        resize_run(plan, row, picture.pixels);
    return 0;
}
