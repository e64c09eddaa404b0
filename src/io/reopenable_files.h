/* Keeps files open that are read more than once: to detect the dialect, to read the rows, and to match
 * answers or rows of an earlier model. */
#ifndef IO_REOPENABLE_FILES_H
#define IO_REOPENABLE_FILES_H

#include "base/status.h"

#include <stdbool.h>

enum { KEPT_FILES_MAX = 64 }; /* further files are opened each time */

typedef struct kept_files kept_files;

/* With `pipes`, a pipe is copied to an unnamed temporary file and can be read again. */
puad_status kept_files_new(kept_files **out, bool pipes);
void kept_files_free(kept_files *owner); /* NULL is fine; after all readers are closed */
void kept_files_cleanup(kept_files **owner);
#define AUTO_KEPT_FILES __attribute__((cleanup(kept_files_cleanup)))

/* The borrowed descriptor of a file, opened on the first call. Threads may call this and read at the same
 * time (with pread). *out is -1 if the file cannot be kept: a pipe that is not copied, or too many files. */
puad_status kept_open(int *out, kept_files *kept, const char *path);

/* Whether a file can be read only once: a pipe that is not copied. `kept` may be NULL. */
bool read_once(const kept_files *kept, const char *path);

#endif
