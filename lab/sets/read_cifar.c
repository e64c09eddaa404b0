/* CIFAR-10 and CIFAR-100 in their binary version: records of label bytes and 3 planes of 32x32 pixels, in
 * a folder of .bin files or in the published .tar.gz. The number of records follows from a file's size. */
#include "base/file.h"
#include "lab/sets/set_readers.h"
#include "lab/sets/tar.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, PIXELS = SIDE * SIDE, FILES_MAX = 6 };

typedef struct layout {
    int label_bytes;
    const char *places; /* possible paths of the files or the archive, as for set_find_file */
    struct {
        const char *name;
        set_part part;
    } files[FILES_MAX];
    int file_count;
} layout;

static const layout layout10 = {
    .label_bytes = 1,
    .places =
        "cifar10/cifar-10-batches-bin/test_batch.bin|cifar10/test_batch.bin|cifar10/cifar-10-binary.tar.gz|"
        "cifar10/cifar-10-binary.tar",
    .files = {{"data_batch_1.bin", PART_TRAIN},
              {"data_batch_2.bin", PART_TRAIN},
              {"data_batch_3.bin", PART_TRAIN},
              {"data_batch_4.bin", PART_TRAIN},
              {"data_batch_5.bin", PART_TRAIN},
              {"test_batch.bin", PART_TEST}},
    .file_count = 6,
};

static const layout layout100 = {
    .label_bytes = 2, /* the coarse label comes first; it is the class here */
    .places =
        "cifar100/cifar-100-binary/test.bin|cifar100/test.bin|cifar100/cifar-100-binary.tar.gz|cifar100/"
        "cifar-100-binary.tar",
    .files = {{"train.bin", PART_TRAIN}, {"test.bin", PART_TEST}},
    .file_count = 2,
};

/* The bytes of each file of the layout. */
typedef struct files {
    unsigned char *bytes[FILES_MAX];
    size_t size[FILES_MAX];
} files;

static void files_free(files *owner)
{
    for (int i = 0; i < FILES_MAX; i++) free(owner->bytes[i]);
}

static puad_status read_folder(files *out, const layout *kind, const char *folder)
{
    for (int i = 0; i < kind->file_count; i++) {
        AUTO_FREE char *path = file_join(folder, kind->files[i].name);
        if (!path) FAIL(PUAD_MEMORY, "no memory for a file name");
        TRY(file_read(&out->bytes[i], &out->size[i], path, SET_BYTES_MAX));
    }
    return PUAD_OK;
}

static puad_status read_archive(files *out, const layout *kind, const char *path)
{
    AUTO_TAR tar archive = {0};
    TRY(tar_open(&archive, path));
    for (bool found = true; found;) {
        TRY(tar_next(&archive, &found));
        for (int i = 0; found && i < kind->file_count; i++) {
            if (strcmp(archive.name, kind->files[i].name) != 0 || out->bytes[i]) continue;
            if (archive.size > stream_bound(&archive.source) || archive.size > SET_BYTES_MAX)
                FAIL(PUAD_FORMAT, "%s: truncated: member %s should have %llu bytes", path, archive.name,
                     (unsigned long long)archive.size);
            TRY(memory_new(&out->bytes[i], (size_t)archive.size, 1, path));
            TRY(tar_read(&archive, out->bytes[i], (size_t)archive.size));
            out->size[i] = (size_t)archive.size;
            break;
        }
    }
    for (int i = 0; i < kind->file_count; i++)
        if (!out->bytes[i]) FAIL(PUAD_FORMAT, "%s: contains no member %s", path, kind->files[i].name);
    return PUAD_OK;
}

static puad_status unpack_records(raw_part *part, const layout *kind, const files *source, int index,
                                  int classes, const char *place)
{
    size_t record = (size_t)kind->label_bytes + 3 * PIXELS;
    const unsigned char *bytes = source->bytes[index];
    for (size_t i = 0; i < source->size[index] / record; i++, bytes += record) {
        uint8_t *pixels = part->pixels + part->rows * 3 * PIXELS;
        const unsigned char *planes = bytes + kind->label_bytes;
        if (bytes[0] >= classes)
            FAIL(PUAD_FORMAT, "%s: %s: at offset %zu: label %d, expected 0 to %d", place,
                 kind->files[index].name, i * record, bytes[0], classes - 1);
        part->classes[part->rows++] = bytes[0];
        for (int p = 0; p < PIXELS; p++)
            for (int c = 0; c < 3; c++) pixels[3 * p + c] = planes[c * PIXELS + p];
    }
    return PUAD_OK;
}

static puad_status fill_part(raw_set *out, set_part which, const layout *kind, const files *source,
                             const char *place)
{
    size_t record = (size_t)kind->label_bytes + 3 * PIXELS, rows = 0;
    raw_part *part = &out->parts[which];
    for (int i = 0; i < kind->file_count; i++) {
        if (kind->files[i].part != which) continue;
        if (source->size[i] == 0 || source->size[i] % record != 0)
            FAIL(PUAD_FORMAT,
                 "%s: %s: truncated at offset %zu: not an integer number of records of %zu bytes", place,
                 kind->files[i].name, source->size[i], record);
        rows += source->size[i] / record;
    }
    TRY(memory_new(&part->classes, rows, sizeof(int32_t), place));
    TRY(memory_new(&part->pixels, rows, 3 * PIXELS, place));
    for (int i = 0; i < kind->file_count; i++)
        if (kind->files[i].part == which)
            TRY(unpack_records(part, kind, source, i, out->about->class_count, place));
    return PUAD_OK;
}

static puad_status locate(char **out_path, const set_row *about, const char *folder, const layout *kind)
{
    char *path = NULL;
    TRY(set_find_file(&path, about, folder, kind->places));
    char *slash = strrchr(path, '/');
    if (strcmp(slash + 1, kind->files[kind->file_count - 1].name) == 0)
        *slash = 0; /* the folder of this file */
    *out_path = path;
    return PUAD_OK;
}

static puad_status read_place(raw_set *out, const char *place, const layout *kind)
{
    __attribute__((cleanup(files_free))) files source = {0};
    TRY(file_is_folder(place) ? read_folder(&source, kind, place) : read_archive(&source, kind, place));
    TRY(raw_set_shape(out, SIDE, SIDE, 3, place));
    TRY(fill_part(out, PART_TRAIN, kind, &source, place));
    return fill_part(out, PART_TEST, kind, &source, place);
}

#define CIFAR(number)                                                                                        \
    static puad_status locate##number(char **out_path, const set_row *about, const char *folder)             \
    {                                                                                                        \
        return locate(out_path, about, folder, &layout##number);                                             \
    }                                                                                                        \
    puad_status cifar##number##_read(raw_set *out, const char *place)                                        \
    {                                                                                                        \
        return read_place(out, place, &layout##number);                                                      \
    }                                                                                                        \
    static puad_status read##number(raw_set *out, const set_row *about, const char *folder)                  \
    {                                                                                                        \
        AUTO_FREE char *place = NULL;                                                                        \
        TRY(locate##number(&place, about, folder));                                                          \
        return cifar##number##_read(out, place);                                                             \
    }                                                                                                        \
    const set_reader set_reader_cifar##number = {.locate = locate##number, .read = read##number};
CIFAR(10)
CIFAR(100)
