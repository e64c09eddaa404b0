/* MNIST and sets in the same format: four IDX files, plain or gzipped. */
#include "lab/sets/set_readers.h"

#include <stdio.h>

static const char *const stems[PART_COUNT] = {"train", "t10k"};

static puad_status find(char **out_path, const set_row *about, const char *folder, set_part part,
                        const char *what)
{
    char names[300];
    snprintf(names, sizeof names, "%s/%s-%s-ubyte|%s/%s-%s-ubyte.gz", about->name, stems[part], what,
             about->name, stems[part], what);
    return set_find_file(out_path, about, folder, names);
}

static puad_status locate(char **out_path, const set_row *about, const char *folder)
{
    for (set_part part = 0; part < PART_COUNT; part++) {
        AUTO_FREE char *images = NULL, *labels = NULL;
        TRY(find(&images, about, folder, part, "images-idx3"));
        TRY(find(&labels, about, folder, part, "labels-idx1"));
    }
    return set_find_file(out_path, about, folder, about->name);
}

static puad_status read_part(raw_set *out, const set_row *about, const char *folder, set_part part)
{
    AUTO_FREE char *images = NULL, *labels = NULL;
    AUTO_ARRAY array pixels = {0}, classes = {0};
    TRY(find(&images, about, folder, part, "images-idx3"));
    TRY(find(&labels, about, folder, part, "labels-idx1"));
    TRY(idx_read(&pixels, images, SET_BYTES_MAX));
    TRY(idx_read(&classes, labels, SET_BYTES_MAX));
    if (pixels.dimensions != 3) FAIL(PUAD_FORMAT, "%s: %d dimensions, expected 3", images, pixels.dimensions);
    if (classes.dimensions != 1)
        FAIL(PUAD_FORMAT, "%s: %d dimensions, expected 1", labels, classes.dimensions);
    return raw_part_fill(out, part, &pixels, &classes, images);
}

static puad_status read_all(raw_set *out, const set_row *about, const char *folder)
{
    TRY(read_part(out, about, folder, PART_TRAIN));
    return read_part(out, about, folder, PART_TEST);
}

const set_reader set_reader_mnist = {.locate = locate, .read = read_all};
