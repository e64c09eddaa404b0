/* A small reader of tape archives: blocks of 512 bytes; each member is a header and its bytes padded to a
 * block. */
#include "lab/sets/tar.h"

#include <string.h>

enum { BLOCK = 512 };

puad_status tar_open(tar *out, const char *path)
{
    *out = (tar){0};
    return stream_open(&out->source, path);
}

void tar_close(tar *owner)
{
    stream_close(&owner->source);
}

/* Octal digits, or for large numbers the bytes themselves after a set top bit. False for anything else. */
static bool parse_number(uint64_t *out, const unsigned char *field, int length)
{
    uint64_t value = 0;
    if (field[0] & 0x80) {
        for (int i = 1; i < length; i++) {
            if (value >> 54) return false;
            value = value << 8 | field[i];
        }
        *out = value;
        return field[0] == 0x80;
    }
    int i = 0, digits = 0;
    while (i < length && field[i] == ' ') i++;
    for (; i < length && field[i] >= '0' && field[i] <= '7'; i++, digits++)
        value = value << 3 | (field[i] - '0');
    *out = value;
    return digits > 0 && (i == length || field[i] == ' ' || field[i] == 0);
}

static bool checksum_is_right(const unsigned char *header)
{
    uint64_t sum = 0, written;
    for (int i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? ' ' : header[i];
    return parse_number(&written, header + 148, 8) && written == sum;
}

/* After the block of zeros that ends an archive: reads to the end of the file, so that gzip's checksum is
 * verified. */
static puad_status pass_over_rest(tar *archive)
{
    unsigned char waste[4096];
    for (size_t count = 1; count > 0;) TRY(stream_read_some(&archive->source, waste, sizeof waste, &count));
    return PUAD_OK;
}

static puad_status pass_over(tar *archive)
{
    unsigned char waste[4096];
    while (archive->left > 0) {
        size_t size = archive->left < sizeof waste ? (size_t)archive->left : sizeof waste;
        TRY(stream_read(&archive->source, waste, size));
        archive->left -= size;
    }
    return PUAD_OK;
}

puad_status tar_next(tar *archive, bool *out_found)
{
    unsigned char header[BLOCK];
    static const unsigned char zeros[BLOCK];
    *out_found = false;
    for (;;) {
        TRY(pass_over(archive));
        unsigned long long place = archive->source.offset;
        size_t count = 0;
        TRY(stream_read_some(&archive->source, header, BLOCK, &count));
        if (count == 0 && place > 0) return PUAD_OK;
        if (count < BLOCK)
            FAIL(PUAD_FORMAT, "%s: truncated at offset %llu, in a member's header", archive->source.name,
                 place);
        if (memcmp(header, zeros, BLOCK) == 0) return pass_over_rest(archive);
        if (!checksum_is_right(header))
            FAIL(PUAD_FORMAT, "%s: at offset %llu: not a member's header of a tape archive",
                 archive->source.name, place);
        if (!parse_number(&archive->size, header + 124, 12) || archive->size > (uint64_t)1 << 50)
            FAIL(PUAD_FORMAT, "%s: at offset %llu: not a size", archive->source.name, place + 124);
        char kind = (char)header[156];
        bool file = kind == '0' || kind == 0 || kind == '7';
        archive->left = (archive->size + BLOCK - 1) / BLOCK * BLOCK;
        if (!file && kind != 'x' && kind != 'g' && kind != 'L' && kind != 'K')
            archive->left = 0; /* links, folders */
        if (!file) continue;
        char path[101];
        memcpy(path, header, 100);
        path[100] = 0;
        const char *slash = strrchr(path, '/');
        snprintf(archive->name, sizeof archive->name, "%s", slash ? slash + 1 : path);
        *out_found = true;
        return PUAD_OK;
    }
}

puad_status tar_read(tar *archive, void *out, size_t size)
{
    TRY(stream_read(&archive->source, out, size));
    archive->left -= size;
    return PUAD_OK;
}
