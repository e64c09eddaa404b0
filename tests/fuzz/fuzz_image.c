/* Any bytes as a PNG or JPEG picture, decoded and resized. */
#include "fuzz_file.h"
#include "image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static resize *plan;
    static float row[32 * 32 * 3];
    AUTO_IMAGE image header = {0};
    const char *path = fuzz_file(bytes, size);
    if (!path || image_probe(&header, path) != PUAD_OK) return 0;
    if (header.height > 300 || header.width > 300) return 0; /* allowed, but slow */
    image_read_row(row, &plan, path, 32, 32, size % 2 ? 1 : 3);
    return 0;
}
