/* BMP: uncompressed pixels of 1, 4, 8 (palette), 16, 24 or 32 bits, with any header since OS/2. */
#include "image/image_decode.h"

#include <string.h>

enum { FILE_HEADER = 14, CORE_HEADER = 12, PLAIN = 0, MASKS = 3, PIXELS_PER_BYTE = 8, PALETTE_MAX = 256 };

typedef struct bmp_layout {
    size_t pixels_at, stride;
    int bits;
    bool top_down;
    uint32_t masks[3]; /* red, green, blue; of 16 and 32 bits */
    uint8_t palette[PALETTE_MAX][3];
} bmp_layout;

static uint32_t number(const image_source *images, size_t at, size_t count)
{
    return (uint32_t)image_number(images->bytes + at, count, false);
}

static puad_status read_palette(bmp_layout *out, bool *gray, const image_source *images, size_t at,
                                size_t count)
{
    size_t entry = number(images, FILE_HEADER, 4) == CORE_HEADER ? 3 : 4;
    if (count > PALETTE_MAX || at > images->size || (images->size - at) / entry < count)
        FAIL(PUAD_FORMAT, "%s: at offset %zu: damaged BMP: a palette of %zu colors", images->path, at, count);
    for (size_t i = 0; i < count; i++, at += entry) {
        for (size_t c = 0; c < 3; c++) out->palette[i][c] = images->bytes[at + 2 - c];
        *gray = *gray && out->palette[i][0] == out->palette[i][1] && out->palette[i][1] == out->palette[i][2];
    }
    return PUAD_OK;
}

/* The value of a pixel under a mask, scaled to 0..255. */
static uint8_t under_mask(uint32_t pixel, uint32_t mask)
{
    if (!mask) return 0;
    uint64_t max = mask >> __builtin_ctz(mask), value = (pixel & mask) >> __builtin_ctz(mask);
    return (uint8_t)((value * 255 + max / 2) / max);
}

static void read_row(uint8_t *out, const bmp_layout *layout, const uint8_t *row, const image *shape)
{
    size_t channels = (size_t)shape->channels;
    for (size_t x = 0; x < (size_t)shape->width; x++, out += channels) {
        if (layout->bits <= 8) {
            size_t bit = x * (size_t)layout->bits;
            unsigned index =
                row[bit / 8] >> (8 - (size_t)layout->bits - bit % 8) & ((1U << layout->bits) - 1);
            memcpy(out, layout->palette[index], channels);
        } else if (layout->bits == 24) {
            for (size_t c = 0; c < 3; c++) out[c] = row[3 * x + 2 - c];
        } else {
            size_t bytes = (size_t)layout->bits / 8;
            uint32_t pixel = (uint32_t)image_number(row + x * bytes, bytes, false);
            for (size_t c = 0; c < 3; c++) out[c] = under_mask(pixel, layout->masks[c]);
        }
    }
}

/* Reads the header, and the palette or the masks. */
static puad_status read_header(bmp_layout *out, image *shape, const image_source *images)
{
    if (images->size < FILE_HEADER + 40)
        FAIL(PUAD_FORMAT, "%s: truncated BMP: %zu bytes", images->path, images->size);
    size_t header = number(images, FILE_HEADER, 4);
    bool core = header == CORE_HEADER;
    if (!core && (header < 40 || header > 124))
        FAIL(PUAD_FORMAT, "%s: at offset 14: a BMP header of %zu bytes", images->path, header);
    size_t half = core ? 2 : 4;
    uint32_t width = number(images, 18, half), height = number(images, 18 + half, half);
    uint32_t packing = core ? PLAIN : number(images, 30, 4), colors = core ? 0 : number(images, 46, 4);
    *out = (bmp_layout){.pixels_at = number(images, 10, 4), .bits = (int)number(images, 20 + 2 * half, 2)};
    out->top_down = !core && height >> 31;
    if (out->top_down) height = 0 - height;
    int bits = out->bits;
    bool deep = bits == 16 || bits == 32;
    if (!(bits == 1 || bits == 4 || bits == 8 || bits == 24 || deep) ||
        !(packing == PLAIN || (packing == MASKS && deep)))
        FAIL(PUAD_FORMAT, "%s: BMP of %d bits with compression %u is not supported", images->path, bits,
             packing);
    bool gray = bits <= 8;
    if (bits <= 8) {
        size_t count = colors ? colors : (size_t)1 << bits;
        TRY(read_palette(out, &gray, images, FILE_HEADER + header, count));
    }
    for (size_t c = 0; c < 3; c++) {
        size_t at = FILE_HEADER + 40 + 4 * c;
        if (packing == MASKS && images->size < at + 4) FAIL(PUAD_FORMAT, "%s: truncated BMP", images->path);
        out->masks[c] = packing == MASKS ? number(images, at, 4)
                                         : (bits == 16 ? 0x7c00U : 0xff0000U) >> (bits == 16 ? 5 : 8) * c;
    }
    TRY(image_reserve(shape, images, height, width, gray ? 1 : 3, PIXELS_PER_BYTE));
    out->stride = ((size_t)width * (size_t)bits + 31) / 32 * 4;
    return PUAD_OK;
}

puad_status bmp_decode(image *out, const image_source *images)
{
    bmp_layout layout;
    TRY(read_header(&layout, out, images));
    if (images->header_only) return PUAD_OK;
    size_t rows = (size_t)out->height;
    if (layout.pixels_at > images->size || (images->size - layout.pixels_at) / layout.stride < rows)
        FAIL(PUAD_FORMAT, "%s: at offset %zu: truncated BMP: fewer than %zu rows of pixels", images->path,
             layout.pixels_at, rows);
    for (size_t y = 0; y < rows; y++) {
        const uint8_t *row =
            images->bytes + layout.pixels_at + (layout.top_down ? y : rows - 1 - y) * layout.stride;
        read_row(out->pixels + y * (size_t)out->width * (size_t)out->channels, &layout, row, out);
    }
    return PUAD_OK;
}
