/* Files that are read more than once and opened once: for answers that are compared with the rows they are
 * about, and for rows that an earlier model knows. What comes through a pipe is copied to a temporary file
 * without a name. */
#ifndef IO_REOPENABLE_FILES_H
#define IO_REOPENABLE_FILES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

enum { KEPT_FILES_MOST = 4 };

typedef struct kept_files kept_files;
puad_status kept_files_new(kept_files **out);
void kept_files_free(kept_files *owner); /* NULL is fine; after all readers are closed */

/* The file from its beginning; opened the first time. Threads may open and read at the same time: every
 * reader has its own offset. The caller closes *out; *out_handle, for fstat, is borrowed. */
puad_status kept_open(FILE **out, int *out_handle, kept_files *kept, const char *path);

/* Whether a file can be read only once: a pipe that is not kept (`kept` is NULL). */
bool read_once(const kept_files *kept, const char *path);

#endif
