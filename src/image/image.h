/* Images: decoding PNG, JPEG, TIFF and BMP files to 8-bit pixels, reading folders of them as rows, and the
 * resizing used for every image input.
 *
 * Pixels are channels-last with 1 (gray) or 3 (red, green, blue) channels. */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include "base/memory.h"
#include "base/status.h"

enum { IMAGE_SIDE = 32 }; /* height and width of the images that networks take */

typedef struct image {
    int height, width, channels;
    uint8_t *pixels; /* height x width x channels; owned, freed by image_free */
} image;

void image_free(image *owner); /* {0} is fine */
#define AUTO_IMAGE __attribute__((cleanup(image_free)))

/* Decodes a PNG, JPEG, TIFF or BMP file, detected by its first bytes; transparency is dropped. `channels` is 1, 3, or
 * 0 for 1 if the file is gray and 3 otherwise. */
puad_status image_read(image *out, const char *path, int channels);

/* Height, width and natural number of channels from the file's header, without decoding it; pixels stays
 * NULL. */
puad_status image_probe(image *out, const char *path);

/* Bilinear with pixel centers at half, anti-aliased when shrinking. A plan holds the weights for one pair
 * of sizes and a work buffer: use one per thread. */
typedef struct resize resize;
puad_status resize_new(resize **out, int height, int width, int channels, int new_height, int new_width);
void resize_run(resize *plan, float *out, const uint8_t *pixels); /* 0..255 in, [0, 1] out */
void resize_free(resize *owner);                                  /* NULL is fine */

/* Replaces *plan if it is not for these sizes; for files whose sizes may differ. */
puad_status resize_fit(resize **plan, int height, int width, int channels, int new_height, int new_width);

/* The images of a folder, sorted by name: all directly in it, or one subfolder per class. Hidden files and
 * names without .png, .jpg, .jpeg, .tif, .tiff or .bmp are skipped. */
typedef struct image_names {
    arena memory; /* owns everything below */
    size_t count;
    const char **names; /* relative to the folder: "cat/001.png" */
    int32_t *classes;   /* count of class numbers, or NULL for a flat folder */
    size_t class_count;
    const char **class_names; /* the subfolders' names, sorted; class numbers index this array */
    size_t passed_over;       /* images of unsupported formats: .webp, .gif ... */
} image_names;

/* Adds the note about skipped files: "3 pictures of other kinds ... are passed over". */
struct notes;
puad_status image_names_tell(struct notes *out, const image_names *list, const char *folder);

puad_status image_list(image_names *out, const char *folder);
void image_names_free(image_names *owner); /* {0} is fine */
#define AUTO_IMAGE_NAMES __attribute__((cleanup(image_names_free)))

#endif
