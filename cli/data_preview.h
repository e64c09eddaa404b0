/* The parts of `puad data`: named sets, and pictures of what an input holds. */
#ifndef CLI_DATA_PREVIEW_H
#define CLI_DATA_PREVIEW_H

#include "cli/common/command.h"
#include "lab/sets/set.h"

#include <puad/profile.h>

/* Describes a named set; --preview and --json as for files. */
puad_status data_named(const invocation *call, const set_row *about);

/* A grid of images with a caption each, `columns` in a row. */
typedef struct preview_shape {
    int height, width, channels;
} preview_shape;
puad_status preview_images(const char *path, const char *title, const float *images, size_t count,
                           preview_shape shape, const char *const *captions, size_t columns);

/* Example images of an input by class or label, or a histogram of each of a table's columns. Labels that the
 * options do not explain are left out. */
puad_status preview_input(const char *picture, const char *input, const puad_profile *found,
                          const puad_options *options);

#endif
