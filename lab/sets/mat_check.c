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
enum { FLAGS_KIND = 6, DIMENSIONS_KIND = 5, NAME_KIND = 1, COMPLEX = 0x800, DIMENSIONS_MOST = 8 };
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

static uint32_t number(const walk *from, const unsigned char *bytes)
{
    int turn = from->big ? 3 : 0; /* byte i is at i, or at 3 - i */
    uint32_t value = 0;
    for (int i = 3; i >= 0; i--) value = value << 8 | bytes[i ^ turn];
    return value;
}

static puad_status bad(const walk *from, const char *what)
{
    FAIL(PUAD_FORMAT, "%s: in the element at offset %llu: %s", from->source.name, from->place, what);
}

static void keep(walk *to, const unsigned char *bytes, size_t size)
{
    size_t room = HEAD - to->head_size, part = size < room ? size : room;
    memcpy(to->head + to->head_size, bytes, part);
    to->head_size += part;
    to->total += size;
}

static puad_status inflate_element(walk *from, z_stream *zip, uint32_t size)
{
    unsigned char piece[4096];
    int result = Z_OK;
    while (size > 0) {
        size_t part = size < ROOM ? size : ROOM;
        TRY(stream_read(&from->source, from->buffer, part));
        size -= (uint32_t)part;
        zip->next_in = from->buffer;
        zip->avail_in = (uInt)part;
        while (result == Z_OK && zip->avail_in > 0) {
            zip->next_out = piece;
            zip->avail_out = sizeof piece;
            result = inflate(zip, Z_NO_FLUSH);
            keep(from, piece, sizeof piece - zip->avail_out);
        }
    }
    return result == Z_STREAM_END ? PUAD_OK : bad(from, "damaged or truncated: it cannot be decompressed");
}

/* Reads one element, decompressing it, and leaves its beginning in `head`. */
static puad_status next_element(walk *from)
{
    unsigned char tag[8];
    from->place = from->source.offset;
    from->head_size = 0;
    from->total = 0;
    TRY(stream_read(&from->source, tag, 8));
    uint32_t kind = number(from, tag), size = number(from, tag + 4);
    if (size > stream_bound(&from->source))
        return bad(from, "truncated: it extends past the end of the file");
    if (kind == KIND_PACKED) {
        z_stream zip = {0};
        if (inflateInit(&zip) != Z_OK)
            FAIL(PUAD_MEMORY, "%s: no memory for decompression", from->source.name);
        puad_status status = inflate_element(from, &zip, size);
        inflateEnd(&zip);
        return status;
    }
    keep(from, tag, 8);
    while (size > 0) {
        size_t part = size < ROOM ? size : ROOM;
        TRY(stream_read(&from->source, from->buffer, part));
        keep(from, from->buffer, part);
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

static bool read_tag(part_tag *out, const walk *from, size_t *place)
{
    if (*place + 8 > from->head_size) return false;
    uint32_t first = number(from, from->head + *place);
    out->is_short = first >> 16 != 0;
    out->kind = out->is_short ? first & 0xffff : first;
    out->size = out->is_short ? first >> 16 : number(from, from->head + *place + 4);
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
static puad_status check_matrix(const walk *from)
{
    part_tag tag;
    size_t place = 8, count = 1;
    if (from->head_size < 8 || number(from, from->head) != KIND_MATRIX) return bad(from, "not an array");
    if (from->total != 8 + (uint64_t)number(from, from->head + 4)) return bad(from, "its length is wrong");
    if (!read_tag(&tag, from, &place) || tag.is_short || tag.kind != FLAGS_KIND || tag.size != 8 ||
        place + 8 > from->head_size)
        return bad(from, "flags expected");
    uint32_t flags = number(from, from->head + place), class = flags & 255;
    if (class < CLASS_DOUBLE || class > CLASS_UINT64 || flags & COMPLEX)
        return bad(from, "not an array of plain numbers");
    place += 8;
    if (!read_tag(&tag, from, &place) || tag.is_short || tag.kind != DIMENSIONS_KIND || tag.size % 4 ||
        tag.size < 8 || tag.size > 4 * DIMENSIONS_MOST || place + tag.size > from->head_size)
        return bad(from, "two to eight dimensions expected");
    for (uint32_t i = 0; i < tag.size; i += 4)
        if (!size_multiply(&count, count, number(from, from->head + place + i)))
            return bad(from, "dimensions too large");
    place += filled_up(tag.size);
    if (!read_tag(&tag, from, &place) || tag.kind != NAME_KIND || tag.size < 1 || tag.size > 63)
        return bad(from, "a name expected");
    if (!tag.is_short) place += filled_up(tag.size);
    if (!read_tag(&tag, from, &place) || bytes_of_kind(tag.kind) == 0) return bad(from, "numbers expected");
    if (tag.size % bytes_of_kind(tag.kind) || tag.size / bytes_of_kind(tag.kind) != count)
        return bad(from, "the number of elements is not the product of the dimensions");
    uint64_t end = place + (tag.is_short ? 0 : (uint64_t)tag.size);
    if (from->total < end || from->total > end + 7)
        return bad(from, "its length differs from that of its parts");
    return PUAD_OK;
}

static puad_status run(walk *from, const char *path)
{
    TRY(stream_open(&from->source, path));
    TRY(stream_read(&from->source, from->buffer, HEADER));
    const unsigned char *order = from->buffer + 126;
    from->big = order[0] == 'M' && order[1] == 'I';
    if (from->source.kind != STREAM_PLAIN || (!from->big && !(order[0] == 'I' && order[1] == 'M')))
        FAIL(PUAD_FORMAT, "%s: at offset 126: not a MATLAB file of version 5 to 7", path);
    while (!from->source.ended) {
        TRY(next_element(from));
        TRY(check_matrix(from));
    }
    return PUAD_OK;
}

puad_status mat_check(const char *path)
{
    AUTO_FREE walk *from = NULL;
    TRY(memory_new(&from, 1, sizeof *from, path));
    puad_status status = run(from, path);
    stream_close(&from->source);
    return status;
}
