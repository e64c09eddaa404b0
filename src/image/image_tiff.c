/* TIFF: the first image of a file, in strips, gray, palette or RGB with 1 (gray), 8 or 16 bits per sample;
 * plain or packed by PackBits, LZW or deflate. */
#include "base/memory.h"
#include "image/image_decode.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ENTRY_SIZE = 12, SAMPLES_MAX = 4, PIXELS_PER_BYTE = 8 * 4096 };
enum { PACK_NONE = 1, PACK_LZW = 5, PACK_DEFLATE = 8, PACK_DEFLATE_OLD = 32946, PACK_BITS = 32773 };
enum { WHITE_IS_0 = 0, BLACK_IS_0 = 1, RGB = 2, PALETTE = 3 };

typedef struct tiff_entry { /* a tag's values; count 0: the tag is missing */
    size_t count, size, at; /* size: bytes of a value */
} tiff_entry;

typedef struct tiff_layout {
    const image_source *images;
    bool big;
    size_t width, height, bits, samples, packing, colors, rows_per_strip, predictor, planes, format,
        orientation;
    tiff_entry all_bits, offsets, counts, palette;
    bool tiled;
    size_t stride; /* bytes of an unpacked row */
} tiff_layout;

static size_t number(const tiff_layout *layout, size_t at, size_t count)
{
    return image_number(layout->images->bytes + at, count, layout->big);
}

static size_t value_at(const tiff_layout *layout, const tiff_entry *entry, size_t index)
{
    return index < entry->count ? number(layout, entry->at + index * entry->size, entry->size) : 0;
}

static puad_status read_entry(tiff_entry *out, const tiff_layout *layout, size_t at)
{
    static const size_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};
    size_t type = number(layout, at + 2, 2), count = number(layout, at + 4, 4);
    *out = (tiff_entry){0};
    if (type >= sizeof sizes / sizeof *sizes || !sizes[type]) return PUAD_OK;
    size_t size = sizes[type], bytes = count * size, where = bytes <= 4 ? at + 8 : number(layout, at + 8, 4);
    if (where > layout->images->size || bytes > layout->images->size - where)
        FAIL(PUAD_FORMAT, "%s: at offset %zu: damaged TIFF: a tag ends after the file", layout->images->path,
             at);
    *out = (tiff_entry){count, size, where};
    return PUAD_OK;
}

/* Reads the tags of the first image. */
static puad_status read_tags(tiff_layout *out)
{
    const image_source *images = out->images;
    size_t at = images->size >= 8 ? number(out, 4, 4) : images->size;
    if (at > images->size || images->size - at < 2) FAIL(PUAD_FORMAT, "%s: truncated TIFF", images->path);
    size_t entries = number(out, at, 2);
    size_t left = images->size - at - 2; /* the offset of the next image follows */
    if (left < 4 || (left - 4) / ENTRY_SIZE < entries) FAIL(PUAD_FORMAT, "%s: truncated TIFF", images->path);
    const struct {
        size_t tag, *value;
    } single[] = {{256, &out->width},          {257, &out->height},      {259, &out->packing},
                  {262, &out->colors},         {274, &out->orientation}, {277, &out->samples},
                  {278, &out->rows_per_strip}, {284, &out->planes},      {317, &out->predictor},
                  {339, &out->format}};
    for (at += 2; entries > 0; entries--, at += ENTRY_SIZE) {
        size_t tag = number(out, at, 2);
        tiff_entry entry;
        TRY(read_entry(&entry, out, at));
        for (size_t i = 0; i < sizeof single / sizeof *single; i++)
            if (single[i].tag == tag && entry.count && entry.size <= 4)
                *single[i].value = value_at(out, &entry, 0);
        if (tag == 258) out->all_bits = entry;
        if (tag == 273) out->offsets = entry;
        if (tag == 279) out->counts = entry;
        if (tag == 320) out->palette = entry;
        if (tag == 322) out->tiled = true;
    }
    return PUAD_OK;
}

/* Refuses kinds of TIFF that are not supported. */
static puad_status check_layout(tiff_layout *out)
{
    const char *path = out->images->path;
    out->bits = out->all_bits.count ? value_at(out, &out->all_bits, 0) : 1;
    for (size_t i = 1; i < out->all_bits.count; i++)
        if (value_at(out, &out->all_bits, i) != out->bits)
            FAIL(PUAD_FORMAT, "%s: TIFF with samples of several sizes", path);
    bool bits = out->bits == 8 || (out->bits == 16 && out->colors != PALETTE) ||
                (out->bits == 1 && out->samples == 1 && out->colors <= BLACK_IS_0 && out->predictor == 1);
    if (!bits || out->format != 1)
        FAIL(PUAD_FORMAT, "%s: TIFF with samples of %zu bits, format %zu, is not supported", path, out->bits,
             out->format);
    size_t min = out->colors == RGB ? 3 : 1;
    if (out->colors > PALETTE || out->samples < min || out->samples > SAMPLES_MAX)
        FAIL(PUAD_FORMAT, "%s: TIFF with %zu samples, photometric %zu, is not supported", path, out->samples,
             out->colors);
    if (out->tiled || (out->planes != 1 && out->samples > 1))
        FAIL(PUAD_FORMAT, "%s: TIFF in %s is not supported", path, out->tiled ? "tiles" : "planes");
    if (out->colors == PALETTE && (out->palette.size != 2 || out->palette.count < 768))
        FAIL(PUAD_FORMAT, "%s: damaged TIFF: no palette of 256 colors", path);
    if (out->predictor < 1 || out->predictor > 2)
        FAIL(PUAD_FORMAT, "%s: TIFF with predictor %zu is not supported", path, out->predictor);
    return PUAD_OK;
}

typedef struct packed_bytes {
    const uint8_t *bytes;
    size_t size;
} packed_bytes;

/* The functions that unpack return the number of bytes written, at most `size`. */
static size_t unpack_bits(uint8_t *out, size_t size, packed_bytes bytes)
{
    size_t done = 0;
    for (size_t at = 0; at < bytes.size && done < size;) {
        unsigned head = bytes.bytes[at++];
        size_t count = head < 128 ? head + 1 : 257 - head;
        if (head == 128) continue;
        if (count > size - done) count = size - done;
        if (head < 128) {
            if (count > bytes.size - at) count = bytes.size - at;
            memcpy(out + done, bytes.bytes + at, count);
            at += count;
        } else if (at < bytes.size) {
            memset(out + done, bytes.bytes[at++], count);
        } else {
            break;
        }
        done += count;
    }
    return done;
}

/* LZW with codes of 9 to 12 bits, most significant bit first. A code's string is an earlier place of the
 * output: the string of the code before it and one more byte. */
static size_t unpack_lzw(uint8_t *out, size_t size, packed_bytes bytes)
{
    enum { CLEAR = 256, END = 257, FIRST = 258, CODES = 4096 };
    uint32_t start[CODES], length[CODES];
    size_t done = 0, previous_at = 0, previous_length = 0;
    unsigned next = FIRST, width = 9, held = 0;
    uint32_t window = 0;
    for (size_t at = 0; done < size;) {
        while (held < width && at < bytes.size) {
            window = window << 8 | bytes.bytes[at++];
            held += 8;
        }
        if (held < width) break;
        unsigned code = window >> (held - width) & ((1U << width) - 1);
        held -= width;
        if (code == END) break;
        if (code == CLEAR) {
            next = FIRST;
            width = 9;
            previous_length = 0;
            continue;
        }
        if (code > next || (code == next && !previous_length)) break;
        if (previous_length && next < CODES) { /* its last byte is the first of this code's string */
            start[next] = (uint32_t)previous_at;
            length[next++] = (uint32_t)previous_length + 1;
        }
        if (code >= next && code > 255) break;
        size_t count = code < 256 ? 1 : length[code];
        previous_at = done;
        previous_length = count;
        for (size_t i = 0; i < count && done < size; i++, done++)
            out[done] = code < 256 ? (uint8_t)code : out[start[code] + i];
        if (next + 1 >= 1U << width && width < 12) width++;
    }
    return done;
}

static size_t unpack(uint8_t *out, size_t size, packed_bytes bytes, size_t packing)
{
    uLongf inflated = size;
    switch (packing) {
    case PACK_BITS: return unpack_bits(out, size, bytes);
    case PACK_LZW: return unpack_lzw(out, size, bytes);
    case PACK_NONE:
        memcpy(out, bytes.bytes, bytes.size < size ? bytes.size : size);
        return bytes.size < size ? bytes.size : size;
    default: /* the last strip may hold more than its rows */
        return uncompress(out, &inflated, bytes.bytes, bytes.size) == Z_DATA_ERROR ? 0 : inflated;
    }
}

/* Undoes horizontal differencing. */
static void add_up(uint8_t *row, const tiff_layout *layout)
{
    size_t samples = layout->samples, count = layout->width * samples;
    for (size_t i = samples; i < count; i++) {
        if (layout->bits == 8) {
            row[i] = (uint8_t)(row[i] + row[i - samples]);
            continue;
        }
        size_t sum =
            image_number(row + 2 * i, 2, layout->big) + image_number(row + 2 * (i - samples), 2, layout->big);
        row[2 * i + layout->big] = (uint8_t)sum;
        row[2 * i + !layout->big] = (uint8_t)(sum >> 8);
    }
}

static void read_row(uint8_t *out, const tiff_layout *layout, const uint8_t *row)
{
    size_t channels = layout->colors == RGB || layout->colors == PALETTE ? 3 : 1;
    for (size_t x = 0; x < layout->width; x++, out += channels)
        for (size_t c = 0; c < channels; c++) {
            size_t i = x * layout->samples + (layout->colors == PALETTE ? 0 : c), value;
            if (layout->bits == 1)
                value = row[x / 8] >> (7 - x % 8) & 1 ? 255 : 0;
            else if (layout->bits == 8)
                value = row[i];
            else
                value = (image_number(row + 2 * i, 2, layout->big) * 255 + 32767) / 65535;
            if (layout->colors == PALETTE) value = value_at(layout, &layout->palette, 256 * c + value) >> 8;
            out[c] = (uint8_t)(layout->colors == WHITE_IS_0 ? 255 - value : value);
        }
}

static puad_status read_strips(image *out, const tiff_layout *layout)
{
    const image_source *images = layout->images;
    size_t rows = layout->rows_per_strip, row_bytes = (size_t)out->width * (size_t)out->channels;
    AUTO_FREE uint8_t *strip = NULL;
    TRY(memory_new(&strip, rows, layout->stride, images->path));
    for (size_t y = 0, s = 0; y < layout->height; s++) {
        size_t at = value_at(layout, &layout->offsets, s), count = value_at(layout, &layout->counts, s);
        size_t here = layout->height - y < rows ? layout->height - y : rows;
        if (at > images->size || count > images->size - at)
            FAIL(PUAD_FORMAT, "%s: truncated TIFF: strip %zu ends after the file", images->path, s);
        packed_bytes packed = {images->bytes + at, count};
        if (unpack(strip, here * layout->stride, packed, layout->packing) < here * layout->stride)
            FAIL(PUAD_FORMAT, "%s: at offset %zu: damaged TIFF: strip %zu is too short", images->path, at, s);
        for (size_t i = 0; i < here; i++, y++) {
            uint8_t *row = strip + i * layout->stride;
            if (layout->predictor == 2) add_up(row, layout);
            read_row(out->pixels + y * row_bytes, layout, row);
        }
    }
    return PUAD_OK;
}

puad_status tiff_decode(image *out, const image_source *images)
{
    tiff_layout layout = {.images = images,
                          .big = images->bytes[0] == 'M',
                          .samples = 1,
                          .packing = PACK_NONE,
                          .predictor = 1,
                          .planes = 1,
                          .format = 1,
                          .orientation = 1,
                          .rows_per_strip = SIZE_MAX};
    TRY(read_tags(&layout));
    TRY(check_layout(&layout));
    size_t packing = layout.packing;
    if (packing != PACK_NONE && packing != PACK_BITS && packing != PACK_LZW && packing != PACK_DEFLATE &&
        packing != PACK_DEFLATE_OLD)
        FAIL(PUAD_FORMAT, "%s: TIFF with compression %zu is not supported", images->path, packing);
    TRY(image_reserve(out, images, layout.height, layout.width, layout.colors >= RGB ? 3 : 1,
                      PIXELS_PER_BYTE));
    if (layout.rows_per_strip > layout.height) layout.rows_per_strip = layout.height;
    if (!layout.rows_per_strip) FAIL(PUAD_FORMAT, "%s: damaged TIFF: strips of 0 rows", images->path);
    layout.stride = (layout.width * layout.samples * layout.bits + 7) / 8;
    if (!images->header_only) TRY(read_strips(out, &layout));
    return image_orient(out, layout.orientation <= 8 ? (int)layout.orientation : 1, images->path);
}
