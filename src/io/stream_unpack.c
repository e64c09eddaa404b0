/* Zstandard and xz decompression, limited to a window of 128 MB whatever the file requests. */
#include "io/stream_makers.h"

#include "base/memory.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { WINDOW_LOG = 27 };
static const uint64_t XZ_MEMORY = (uint64_t)192 << 20;

static puad_status cut_off(const stream *source, size_t done)
{
    FAIL(PUAD_FORMAT, "%s: truncated after %llu decompressed bytes", source->name,
         (unsigned long long)(source->offset + done));
}

static puad_status read_zstd(stream *source, unsigned char *out, size_t size, size_t *out_count)
{
    ZSTD_outBuffer to = {out, size, 0};
    while (to.pos < size && !source->ended) {
        if (source->buffered == 0) TRY(stream_fill(source));
        bool no_input = source->buffered == 0;
        ZSTD_inBuffer input = {source->next, source->buffered, 0};
        size_t before = to.pos, left = ZSTD_decompressStream(source->made.state, &to, &input);
        if (ZSTD_isError(left))
            FAIL(PUAD_FORMAT, "%s: after %llu decompressed bytes: damaged (%s)", source->name,
                 (unsigned long long)(source->offset + to.pos), ZSTD_getErrorName(left));
        source->next += input.pos;
        source->buffered -= input.pos;
        if (left == 0 && source->buffered == 0) { /* the frame has ended; another one may follow */
            TRY(stream_fill(source));
            source->ended = source->buffered == 0;
        } else if (no_input && to.pos == before) {
            return cut_off(source, to.pos);
        }
    }
    *out_count = to.pos;
    return PUAD_OK;
}

static void end_zstd(stream *source)
{
    ZSTD_freeDStream(source->made.state);
}

static puad_status open_zstd(stream *out)
{
    ZSTD_DStream *state = ZSTD_createDStream();
    if (!state) FAIL(PUAD_MEMORY, "%s: no memory for decompression", out->name);
    out->kind = STREAM_MADE;
    out->made = (stream_maker){read_zstd, end_zstd, state, 32768}; /* a block of 128 KB from four bytes */
    ZSTD_DCtx_setParameter(state, ZSTD_d_windowLogMax, WINDOW_LOG);
    return PUAD_OK;
}

static puad_status xz_failed(const stream *source, lzma_ret result, size_t done)
{
    unsigned long long place = source->offset + done;
    if (result == LZMA_MEM_ERROR) FAIL(PUAD_MEMORY, "%s: no memory for decompression", source->name);
    if (result == LZMA_MEMLIMIT_ERROR)
        FAIL(PUAD_FORMAT, "%s: needs more than 192 MB to be decompressed; unpack it with xz first",
             source->name);
    FAIL(PUAD_FORMAT, "%s: after %llu decompressed bytes: damaged (not xz data)", source->name, place);
}

static puad_status read_xz(stream *source, unsigned char *out, size_t size, size_t *out_count)
{
    lzma_stream *xz = source->made.state;
    size_t done = 0;
    while (done < size && !source->ended) {
        if (source->buffered == 0) TRY(stream_fill(source));
        bool no_input = source->buffered == 0;
        xz->next_in = source->next;
        xz->avail_in = source->buffered;
        xz->next_out = out + done;
        xz->avail_out = size - done;
        lzma_ret result = lzma_code(xz, no_input ? LZMA_FINISH : LZMA_RUN);
        source->next += source->buffered - xz->avail_in;
        source->buffered = xz->avail_in;
        done = size - xz->avail_out;
        if (result == LZMA_STREAM_END)
            source->ended = true;
        else if (result == LZMA_BUF_ERROR || (result == LZMA_OK && no_input && xz->avail_out))
            return cut_off(source, done);
        else if (result != LZMA_OK)
            return xz_failed(source, result, done);
    }
    *out_count = done;
    return PUAD_OK;
}

static void end_xz(stream *source)
{
    lzma_end(source->made.state);
    free(source->made.state);
}

static puad_status open_xz(stream *out)
{
    lzma_stream *xz = NULL, empty = LZMA_STREAM_INIT;
    TRY(memory_new(&xz, 1, sizeof *xz, out->name));
    *xz = empty;
    out->kind = STREAM_MADE;
    out->made = (stream_maker){read_xz, end_xz, xz, 349526}; /* a chunk of 2 MB from six bytes */
    if (lzma_stream_decoder(xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
        FAIL(PUAD_MEMORY, "%s: no memory for decompression", out->name);
    return PUAD_OK;
}

puad_status stream_unpack(stream *out)
{
    if (out->buffered >= 4 && memcmp(out->next, "\x28\xb5\x2f\xfd", 4) == 0) return open_zstd(out);
    if (out->buffered >= 6 && memcmp(out->next,
                                     "\xfd"
                                     "7zXZ\0",
                                     6) == 0)
        return open_xz(out);
    return PUAD_OK;
}
