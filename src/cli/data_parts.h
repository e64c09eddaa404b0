/* The parts of `puad data`: named sets, and pictures of what an input holds. */
#ifndef CLI_DATA_PARTS_H
#define CLI_DATA_PARTS_H

#include "cli/command.h"
#include "data/input.h"
#include "sets/set.h"

/* Describes a named set; --preview and --json as for files. */
puad_status data_named(const invocation *call, const set_row *about);

/* A grid of images with a caption each, `columns` in a row. */
puad_status preview_images(const char *path, const char *title, const dataset *images,
                           const char *const *captions, size_t columns);

/* Example images of a dataset by class or label, or a histogram of each of a table's columns. */
puad_status preview_dataset(const char *path, const dataset *rows, const profile *found);

#endif
