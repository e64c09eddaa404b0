/* NPZ: a zip archive of NPY files. Reads the central directory, because members that were written to a
 * pipe have no sizes in front; supports 64-bit sizes, stored and deflated members, and verifies every
 * checksum. */
#include "array/array_fill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    END_SIZE = 22,
    COMMENT_MAX = 65535,
    LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30
};
enum { DIRECTORY_MAX = 64 << 20, ENCRYPTED = 1 };

typedef struct archive {
    const char *path;
    FILE *file;
    uint64_t size;
    unsigned char *directory; /* owned; the central directory's bytes */
    size_t directory_size;
    uint64_t directory_place;
} archive;

typedef struct member {
    const char *name; /* not NUL-terminated */
    size_t name_length;
    unsigned flags, method;
    uint32_t checksum;
    uint64_t packed, unpacked, place;
} member;

static uint64_t number(const unsigned char *bytes, int size)
{
    uint64_t value = 0;
    while (size-- > 0) value = value << 8 | bytes[size];
    return value;
}

static void archive_close(archive *owner)
{
    if (owner->file) fclose(owner->file);
    free(owner->directory);
    *owner = (archive){0};
}
#define AUTO_ARCHIVE __attribute__((cleanup(archive_close)))

static puad_status read_at(archive *source, void *out, uint64_t place, size_t size, const char *what)
{
    if (place > source->size || size > source->size - place)
        FAIL(PUAD_FORMAT, "%s: truncated or damaged: %s at offset %llu is past the end of the file",
             source->path, what, (unsigned long long)place);
    if (fseeko(source->file, (off_t)place, SEEK_SET) != 0 || fread(out, 1, size, source->file) != size)
        FAIL(PUAD_IO, "%s: at offset %llu: cannot read %s", source->path, (unsigned long long)place, what);
    return PUAD_OK;
}

/* The end record of the archive; only a comment may follow it. */
static puad_status find_end(unsigned char out[END_SIZE], uint64_t *out_place, archive *source)
{
    size_t span = source->size < END_SIZE + COMMENT_MAX ? (size_t)source->size : END_SIZE + COMMENT_MAX;
    AUTO_FREE unsigned char *tail = NULL;
    TRY(memory_new(&tail, span, 1, source->path));
    TRY(read_at(source, tail, source->size - span, span, "the end of the archive"));
    for (size_t i = span < END_SIZE ? 0 : span - END_SIZE + 1; i-- > 0;)
        if (memcmp(tail + i, "PK\5\6", 4) == 0 && i + END_SIZE + number(tail + i + 20, 2) <= span) {
            memcpy(out, tail + i, END_SIZE);
            *out_place = source->size - span + i;
            return PUAD_OK;
        }
    FAIL(PUAD_FORMAT, "%s: no zip directory at the end (offset %llu): truncated, or not a zip archive",
         source->path, (unsigned long long)source->size);
}

static puad_status read_directory(archive *source)
{
    unsigned char end[END_SIZE], locator[LOCATOR_SIZE], end64[END64_SIZE];
    uint64_t place = 0;
    TRY(find_end(end, &place, source));
    uint64_t size = number(end + 12, 4), start = number(end + 16, 4);
    bool large = size == UINT32_MAX || start == UINT32_MAX || number(end + 10, 2) == UINT16_MAX;
    if (large && place >= LOCATOR_SIZE) {
        TRY(read_at(source, locator, place - LOCATOR_SIZE, LOCATOR_SIZE, "the 64-bit locator"));
        if (memcmp(locator, "PK\6\7", 4) == 0) {
            place = number(locator + 8, 8);
            TRY(read_at(source, end64, place, END64_SIZE, "the 64-bit directory's end"));
            if (memcmp(end64, "PK\6\6", 4) != 0)
                FAIL(PUAD_FORMAT, "%s: at offset %llu: no 64-bit directory's end there", source->path,
                     (unsigned long long)place);
            size = number(end64 + 40, 8);
            start = number(end64 + 48, 8);
        }
    }
    if (start > place || size > place - start)
        FAIL(PUAD_FORMAT, "%s: at offset %llu: the directory extends past its end", source->path,
             (unsigned long long)place);
    if (size > DIRECTORY_MAX)
        FAIL(PUAD_FORMAT, "%s: a directory of %llu bytes", source->path, (unsigned long long)size);
    TRY(memory_new(&source->directory, (size_t)size, 1, source->path));
    TRY(read_at(source, source->directory, start, (size_t)size, "the directory"));
    source->directory_size = (size_t)size;
    source->directory_place = start;
    return PUAD_OK;
}

static puad_status archive_open(archive *out, const char *path)
{
    struct stat info;
    out->path = path;
    out->file = fopen(path, "rbe");
    if (!out->file || fstat(fileno(out->file), &info) != 0) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) FAIL(PUAD_IO, "%s: is a folder, expected a file", path);
    if (!S_ISREG(info.st_mode)) FAIL(PUAD_IO, "%s: an archive cannot be read from a pipe", path);
    out->size = (uint64_t)info.st_size;
    return read_directory(out);
}

/* Sizes that do not fit in 32 bits are in an extra field, in this order. */
static void read_large_sizes(member *out, const unsigned char *extra, size_t size)
{
    while (size >= 4) {
        size_t kind = number(extra, 2), length = number(extra + 2, 2);
        if (length > size - 4) return;
        const unsigned char *field = extra + 4, *end = field + length;
        uint64_t *const wanted[] = {&out->unpacked, &out->packed, &out->place};
        for (int i = 0; kind == 1 && i < 3; i++)
            if (*wanted[i] == UINT32_MAX && end - field >= 8) {
                *wanted[i] = number(field, 8);
                field += 8;
            }
        extra = end;
        size -= 4 + length;
    }
}

/* The entry at *offset of the directory; advances *offset. */
static puad_status next_member(member *out, const archive *source, size_t *offset)
{
    const unsigned char *entry = source->directory + *offset;
    size_t left = source->directory_size - *offset;
    unsigned long long place = source->directory_place + *offset;
    if (left < ENTRY_SIZE || memcmp(entry, "PK\1\2", 4) != 0)
        FAIL(PUAD_FORMAT, "%s: at offset %llu: no entry of the directory there", source->path, place);
    size_t name = number(entry + 28, 2), extra = number(entry + 30, 2), comment = number(entry + 32, 2);
    if (left - ENTRY_SIZE < name + extra + comment)
        FAIL(PUAD_FORMAT, "%s: at offset %llu: an entry longer than the directory", source->path, place);
    *out = (member){.name = (const char *)entry + ENTRY_SIZE,
                    .name_length = name,
                    .flags = (unsigned)number(entry + 8, 2),
                    .method = (unsigned)number(entry + 10, 2),
                    .checksum = (uint32_t)number(entry + 16, 4),
                    .packed = number(entry + 20, 4),
                    .unpacked = number(entry + 24, 4),
                    .place = number(entry + 42, 4)};
    read_large_sizes(out, entry + ENTRY_SIZE + name, extra);
    *offset += ENTRY_SIZE + name + extra + comment;
    return PUAD_OK;
}

/* The length of the array's name in a member's name "x.npy", 0 for other members. */
static size_t array_name_length(const member *which)
{
    size_t length = which->name_length;
    return length > 4 && memcmp(which->name + length - 4, ".npy", 4) == 0 ? length - 4 : 0;
}

static puad_status open_member(stream *out, archive *source, const member *which, const char *name)
{
    unsigned char local[LOCAL_SIZE];
    if (which->flags & ENCRYPTED)
        FAIL(PUAD_FORMAT, "%s, member %s: is encrypted, which is not supported", source->path, name);
    if (which->method != 0 && which->method != 8)
        FAIL(PUAD_FORMAT, "%s, member %s: compressed by method %u, expected stored (0) or deflated (8)",
             source->path, name, which->method);
    TRY(read_at(source, local, which->place, LOCAL_SIZE, "a member's header"));
    if (memcmp(local, "PK\3\4", 4) != 0)
        FAIL(PUAD_FORMAT, "%s: at offset %llu: no header of member %s there", source->path,
             (unsigned long long)which->place, name);
    uint64_t place = which->place + LOCAL_SIZE + number(local + 26, 2) + number(local + 28, 2);
    packed_member packed = {name, place, which->packed, which->method == 8, which->checksum};
    return stream_open_member(out, source->path, &packed);
}

puad_status stream_open_zip(stream *out, bool *out_found, const char *path, const char *name)
{
    AUTO_ARCHIVE archive source = {0};
    *out_found = false;
    TRY(archive_open(&source, path));
    for (size_t offset = 0; offset < source.directory_size && !*out_found;) {
        member which;
        TRY(next_member(&which, &source, &offset));
        *out_found = which.name_length == strlen(name) && memcmp(which.name, name, which.name_length) == 0;
        if (*out_found) TRY(open_member(out, &source, &which, name));
    }
    return PUAD_OK;
}

/* "a, b and c more", for the message about a missing member */
static void list_names(char *out, size_t capacity, const archive *source)
{
    size_t used = 0;
    member which;
    out[0] = 0;
    for (size_t offset = 0;
         offset < source->directory_size && next_member(&which, source, &offset) == PUAD_OK;) {
        int length = (int)array_name_length(&which);
        if (length && used + (size_t)length + 8 < capacity)
            used +=
                (size_t)snprintf(out + used, capacity - used, "%s%.*s", used ? ", " : "", length, which.name);
    }
}

static puad_status read_member(array *out, const char *path, const char *name, size_t limit, bool texts)
{
    AUTO_ARCHIVE archive self = {0};
    AUTO_STREAM stream source = {0};
    TRY(archive_open(&self, path));
    for (size_t offset = 0; offset < self.directory_size;) {
        member which;
        TRY(next_member(&which, &self, &offset));
        size_t length = array_name_length(&which);
        if (length == 0 || length != strlen(name) || memcmp(which.name, name, length) != 0) continue;
        TRY(open_member(&source, &self, &which, name));
        return npy_parse(out, &source, limit, texts);
    }
    char names[300];
    list_names(names, sizeof names, &self);
    FAIL(PUAD_FORMAT, "%s: contains no array named %s (it contains: %s)", path, name,
         names[0] ? names : "none");
}

puad_status npz_read(array *out, const char *path, const char *name, size_t limit)
{
    return read_member(out, path, name, limit, false);
}

puad_status npz_read_labels(array *out, const char *path, const char *name, size_t limit)
{
    return read_member(out, path, name, limit, true);
}

puad_status npz_members(char ***out_names, size_t *out_count, const char *path)
{
    AUTO_ARCHIVE archive source = {0};
    size_t count = 0, bytes = 0;
    member which;
    TRY(archive_open(&source, path));
    for (size_t offset = 0; offset < source.directory_size;) {
        TRY(next_member(&which, &source, &offset));
        count += array_name_length(&which) > 0;
        bytes += sizeof(char *) + which.name_length + 1;
    }
    char **names = NULL;
    TRY(memory_new(&names, bytes + sizeof(char *), 1, path));
    char *text = (char *)(names + count);
    count = 0;
    for (size_t offset = 0; offset < source.directory_size;) {
        if (next_member(&which, &source, &offset) != PUAD_OK) break; /* cannot fail: this was read above */
        size_t length = array_name_length(&which);
        if (length == 0) continue;
        names[count++] = memcpy(text, which.name, length);
        text += length + 1;
    }
    *out_names = names;
    *out_count = count;
    return PUAD_OK;
}
