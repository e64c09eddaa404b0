/* Plain and gzip byte streams. The first piece is read into a buffer to see which it is; plain files then
 * bypass it. */
#include "data/bytes.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE = 128 * 1024 };

struct byte_source {
    char *name;
    int handle;
    bool packed, member_open; /* gzip; inside one of its members */
    uint64_t offset;          /* bytes taken from the file */
    size_t begin, end;        /* what is left in `piece` */
    z_stream unpacker;
    unsigned char piece[PIECE];
};

static puad_status read_plain(size_t *out_count, byte_source *source, unsigned char *out, size_t room)
{
    size_t count = 0;
    while (count < room) {
        size_t step = room - count < (1u << 30) ? room - count : 1u << 30;
        ssize_t got = read(source->handle, out + count, step);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            FAIL(PUAD_IO, "%s: at offset %llu: %s", source->name, (unsigned long long)source->offset,
                 strerror(errno));
        if (got == 0) break;
        count += (size_t)got;
        source->offset += (uint64_t)got;
    }
    *out_count = count;
    return PUAD_OK;
}

puad_status bytes_open(byte_source **out, const char *path)
{
    byte_source *source = NULL;
    bool standard = strcmp(path, "-") == 0;
    uint64_t size;
    if (!standard) TRY(file_size(&size, path));
    TRY(memory_new(&source, 1, sizeof *source, path));
    source->name = strdup(standard ? "standard input" : path);
    source->handle = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    puad_status status = PUAD_OK;
    if (!source->name)
        status = status_fail(PUAD_MEMORY, "%s: no memory", path);
    else if (source->handle < 0)
        status = status_fail(PUAD_IO, "%s: %s", path, strerror(errno));
    else
        status = read_plain(&source->end, source, source->piece, PIECE);
    if (status == PUAD_OK && source->end >= 2 && source->piece[0] == 0x1f && source->piece[1] == 0x8b) {
        source->packed = source->member_open = true;
        if (inflateInit2(&source->unpacker, 16 + MAX_WBITS) != Z_OK) {
            source->packed = false;
            status = status_fail(PUAD_MEMORY, "%s: no memory to unpack", path);
        }
    }
    if (status != PUAD_OK) {
        bytes_close(source);
        return status;
    }
    *out = source;
    return PUAD_OK;
}

static puad_status read_packed(size_t *out_count, byte_source *source, unsigned char *out, size_t room)
{
    z_stream *unpacker = &source->unpacker;
    *out_count = 0;
    while (*out_count < room) {
        if (source->begin == source->end) {
            source->begin = source->end = 0;
            TRY(read_plain(&source->end, source, source->piece, PIECE));
            if (source->end == 0 && source->member_open)
                FAIL(PUAD_FORMAT, "%s: offset %llu: the gzip data ends early", source->name,
                     (unsigned long long)source->offset);
            if (source->end == 0) return PUAD_OK;
        }
        if (!source->member_open) { /* another member may follow; anything else behind the last one is padding
                                     */
            if (source->piece[source->begin] != 0x1f) return PUAD_OK;
            inflateReset(unpacker);
            source->member_open = true;
        }
        size_t wanted = room - *out_count < (1u << 30) ? room - *out_count : 1u << 30;
        unpacker->next_in = source->piece + source->begin;
        unpacker->avail_in = (uInt)(source->end - source->begin);
        unpacker->next_out = out + *out_count;
        unpacker->avail_out = (uInt)wanted;
        int result = inflate(unpacker, Z_NO_FLUSH);
        source->begin = source->end - unpacker->avail_in;
        *out_count += wanted - unpacker->avail_out;
        if (result == Z_STREAM_END)
            source->member_open = false;
        else if (result != Z_OK && result != Z_BUF_ERROR)
            FAIL(PUAD_FORMAT, "%s: offset %llu: the gzip data is corrupted (%s)", source->name,
                 (unsigned long long)(source->offset - (source->end - source->begin)),
                 unpacker->msg ? unpacker->msg : "no reason given");
    }
    return PUAD_OK;
}

puad_status bytes_read(size_t *out_count, byte_source *source, void *out, size_t room)
{
    if (source->packed) return read_packed(out_count, source, out, room);
    size_t ready = source->end - source->begin;
    if (ready > room) ready = room;
    memcpy(out, source->piece + source->begin, ready);
    source->begin += ready;
    TRY(read_plain(out_count, source, (unsigned char *)out + ready, room - ready));
    *out_count += ready;
    return PUAD_OK;
}

const char *bytes_name(const byte_source *source)
{
    return source->name;
}

void bytes_close(byte_source *source)
{
    if (!source) return;
    if (source->packed) inflateEnd(&source->unpacker);
    if (source->handle > STDIN_FILENO) close(source->handle);
    free(source->name);
    free(source);
}
