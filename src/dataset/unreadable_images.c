/* Counts image files that cannot be decoded, and warns about them. */
#include "dataset/unreadable_images.h"

#include "base/plain_text.h"

#include <stdio.h>

void unreadable_images_add(unreadable_images *total, const unreadable_images *more)
{
    if (!total->count) snprintf(total->first, sizeof total->first, "%s", more->first);
    total->count += more->count;
}

puad_status unreadable_images_warn(const unreadable_images *unreadable, const puad_options *options,
                                   warning_list *list)
{
    char text[2 * UNREADABLE_MESSAGE_CAPACITY], plain[sizeof text];
    if (!unreadable || !unreadable->count) return PUAD_OK;
    snprintf(text, sizeof text, "images left out because they cannot be decoded: %zu; the first: %s",
             unreadable->count, unreadable->first);
    text_plain(plain, sizeof plain, text, false); /* file names may hold any byte */
    puad_warning warning = {"unreadable_images", NULL, plain};
    options_warn(options, &warning);
    return list ? warnings_add(list, &warning) : PUAD_OK;
}
