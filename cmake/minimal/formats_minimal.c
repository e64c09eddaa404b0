/* Replaces the sources that need zlib, zstd, lzma, png and jpeg in a build with -DPUAD_FORMATS=minimal. */
#include "image/image_decode.h"
#include "io/stream_makers.h"

#include <string.h>
#include <zlib.h>

/* CRC-32 of ISO 3309, four bits at a time. */
uLong crc32_z(uLong crc, const Bytef *bytes, size_t size)
{
    uint32_t table[16], value = ~(uint32_t)crc;
    for (uint32_t i = 0; i < 16; i++) {
        table[i] = i;
        for (int bit = 0; bit < 4; bit++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    for (size_t i = 0; i < size; i++) {
        value ^= bytes[i];
        value = value >> 4 ^ table[value & 15];
        value = value >> 4 ^ table[value & 15];
    }
    return (uint32_t)~value;
}

puad_status stream_unpack(stream *out)
{
    if ((out->buffered >= 4 && memcmp(out->next, "\x28\xb5\x2f\xfd", 4) == 0) ||
        (out->buffered >= 4 && memcmp(out->next,
                                      "\xfd"
                                      "7zX",
                                      4) == 0))
        FAIL(PUAD_FORMAT, "%s: is compressed; this build of puad reads plain files only", out->name);
    return PUAD_OK;
}

puad_status png_decode(image *out, const image_source *from)
{
    (void)out;
    FAIL(PUAD_FORMAT, "%s: this build of puad reads no PNG images", from->path);
}

puad_status jpeg_decode(image *out, const image_source *from)
{
    (void)out;
    FAIL(PUAD_FORMAT, "%s: this build of puad reads no JPEG images", from->path);
}

puad_status tiff_decode(image *out, const image_source *from)
{
    (void)out;
    FAIL(PUAD_FORMAT, "%s: this build of puad reads no TIFF images", from->path);
}
