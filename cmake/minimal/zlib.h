/* The part of zlib's interface that libpuad uses, without zlib, for -DPUAD_FORMATS=minimal: checksums are computed by
 * formats_minimal.c, and nothing can be decompressed. */
#ifndef PUAD_MINIMAL_ZLIB_H
#define PUAD_MINIMAL_ZLIB_H

#include <stddef.h>

typedef unsigned char Bytef;
typedef unsigned int uInt;
typedef unsigned long uLong;

typedef struct z_stream {
    Bytef *next_in, *next_out;
    uInt avail_in, avail_out;
    const char *msg;
} z_stream;

enum { Z_OK = 0, Z_STREAM_END = 1, Z_MEM_ERROR = -4, Z_BUF_ERROR = -5, Z_VERSION_ERROR = -6, Z_NO_FLUSH = 0 };

uLong crc32_z(uLong crc, const Bytef *bytes, size_t size);

static inline uLong crc32(uLong crc, const Bytef *bytes, uInt size)
{
    return crc32_z(crc, bytes, size);
}

static inline int inflateInit2(z_stream *zip, int window)
{
    (void)zip;
    (void)window;
    return Z_VERSION_ERROR;
}

static inline int inflate(z_stream *zip, int flush)
{
    (void)zip;
    (void)flush;
    return Z_VERSION_ERROR;
}

static inline int inflateReset(z_stream *zip)
{
    (void)zip;
    return Z_OK;
}

static inline int inflateEnd(z_stream *zip)
{
    (void)zip;
    return Z_OK;
}

#endif
