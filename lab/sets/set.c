/* The table of sets, finding their files, and converting rows from pixels to floats. */
#include "lab/sets/set.h"

#include "base/file.h"
#include "image/image.h"
#include "lab/sets/file_set.h"
#include "lab/sets/set_readers.h"

#include <stdlib.h>
#include <string.h>

#define NO_GROUP NULL, 0
#define GROUP(name, classes) name, classes
#define SET(name, reader, classes, normals, group, unseen, title, class_names)                               \
    {#name, &set_reader_##reader, classes, normals, group, unseen, title, class_names},
static const set_row rows_of_sets[] = {
#include "lab/sets/sets.def"
};
#undef SET
enum { SET_COUNT = sizeof rows_of_sets / sizeof *rows_of_sets };

const set_row *sets_all(size_t *out_count)
{
    *out_count = SET_COUNT;
    return rows_of_sets;
}

puad_status set_find(const set_row **out, const char *name)
{
    for (size_t i = 0; i < SET_COUNT; i++)
        if (strcmp(rows_of_sets[i].name, name) == 0) {
            *out = &rows_of_sets[i];
            return PUAD_OK;
        }
    const file_set *file = file_set_find(name);
    if (file) {
        *out = &file->about;
        return PUAD_OK;
    }
    if (set_is_of_file(name))
        FAIL(PUAD_INVALID, "the file of '%s' is not open; --dataset-file names it", name);
    FAIL(PUAD_INVALID, "no dataset is named '%s'; 'puad list datasets' shows the names", name);
}

void set_class_name(char *out, size_t capacity, const set_row *about, int class)
{
    const char *at = about->class_names;
    for (int i = 0; i < class; i++) at += strcspn(at, "|") + (at[strcspn(at, "|")] == '|');
    snprintf(out, capacity, "%.*s", (int)strcspn(at, "|"), at);
}

puad_status sets_folder(char **out, const char *given)
{
    const char *home = getenv("HOME"), *shared = getenv("XDG_DATA_HOME");
    if (!given || !*given) given = getenv("PUAD_DATA");
    if (given && *given)
        *out = strdup(given);
    else if (shared && *shared)
        *out = file_join(shared, "puad");
    else
        *out = file_join(home && *home ? home : ".", ".local/share/puad");
    if (!*out) FAIL(PUAD_MEMORY, "no memory for the name of the data folder");
    return PUAD_OK;
}

puad_status set_find_file(char **out_path, const set_row *about, const char *folder, const char *names)
{
    for (const char *at = names; *at;) {
        char name[256];
        size_t length = strcspn(at, "|");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        char *path = file_join(folder, name);
        if (!path) FAIL(PUAD_MEMORY, "no memory for a file name");
        if (file_exists(path)) {
            *out_path = path;
            return PUAD_OK;
        }
        free(path);
        at += length + (at[length] == '|');
    }
    FAIL(PUAD_IO, "%s: dataset %s is missing (looked for %s)", folder, about->name, names);
}

bool set_is_present(char **out_path, const set_row *about, const char *folder)
{
    char *path = NULL;
    bool found = about->reader->generated || about->reader->locate(&path, about, folder) == PUAD_OK;
    if (found && !path) path = strdup("");
    if (found && out_path)
        *out_path = path;
    else
        free(path);
    return found;
}

puad_status set_read(raw_set *out, const set_row *about, const char *folder, uint64_t seed)
{
    *out = (raw_set){.about = about, .seed = seed};
    puad_status status = about->reader->read(out, about, folder);
    if (status != PUAD_OK) raw_set_free(out);
    return status;
}

void raw_set_free(raw_set *owner)
{
    for (int part = 0; part < PART_COUNT; part++) {
        free(owner->parts[part].classes);
        free(owner->parts[part].pixels);
    }
    *owner = (raw_set){0};
}

size_t raw_set_row_size(const raw_set *set)
{
    return (size_t)set->height * (size_t)set->width * (size_t)set->channels;
}

void raw_set_row(void *out, const raw_set *set, set_part part, size_t row)
{
    size_t size = raw_set_row_size(set);
    if (set->draw)
        set->draw(set, out, part, row);
    else
        memcpy(out, set->parts[part].pixels + row * size, size);
}

puad_status raw_set_shape(raw_set *set, size_t height, size_t width, size_t channels, const char *path)
{
    if (height < 1 || width < 1 || height > 1024 || width > 1024 || (channels != 1 && channels != 3))
        FAIL(PUAD_FORMAT, "%s: images of %zu x %zu x %zu, expected at most 1024 x 1024 x 3", path, height,
             width, channels);
    if (set->height &&
        (set->height != (int)height || set->width != (int)width || set->channels != (int)channels))
        FAIL(PUAD_FORMAT, "%s: images of %zu x %zu x %zu, but those of the training part have %d x %d x %d",
             path, height, width, channels, set->height, set->width, set->channels);
    set->image = true;
    set->height = (int)height;
    set->width = (int)width;
    set->channels = (int)channels;
    return PUAD_OK;
}

static puad_status fill_classes(raw_set *set, raw_part *part, const array *labels, const char *path)
{
    size_t kinds = labels->dimensions == 2 ? labels->shape[1] : 1;
    if (labels->dimensions < 1 || labels->dimensions > 2 || labels->shape[0] != part->rows || kinds == 0)
        FAIL(PUAD_FORMAT, "%s: %zu labels for %zu images", path, labels->dimensions ? labels->shape[0] : 0,
             part->rows);
    TRY(memory_new(&part->classes, part->rows, sizeof(int32_t), path));
    for (size_t row = 0; row < part->rows; row++) {
        double label = 0;
        for (size_t k = 0; k < kinds; k++) { /* several yes-or-no labels: whether there is any */
            double value = array_get(labels, row * kinds + k);
            label = kinds == 1 ? value : label != 0 || value != 0;
        }
        if (!(label >= 0 && label < set->about->class_count) || label != (double)(int32_t)label)
            FAIL(PUAD_FORMAT, "%s: label %g of row %zu, expected 0 to %d", path, label, row,
                 set->about->class_count - 1);
        part->classes[row] = (int32_t)label;
    }
    return PUAD_OK;
}

puad_status raw_part_fill(raw_set *set, set_part which, array *pixels, const array *labels, const char *path)
{
    raw_part *part = &set->parts[which];
    int dimensions = pixels->dimensions;
    if (pixels->type != ARRAY_U8 || dimensions < 3 || dimensions > 4)
        FAIL(PUAD_FORMAT, "%s: images as %d-dimensional %s, expected 3- or 4-dimensional uint8", path,
             dimensions, array_type_name(pixels->type));
    TRY(raw_set_shape(set, pixels->shape[1], pixels->shape[2], dimensions == 4 ? pixels->shape[3] : 1, path));
    part->rows = pixels->shape[0];
    if (part->rows > INT32_MAX) FAIL(PUAD_FORMAT, "%s: %zu images", path, part->rows);
    TRY(fill_classes(set, part, labels, path));
    if (pixels->fortran) {
        TRY(memory_new(&part->pixels, pixels->count, 1, path));
        for (size_t i = 0; i < pixels->count; i++) part->pixels[i] = (uint8_t)array_get(pixels, i);
    } else {
        part->pixels = pixels->owned;
        pixels->bytes = pixels->owned = NULL;
    }
    return PUAD_OK;
}

static void close_plan(resize **plan)
{
    resize_free(*plan);
}

static puad_status fill_images(dataset *out, const raw_set *set, set_part part)
{
    __attribute__((cleanup(close_plan))) resize *plan = NULL;
    AUTO_FREE uint8_t *pixels = NULL;
    TRY(memory_new(&pixels, raw_set_row_size(set), 1, set->about->name));
    TRY(resize_new(&plan, set->height, set->width, set->channels, out->height, out->width));
    for (size_t i = 0; i < out->rows; i++) {
        raw_set_row(pixels, set, part, (size_t)out->classes[i]);
        resize_run(plan, out->values + i * out->columns, pixels);
    }
    return PUAD_OK;
}

static puad_status name_classes(dataset *out, const set_row *about)
{
    out->class_count = (size_t)about->class_count;
    TRY(arena_new(&out->memory, &out->class_names, out->class_count, sizeof(char *)));
    for (int class = 0; class < about->class_count; class ++) {
        char name[128];
        set_class_name(name, sizeof name, about, class);
        out->class_names[class] = arena_text(&out->memory, name);
        if (!out->class_names[class]) FAIL(PUAD_MEMORY, "no memory for the names of classes");
    }
    return PUAD_OK;
}

static puad_status fill_rows(dataset *out, const raw_set *set, set_part part, const uint32_t *rows)
{
    static const char *const axes[] = {"x", "y"};
    TRY(name_classes(out, set->about));
    TRY(arena_new(&out->memory, &out->values, out->rows, out->columns * sizeof(float)));
    TRY(arena_new(&out->memory, &out->classes, out->rows, sizeof(int32_t)));
    for (size_t i = 0; i < out->rows; i++)
        out->classes[i] = (int32_t)(rows ? rows[i] : i); /* row numbers for now */
    if (set->image) {
        TRY(fill_images(out, set, part));
    } else {
        for (size_t i = 0; i < out->rows; i++)
            raw_set_row(out->values + i * out->columns, set, part, (size_t)out->classes[i]);
        TRY(arena_new(&out->memory, &out->column_names, out->columns, sizeof(char *)));
        for (size_t i = 0; i < out->columns && i < 2; i++) out->column_names[i] = axes[i];
    }
    for (size_t i = 0; i < out->rows; i++) out->classes[i] = set->parts[part].classes[out->classes[i]];
    return PUAD_OK;
}

puad_status raw_set_rows(dataset *out, const raw_set *set, set_part part, const uint32_t *rows, size_t count,
                         int side)
{
    int height = set->image ? side : 1, width = set->image ? side : 1;
    *out = (dataset){.rows = count,
                     .height = height,
                     .width = width,
                     .channels = set->channels,
                     .columns = (size_t)height * (size_t)width * (size_t)set->channels,
                     .image = set->image,
                     .name = set->about->name};
    puad_status status = fill_rows(out, set, part, rows);
    if (status != PUAD_OK) dataset_free(out);
    return status;
}
