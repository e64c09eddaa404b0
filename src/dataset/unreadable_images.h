/* The warning about image files that cannot be decoded. */
#ifndef DATASET_UNREADABLE_IMAGES_H
#define DATASET_UNREADABLE_IMAGES_H

#include "dataset/dataset.h"
#include "options/warnings.h"

/* Adds the counts of `more`, whose files come after those of `total`. */
void unreadable_images_add(unreadable_images *total, const unreadable_images *more);

/* If there are any, calls the warning callback and adds the warning to `list`. Either may be NULL. */
puad_status unreadable_images_warn(const unreadable_images *unreadable, const puad_options *options,
                                   warning_list *list);

#endif
