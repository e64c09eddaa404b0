/* MedMNIST's 2-D sets: one NPZ with images and labels of three parts; the validation part is not used. */
#include "lab/sets/set_readers.h"

#include <stdio.h>

static puad_status locate(char **out_path, const set_row *about, const char *folder)
{
    char names[200];
    snprintf(names, sizeof names, "%s/%s.npz|medmnist/%s.npz", about->name, about->name, about->name);
    return set_find_file(out_path, about, folder, names);
}

static puad_status read_all(raw_set *out, const set_row *about, const char *folder)
{
    static const char *const images[PART_COUNT] = {"train_images", "test_images"};
    static const char *const labels[PART_COUNT] = {"train_labels", "test_labels"};
    AUTO_FREE char *path = NULL;
    TRY(locate(&path, about, folder));
    for (set_part part = 0; part < PART_COUNT; part++) {
        AUTO_ARRAY array pixels = {0}, classes = {0};
        TRY(npz_read(&pixels, path, images[part], SET_BYTES_MAX));
        TRY(npz_read(&classes, path, labels[part], SET_BYTES_MAX));
        TRY(raw_part_fill(out, part, &pixels, &classes, path));
    }
    return PUAD_OK;
}

const set_reader set_reader_medmnist = {.locate = locate, .read = read_all};
