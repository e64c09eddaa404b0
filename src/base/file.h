/* Files: reading whole inputs within a limit, and outputs that appear whole or not at all. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Reads all of a regular file (or of standard input for "-"); at most `limit` bytes. One NUL byte follows the
 * contents. The caller frees *out_bytes. */
puad_status file_read(unsigned char **out_bytes, size_t *out_size, const char *path, size_t limit);

/* The size of a regular file; an error for a folder or a missing file. */
puad_status file_size(uint64_t *out_size, const char *path);

bool file_exists(const char *path); /* anything, a folder too */
bool file_is_folder(const char *path);
bool file_is_pipe(const char *path); /* standard input ("-"), a FIFO and the like: what is read is gone */

/* Two names of one file, by device and inode, so that links count. False for folders, devices and what is not
 * there. */
bool file_is_same(const char *a, const char *b);

/* An output that appears under its name only when it is complete: the bytes go to a neighbour with a name of
 * its own, which is synced and renamed by file_commit. file_abandon removes it; both are safe on {0}. */
typedef struct file_output {
    FILE *stream; /* write here */
    bool hasty;   /* not synced: whole after the end of the process, perhaps not after that of the machine */
    char *path, *temporary;
} file_output;

puad_status file_create(file_output *out, const char *path);
puad_status file_commit(file_output *out);
void file_abandon(file_output *out);
/* Removes the neighbours of outputs that are not committed:
 * for a handler of a signal that ends the program. */
void file_remove_unfinished(void);
#define AUTO_OUTPUT __attribute__((cleanup(file_abandon)))

/* file_create + write + file_commit. */
puad_status file_write(const char *path, const void *bytes, size_t size);

/* A file for reading and writing in TMPDIR, else in /tmp. It has no name: gone with the program, however that
 * ends. */
puad_status file_temporary(FILE **out);

/* "folder/name" on the heap; the caller frees it. NULL when memory ran out. */
char *file_join(const char *folder, const char *name);

/* Creates the folder that a file is to lie in; the folders above it must exist. */
puad_status file_make_folder_of(const char *path);

#endif
