/* Validates a MATLAB file of version 5 to 7. libmatio accepts truncated and damaged files and allocates as
 * much memory as a header announces, so every element is checked first: it is within the file, it
 * decompresses to its end (where zlib compares its checksum), it is a numeric array, and its sizes are
 * consistent. */
#include "lab/sets/mat_check.h"

#include "base/memory.h"
#include "io/stream.h"

#include <string.h>

enum { HEADER = 128, ROOM = 1 << 16, HEAD = 256 };
enum { KIND_MATRIX = 14, KIND_PACKED = 15 };
enum { FLAGS_KIND = 6, DIMENSIONS_KIND = 5, NAME_KIND = 1, COMPLEX = 0x800, DIMENSIONS_MAX = 8 };
enum { CLASS_DOUBLE = 6, CLASS_UINT64 = 15 };

typedef struct walk {
    stream source;
    bool big;                 /* the file is big-endian */
    unsigned long long place; /* of the current element */
    unsigned char buffer[ROOM];
    unsigned char head[HEAD]; /* the first bytes of the current element, decompressed */
    size_t head_size;
    uint64_t total; /* bytes of the current element, decompressed */
} walk;

static uint32_t number(const walk *source, const unsigned char *bytes)
{
    int turn = source->big ? 3 : 0; /* byte i is at i, or at 3 - i */
    uint32_t value = 0;
    for (int i = 3; i >= 0; i--) value = value << 8 | bytes[i ^ turn];
    return value;
}

static puad_status bad(const walk *source, const char *what)
{
    FAIL(PUAD_FORMAT, "%s: in the element at offset %llu: %s", source->source.name, source->place, what);
}

static void keep(walk *to, const unsigned char *bytes, size_t size)
{
    size_t capacity = HEAD - to->head_size, part = size < capacity ? size : capacity;
    memcpy(to->head + to->head_size, bytes, part);
    to->head_size += part;
    to->total += size;
}

static puad_status inflate_element(walk *source, z_stream *zip, uint32_t size)
{
    unsigned char piece[4096];
    int result = Z_OK;
    while (size > 0) {
        size_t part = size < ROOM ? size : ROOM;
        TRY(stream_read(&source->source, source->buffer, part));
        size -= (uint32_t)part;
        zip->next_in = source->buffer;
        zip->avail_in = (uInt)part;
        while (result == Z_OK && zip->avail_in > 0) {
            zip->next_out = piece;
            zip->avail_out = sizeof piece;
            result = inflate(zip, Z_NO_FLUSH);
            keep(source, piece, sizeof piece - zip->avail_out);
        }
    }
    return result == Z_STREAM_END ? PUAD_OK : bad(source, "damaged or truncated: it cannot be decompressed");
}

/* Reads one element, decompressing it, and leaves its beginning in `head`. */
static puad_status next_element(walk *source)
{
    unsigned char tag[8];
    source->place = source->source.offset;
    source->head_size = 0;
    source->total = 0;
    TRY(stream_read(&source->source, tag, 8));
    uint32_t kind = number(source, tag), size = number(source, tag + 4);
    if (size > stream_bound(&source->source))
        return bad(source, "truncated: it extends past the end of the file");
    if (kind == KIND_PACKED) {
        z_stream zip = {0};
        if (inflateInit(&zip) != Z_OK)
            FAIL(PUAD_MEMORY, "%s: no memory for decompression", source->source.name);
        puad_status status = inflate_element(source, &zip, size);
        inflateEnd(&zip);
        return status;
    }
    keep(source, tag, 8);
    while (size > 0) {
        size_t part = size < ROOM ? size : ROOM;
        TRY(stream_read(&source->source, source->buffer, part));
        keep(source, source->buffer, part);
        size -= (uint32_t)part;
    }
    return PUAD_OK;
}

/* The tag of a part of an element, at *place of its head. Short parts are inside their tag. *place
 * advances past the tag, or past a short part. */
typedef struct part_tag {
    uint32_t kind, size;
    bool is_short;
} part_tag;

static bool read_tag(part_tag *out, const walk *source, size_t *place)
{
    if (*place + 8 > source->head_size) return false;
    uint32_t first = number(source, source->head + *place);
    out->is_short = first >> 16 != 0;
    out->kind = out->is_short ? first & 0xffff : first;
    out->size = out->is_short ? first >> 16 : number(source, source->head + *place + 4);
    *place += 8;
    return !out->is_short || out->size <= 4;
}

static size_t filled_up(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static size_t bytes_of_kind(uint32_t kind)
{
    static const unsigned char bytes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    return kind < sizeof bytes ? bytes[kind] : 0;
}

/* Flags, dimensions, name, elements: in this order, with these sizes. */
static puad_status check_matrix(const walk *source)
{
    part_tag tag;
    size_t place = 8, count = 1;
    if (source->head_size < 8 || number(source, source->head) != KIND_MATRIX)
        return bad(source, "not an array");
    if (source->total != 8 + (uint64_t)number(source, source->head + 4))
        return bad(source, "its length is wrong");
    if (!read_tag(&tag, source, &place) || tag.is_short || tag.kind != FLAGS_KIND || tag.size != 8 ||
        place + 8 > source->head_size)
        return bad(source, "flags expected");
    uint32_t flags = number(source, source->head + place), class = flags & 255;
    if (class < CLASS_DOUBLE || class > CLASS_UINT64 || flags & COMPLEX)
        return bad(source, "not an array of plain numbers");
    place += 8;
    if (!read_tag(&tag, source, &place) || tag.is_short || tag.kind != DIMENSIONS_KIND || tag.size % 4 ||
        tag.size < 8 || tag.size > 4 * DIMENSIONS_MAX || place + tag.size > source->head_size)
        return bad(source, "two to eight dimensions expected");
    for (uint32_t i = 0; i < tag.size; i += 4)
        if (!size_multiply(&count, count, number(source, source->head + place + i)))
            return bad(source, "dimensions too large");
    place += filled_up(tag.size);
    if (!read_tag(&tag, source, &place) || tag.kind != NAME_KIND || tag.size < 1 || tag.size > 63)
        return bad(source, "a name expected");
    if (!tag.is_short) place += filled_up(tag.size);
    if (!read_tag(&tag, source, &place) || bytes_of_kind(tag.kind) == 0)
        return bad(source, "numbers expected");
    if (tag.size % bytes_of_kind(tag.kind) || tag.size / bytes_of_kind(tag.kind) != count)
        return bad(source, "the number of elements is not the product of the dimensions");
    uint64_t end = place + (tag.is_short ? 0 : (uint64_t)tag.size);
    if (source->total < end || source->total > end + 7)
        return bad(source, "its length differs from that of its parts");
    return PUAD_OK;
}

static puad_status run(walk *source, const char *path)
{
    TRY(stream_open(&source->source, path));
    TRY(stream_read(&source->source, source->buffer, HEADER));
    const unsigned char *order = source->buffer + 126;
    source->big = order[0] == 'M' && order[1] == 'I';
    if (source->source.kind != STREAM_PLAIN || (!source->big && !(order[0] == 'I' && order[1] == 'M')))
        FAIL(PUAD_FORMAT, "%s: at offset 126: not a MATLAB file of version 5 to 7", path);
    while (!source->source.ended) {
        TRY(next_element(source));
        TRY(check_matrix(source));
    }
    return PUAD_OK;
}

puad_status mat_check(const char *path)
{
    AUTO_FREE walk *source = NULL;
    TRY(memory_new(&source, 1, sizeof *source, path));
    puad_status status = run(source, path);
    stream_close(&source->source);
    return status;
}
