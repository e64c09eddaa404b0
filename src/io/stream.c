/* Reading bytes of plain files, gzip files, zip members and pipes. */
#include "io/stream.h"

#include "base/file.h"
#include "base/memory.h"
#include "io/reopenable_files.h"
#include "io/stream_makers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER = 128 * 1024,
    DEFLATE_RATIO = 1032, /* a deflate stream unpacks to at most this many bytes per byte */
    LIVE_MIN = 4096,      /* bytes of a pipe used to detect its format if there is no line feed before */
    PIPE_BYTES = 1024 * 1024,
    PIECE = 1024 * 1024 * 1024 /* zlib counts in 32 bits */
};

static puad_status read_failed(const stream *source)
{
    FAIL(PUAD_IO, "%s: at offset %llu: %s", source->name, (unsigned long long)source->offset,
         strerror(errno));
}

/* Reads the bytes that a pipe has; waits for the first one. 0 at the end. */
static puad_status read_pipe(stream *source, unsigned char *out, size_t size, size_t *out_count)
{
    int handle = fileno(source->file);
    struct pollfd more = {.fd = handle, .events = POLLIN};
    *out_count = 0;
    do {
        ssize_t got = read(handle, out + *out_count, size - *out_count);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return read_failed(source);
        if (got == 0) source->packed_left = 0;
        *out_count += (size_t)got;
    } while (*out_count < size && source->packed_left &&
             (*out_count == 0 || (poll(&more, 1, 0) > 0 && more.revents & POLLIN)));
    return PUAD_OK;
}

/* Reads the first line of a pipe, or enough bytes to detect its format. */
static puad_status fill_live(stream *source)
{
    size_t count;
    source->next = source->buffer;
    source->buffered = 0;
    do {
        TRY(read_pipe(source, source->buffer + source->buffered, BUFFER - source->buffered, &count));
        source->buffered += count;
    } while (count && source->buffered < LIVE_MIN && !memchr(source->buffer, '\n', source->buffered));
    return PUAD_OK;
}

/* Reads at most `size` bytes. */
static puad_status read_file(stream *source, unsigned char *out, size_t size, size_t *out_count)
{
    size_t done = 0;
    if (source->file) {
        done = size ? fread(out, 1, size, source->file) : 0;
        if (done < size && ferror(source->file)) return read_failed(source);
    }
    while (!source->file && done < size) {
        ssize_t got = pread(source->handle, out + done, size - done, (off_t)source->handle_at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return read_failed(source);
        if (got == 0) break;
        done += (size_t)got;
        source->handle_at += (uint64_t)got;
    }
    if (done < size)
        source->packed_left = 0;
    else if (source->packed_left != UINT64_MAX)
        source->packed_left -= done;
    file_count_read(done);
    *out_count = done;
    return PUAD_OK;
}

/* Refills the empty buffer; it stays empty at the end of the file or member. */
puad_status stream_fill(stream *source)
{
    if (source->live && source->packed_left) return fill_live(source);
    if (source->live) {
        source->buffered = 0;
        return PUAD_OK;
    }
    size_t want = source->packed_left < BUFFER ? (size_t)source->packed_left : BUFFER;
    source->next = source->buffer;
    return read_file(source, source->buffer, want, &source->buffered);
}

static puad_status open_file(stream *out, const char *path, kept_files *kept)
{
    struct stat info;
    int handle = -1;
    bool standard = false;
    if (kept) TRY(kept_open(&handle, kept, path));
    out->handle = handle;
    if (handle < 0) {
        standard = strcmp(path, "-") == 0;
        out->file = standard ? stdin : fopen(path, "rbe");
        if (!out->file) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
        handle = fileno(out->file);
    }
    if (fstat(handle, &info) != 0) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) FAIL(PUAD_IO, "%s: is a folder, expected a file", path);
    out->packed_left = S_ISREG(info.st_mode) && !standard ? (uint64_t)info.st_size : UINT64_MAX;
    TRY(memory_new(&out->buffer, BUFFER, 1, path));
    out->next = out->buffer;
    return PUAD_OK;
}

static puad_status open_zip(stream *out, int window)
{
    int result = inflateInit2(&out->zip, window);
    if (result == Z_VERSION_ERROR) /* see cmake/minimal */
        FAIL(PUAD_FORMAT, "%s: is compressed; this build of puad reads plain files only", out->name);
    if (result != Z_OK) FAIL(PUAD_MEMORY, "%s: no memory for decompression", out->name);
    out->zip_open = true;
    return PUAD_OK;
}

static puad_status open_whole(stream *out, const char *path, kept_files *kept)
{
    if (stream_is_joined(path)) return stream_join(out, path, kept);
    out->name = strdup(strcmp(path, "-") == 0 ? "standard input" : path);
    if (!out->name) FAIL(PUAD_MEMORY, "%s: no memory", path);
    TRY(open_file(out, path, kept));
    out->live = out->live && out->packed_left == UINT64_MAX;
#ifdef F_SETPIPE_SZ
    if (out->live) /* a larger pipe buffer lets a fast writer wait less often */
        fcntl(fileno(out->file), F_SETPIPE_SZ, PIPE_BYTES);
#endif
    TRY(stream_fill(out));
    if (out->buffered >= 2 && out->next[0] == 0x1f && out->next[1] == 0x8b) {
        out->kind = STREAM_GZIP;
        return open_zip(out, 15 + 16);
    }
    TRY(stream_unpack(out));
    if (out->kind == STREAM_PLAIN) TRY(stream_utf16(out));
    return out->kind == STREAM_PLAIN ? stream_sheet(out, path) : PUAD_OK;
}

puad_status stream_open(stream *out, const char *path)
{
    return stream_open_kept(out, path, NULL);
}

puad_status stream_open_kept(stream *out, const char *path, kept_files *kept)
{
    *out = (stream){0};
    puad_status status = open_whole(out, path, kept);
    if (status != PUAD_OK) stream_close(out);
    return status;
}

puad_status stream_open_live(stream *out, const char *path, kept_files *kept)
{
    *out = (stream){.live = true};
    puad_status status = open_whole(out, path, kept);
    if (status != PUAD_OK) stream_close(out);
    if (out->kind != STREAM_PLAIN || out->packed_left == 0) out->live = false;
    return status;
}

static puad_status open_member(stream *out, const char *path, const char *member, uint64_t place,
                               uint64_t packed, bool deflated)
{
    size_t capacity = strlen(path) + strlen(member) + 16;
    TRY(memory_new(&out->name, capacity, 1, path));
    snprintf(out->name, capacity, "%s, member %s", path, member);
    TRY(open_file(out, path, NULL));
    if (out->packed_left == UINT64_MAX) FAIL(PUAD_IO, "%s: an archive cannot be read from a pipe", path);
    if (place > out->packed_left || packed > out->packed_left - place)
        FAIL(PUAD_FORMAT, "%s: truncated: %llu bytes at offset %llu are past the end of the file", out->name,
             (unsigned long long)packed, (unsigned long long)place);
    if (fseeko(out->file, (off_t)place, SEEK_SET) != 0) return read_failed(out);
    out->packed_left = packed;
    out->kind = deflated ? STREAM_DEFLATE : STREAM_PLAIN;
    return deflated ? open_zip(out, -15) : PUAD_OK;
}

puad_status stream_open_member(stream *out, const char *path, const packed_member *member)
{
    *out = (stream){.checked = true, .expected = member->checksum};
    puad_status status =
        open_member(out, path, member->name, member->place, member->packed, member->deflated);
    if (status != PUAD_OK) stream_close(out);
    return status;
}

puad_status stream_read_plain(stream *source, unsigned char *out, size_t size, size_t *out_count)
{
    size_t first = size < source->buffered ? size : source->buffered;
    memcpy(out, source->next, first);
    source->next += first;
    source->buffered -= first;
    size_t want = size - first, got = 0;
    if (want > source->packed_left) want = (size_t)source->packed_left;
    TRY(read_file(source, out + first, want, &got));
    *out_count = first + got;
    source->ended = source->packed_left == 0 && source->buffered == 0;
    return PUAD_OK;
}

puad_status stream_read_live(stream *source, void *out, size_t size, size_t *out_count)
{
    size_t count = size < source->buffered ? size : source->buffered;
    if (count) {
        memcpy(out, source->next, count);
        source->next += count;
        source->buffered -= count;
    } else if (source->packed_left) {
        TRY(read_pipe(source, out, size, &count));
    }
    source->offset += count;
    *out_count = count;
    return PUAD_OK;
}

/* After a gzip member: another member, the end, or the zero padding of tape archives. */
static puad_status next_gzip_member(stream *source)
{
    for (;;) {
        if (source->buffered == 0) TRY(stream_fill(source));
        if (source->buffered == 0) {
            source->ended = true;
            return PUAD_OK;
        }
        if (*source->next == 0x1f) break;
        if (*source->next != 0)
            FAIL(PUAD_FORMAT, "%s: after %llu decompressed bytes: bytes that are not gzip follow",
                 source->name, (unsigned long long)source->offset);
        source->next++;
        source->buffered--;
    }
    inflateReset(&source->zip);
    return PUAD_OK;
}

static puad_status read_packed(stream *source, unsigned char *out, size_t size, size_t *out_count)
{
    z_stream *zip = &source->zip;
    size_t done = 0;
    while (done < size && !source->ended) {
        if (source->buffered == 0) TRY(stream_fill(source));
        bool no_input = source->buffered == 0;
        zip->next_in = source->next;
        zip->avail_in = (uInt)source->buffered;
        uInt capacity = size - done < PIECE ? (uInt)(size - done) : PIECE;
        zip->next_out = out + done;
        zip->avail_out = capacity;
        int result = inflate(zip, Z_NO_FLUSH);
        done += capacity - zip->avail_out;
        source->buffered = zip->avail_in;
        source->next = (unsigned char *)zip->next_in;
        unsigned long long place = source->offset + done;
        if (result == Z_STREAM_END && source->kind == STREAM_GZIP)
            TRY(next_gzip_member(source));
        else if (result == Z_STREAM_END)
            source->ended = true;
        else if (result == Z_MEM_ERROR)
            FAIL(PUAD_MEMORY, "%s: no memory for decompression", source->name);
        else if (result != Z_OK && result != Z_BUF_ERROR)
            FAIL(PUAD_FORMAT, "%s: after %llu decompressed bytes: damaged (%s)", source->name, place,
                 zip->msg ? zip->msg : "not deflate data");
        else if (no_input && zip->avail_out > 0)
            FAIL(PUAD_FORMAT, "%s: truncated after %llu decompressed bytes", source->name, place);
    }
    *out_count = done;
    return PUAD_OK;
}

puad_status stream_read_some(stream *source, void *out, size_t size, size_t *out_count)
{
    *out_count = 0;
    if (size == 0) return PUAD_OK;
    TRY((source->kind == STREAM_MADE    ? source->made.read
         : source->kind == STREAM_PLAIN ? stream_read_plain
                                        : read_packed)(source, out, size, out_count));
    for (size_t done = 0; source->checked && done < *out_count;) {
        size_t piece = *out_count - done < PIECE ? *out_count - done : PIECE;
        source->sum = (uint32_t)crc32(source->sum, (unsigned char *)out + done, (uInt)piece);
        done += piece;
    }
    source->offset += *out_count;
    return PUAD_OK;
}

puad_status stream_read(stream *source, void *out, size_t size)
{
    size_t count = 0;
    TRY(stream_read_some(source, out, size, &count));
    if (count < size)
        FAIL(PUAD_FORMAT, "%s: truncated at offset %llu: %zu more bytes expected", source->name,
             (unsigned long long)source->offset, size - count);
    return PUAD_OK;
}

puad_status stream_expect_end(stream *source)
{
    unsigned char more;
    size_t count = 0;
    unsigned long long end = source->offset;
    uint32_t sum = source->sum;
    /* a read past the end makes zlib check gzip's checksum */
    TRY(stream_read_some(source, &more, 1, &count));
    if (count)
        FAIL(PUAD_FORMAT, "%s: at offset %llu: more bytes than the header announces", source->name, end);
    if (source->checked && sum != source->expected)
        FAIL(PUAD_FORMAT, "%s: damaged: checksum %08x, expected %08x", source->name, (unsigned)sum,
             (unsigned)source->expected);
    return PUAD_OK;
}

uint64_t stream_bound(const stream *source)
{
    if (source->packed_left == UINT64_MAX) return UINT64_MAX;
    uint64_t packed = source->packed_left + source->buffered;
    if (source->kind == STREAM_PLAIN) return packed;
    uint64_t ratio = source->kind == STREAM_MADE ? source->made.ratio : DEFLATE_RATIO;
    if (ratio == 0 || packed > UINT64_MAX / ratio - 1024) return UINT64_MAX;
    return (packed + 1024) * ratio;
}

void stream_close(stream *owner)
{
    if (owner->made.end) owner->made.end(owner);
    if (owner->zip_open) inflateEnd(&owner->zip);
    if (owner->file && owner->file != stdin) fclose(owner->file);
    free(owner->buffer);
    free(owner->name);
    *owner = (stream){0};
}

stream_place stream_line(const stream *source, uint64_t line)
{
    return stream_reads_joined(source) ? stream_join_line(source, line) : (stream_place){source->name, line};
}
