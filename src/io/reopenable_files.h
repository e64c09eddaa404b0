/* Files that are read more than once and opened once: first to detect how they are written, then for their
 * rows, and again for answers and for rows of an earlier model. */
#ifndef IO_REOPENABLE_FILES_H
#define IO_REOPENABLE_FILES_H

#include "base/status.h"

#include <stdbool.h>

enum { KEPT_FILES_MAX = 64 }; /* further files are opened each time they are read */

typedef struct kept_files kept_files;

/* With `pipes`, the bytes of a pipe are copied to a temporary file without a name and can be read again. */
puad_status kept_files_new(kept_files **out, bool pipes);
void kept_files_free(kept_files *owner); /* NULL is fine; after all readers are closed */
void kept_files_cleanup(kept_files **owner);
#define AUTO_KEPT_FILES __attribute__((cleanup(kept_files_cleanup)))

/* The handle of a file, borrowed; opened the first time. Threads may call it and read at the same time, by
 * pread. *out is -1 if the file cannot be kept: a pipe that is not copied, or one file too many. */
puad_status kept_open(int *out, kept_files *kept, const char *path);

/* Whether a file can be read only once: a pipe that is not copied; `kept` may be NULL. */
bool read_once(const kept_files *kept, const char *path);

#endif
