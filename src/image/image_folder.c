/* Lists folders of images: flat, or one subfolder per class. */
#include "base/file.h"
#include "dataset/dataset.h"
#include "image/image.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Names of one folder, sorted, each on the heap. */
typedef struct names {
    char **items;
    size_t count, capacity;
    size_t others; /* images of unsupported formats, only counted */
} names;

static void names_free(names *owner)
{
    for (size_t i = 0; i < owner->count; i++) free(owner->items[i]);
    free(owner->items);
    *owner = (names){0};
}
#define AUTO_NAMES __attribute__((cleanup(names_free)))

static puad_status names_add(names *to, const char *name)
{
    if (to->count == to->capacity) {
        size_t capacity = to->capacity ? 2 * to->capacity : 64;
        TRY(memory_grow(&to->items, capacity, sizeof *to->items, "file names"));
        to->capacity = capacity;
    }
    char *copy = strdup(name);
    if (!copy) FAIL(PUAD_MEMORY, "no memory for file names");
    to->items[to->count++] = copy;
    return PUAD_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *const readable[] = {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", NULL};
static const char *const unreadable[] = {".webp", ".gif", ".pgm",  ".ppm",  ".pnm", ".tga",
                                         ".jp2",  ".jxl", ".avif", ".heic", NULL};

static bool has_ending(const char *name, const char *const *endings)
{
    const char *dot = strrchr(name, '.');
    while (dot && *endings && strcasecmp(dot, *endings) != 0) endings++;
    return dot && *endings;
}

static void close_folder(DIR **folder)
{
    if (*folder) closedir(*folder);
}

/* The images and the subfolders of a folder; `folders` may be NULL. */
static puad_status list_folder(names *pictures, names *folders, const char *path)
{
    __attribute__((cleanup(close_folder))) DIR *folder = opendir(path);
    if (!folder) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
    for (;;) {
        errno = 0; /* NULL means the end or a failure; only errno distinguishes them */
        struct dirent *entry = readdir(folder);
        if (!entry && errno) FAIL(PUAD_IO, "%s: cannot be read to its end: %s", path, strerror(errno));
        if (!entry) break;
        if (entry->d_name[0] == '.') continue;
        AUTO_FREE char *full = file_join(path, entry->d_name);
        if (!full) FAIL(PUAD_MEMORY, "no memory for file names");
        if (file_is_folder(full)) {
            if (folders) TRY(names_add(folders, entry->d_name));
        } else if (has_ending(entry->d_name, readable)) {
            if (file_is_pipe(full)) FAIL(PUAD_FORMAT, "%s: is a pipe or a device, expected an image", full);
            TRY(names_add(pictures, entry->d_name));
        } else if (has_ending(entry->d_name, unreadable)) {
            pictures->others++;
        }
    }
    if (pictures->count) qsort(pictures->items, pictures->count, sizeof *pictures->items, by_bytes);
    if (folders && folders->count) qsort(folders->items, folders->count, sizeof *folders->items, by_bytes);
    return PUAD_OK;
}

/* Appends the images of one class, as "class/name", to `all`; a folder without images is not a class. */
static puad_status list_class(names *all, names *classes, const char *path, const char *class_name)
{
    AUTO_NAMES names pictures = {0};
    AUTO_FREE char *folder = file_join(path, class_name);
    if (!folder) FAIL(PUAD_MEMORY, "no memory for file names");
    TRY(list_folder(&pictures, NULL, folder));
    for (size_t i = 0; i < pictures.count; i++) {
        AUTO_FREE char *name = file_join(class_name, pictures.items[i]);
        if (!name) FAIL(PUAD_MEMORY, "no memory for file names");
        TRY(names_add(all, name));
    }
    all->others += pictures.others;
    return pictures.count ? names_add(classes, class_name) : PUAD_OK;
}

static puad_status keep_names(const char ***out, arena *memory, const names *source)
{
    TRY(arena_new(memory, out, source->count, sizeof(char *)));
    size_t bytes = 0;
    for (size_t i = 0; i < source->count; i++) bytes += strlen(source->items[i]) + 1;
    char *text = NULL;
    TRY(arena_new(memory, &text, bytes, 1));
    for (size_t i = 0; i < source->count; i++) {
        size_t size = strlen(source->items[i]) + 1;
        (*out)[i] = memcpy(text, source->items[i], size);
        text += size;
    }
    return PUAD_OK;
}

/* An image's class is the folder in its name; both lists have the same order. */
static puad_status number_classes(image_names *out)
{
    TRY(arena_new(&out->memory, &out->classes, out->count, sizeof(int32_t)));
    int32_t class = 0;
    for (size_t i = 0; i < out->count; i++) {
        size_t length = (size_t)(strchr(out->names[i], '/') - out->names[i]);
        while (strlen(out->class_names[class]) != length ||
               memcmp(out->class_names[class], out->names[i], length) != 0)
            class ++;
        out->classes[i] = class;
    }
    return PUAD_OK;
}

static puad_status list_all(image_names *out, const char *path)
{
    AUTO_NAMES names pictures = {0}, folders = {0}, classes = {0};
    TRY(list_folder(&pictures, &folders, path));
    size_t flat = pictures.count;
    for (size_t i = 0; i < folders.count; i++) TRY(list_class(&pictures, &classes, path, folders.items[i]));
    if (flat && classes.count)
        FAIL(PUAD_FORMAT,
             "%s: contains images and, in %s, more images; expected either one folder per class or none",
             path, classes.items[0]);
    if (pictures.count == 0 && pictures.others)
        FAIL(PUAD_FORMAT, "%s: no PNG, JPEG, TIFF or BMP image, but %zu in other formats; convert them", path,
             pictures.others);
    if (pictures.count == 0)
        FAIL(PUAD_FORMAT, "%s: no image in this folder or its subfolders (.png, .jpg, .tif, .bmp)", path);
    out->passed_over = pictures.others;
    out->count = pictures.count;
    TRY(keep_names(&out->names, &out->memory, &pictures));
    if (flat) return PUAD_OK;
    out->class_count = classes.count;
    TRY(keep_names(&out->class_names, &out->memory, &classes));
    return number_classes(out);
}

puad_status image_list(image_names *out, const char *folder)
{
    *out = (image_names){0};
    puad_status status = list_all(out, folder);
    if (status != PUAD_OK) image_names_free(out);
    return status;
}

puad_status image_names_tell(notes *out, const image_names *list, const char *folder)
{
    if (!list->passed_over) return PUAD_OK;
    return notes_add(
        out, "%s: %zu images in other formats (such as .webp or .gif) are skipped; convert them to PNG",
        folder, list->passed_over);
}

void image_names_free(image_names *owner)
{
    arena_free(&owner->memory);
    *owner = (image_names){0};
}
