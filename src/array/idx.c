/* IDX, the format of MNIST: two zero bytes, an element type, the number of dimensions, big-endian sizes,
 * elements. */
#include "array/array_fill.h"

#include <string.h>

static puad_status type_of(array_type *out, int code, const char *name)
{
    switch (code) {
    case 0x08: *out = ARRAY_U8; return PUAD_OK;
    case 0x09: *out = ARRAY_I8; return PUAD_OK;
    case 0x0b: *out = ARRAY_I16; return PUAD_OK;
    case 0x0c: *out = ARRAY_I32; return PUAD_OK;
    case 0x0d: *out = ARRAY_F32; return PUAD_OK;
    case 0x0e: *out = ARRAY_F64; return PUAD_OK;
    }
    FAIL(PUAD_FORMAT, "%s: at offset 2: unknown IDX element type %#04x", name, (unsigned)code);
}

puad_status idx_read(array *out, const char *path, size_t limit)
{
    AUTO_STREAM stream source = {0};
    array result = {0};
    unsigned char start[4];
    TRY(stream_open(&source, path));
    TRY(stream_read(&source, start, 4));
    if (start[0] || start[1])
        FAIL(PUAD_FORMAT, "%s: at offset 0: not an IDX file (it begins with two zero bytes)", source.name);
    TRY(type_of(&result.type, start[2], source.name));
    if (start[3] < 1 || start[3] > ARRAY_DIMENSIONS_MAX)
        FAIL(PUAD_FORMAT, "%s: at offset 3: %d dimensions, expected 1 to %d", source.name, start[3],
             ARRAY_DIMENSIONS_MAX);
    result.dimensions = start[3];
    for (int d = 0; d < result.dimensions; d++) {
        unsigned char size[4];
        TRY(stream_read(&source, size, 4));
        result.shape[d] = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | size[3];
    }
    TRY(array_fill(&result, &source, limit, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__));
    *out = result;
    return PUAD_OK;
}
