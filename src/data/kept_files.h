/* Files that are read more than once and opened once: for answers that are compared with the rows they are
 * about, and for rows that an earlier model knows. What comes through a pipe is copied to a temporary file
 * without a name. */
#ifndef DATA_KEPT_FILES_H
#define DATA_KEPT_FILES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

enum { KEPT_FILES_MOST = 4 };

typedef struct kept_files {
    struct {
        char *path;
        int handle;
    } list[KEPT_FILES_MOST];
    size_t count;
} kept_files;

/* The file from its beginning, opened at the first time. One reader at a time: all share one place. The
 * caller closes *out. */
puad_status kept_open(FILE **out, kept_files *kept, const char *path);

/* Whether a file can be read only once: a pipe that is not kept (`kept` is NULL). */
bool read_once(const kept_files *kept, const char *path);

void kept_files_free(kept_files *owner); /* {0} is fine */

#endif
