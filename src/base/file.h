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
/* standard input ("-"), a FIFO and the like, which can be read only once */
bool file_is_pipe(const char *path);

/* Bytes of input files that this process has read so far, in all threads: for progress and time left. */
uint64_t file_bytes_read(void);
void file_count_read(size_t bytes); /* called by readers of inputs */

/* Whether two paths name one file, by device and inode, so links count. False for folders, devices and
 * missing files. */
bool file_is_same(const char *a, const char *b);

/* An output that appears under its name only when it is complete. Bytes go to a temporary file in the same
 * folder; file_commit syncs and renames it, file_abandon removes it. Both are safe on {0}. */
typedef struct file_output {
    FILE *stream; /* write here */
    bool hasty;   /* do not sync: the file may be lost if the machine, not the process, fails */
    char *path, *temporary;
    int place; /* of the temporary name in the list for signals; 0: none */
} file_output;

puad_status file_create(file_output *out, const char *path);
puad_status file_commit(file_output *out);
void file_abandon(file_output *out);
/* Removes the temporary files of outputs that are not committed. Safe in a signal handler that ends the
 * program. */
void file_remove_unfinished(void);
#define AUTO_OUTPUT __attribute__((cleanup(file_abandon)))

/* file_create + write + file_commit. */
puad_status file_write(const char *path, const void *bytes, size_t size);

/* An unnamed file for reading and writing in TMPDIR, else in /tmp. It disappears when it is closed or the
 * program ends. */
puad_status file_temporary(FILE **out);

/* "folder/name" on the heap; the caller frees it. NULL when memory ran out. */
char *file_join(const char *folder, const char *name);

/* Creates the folder of a file path; its parent folders must exist. */
puad_status file_make_folder_of(const char *path);

#endif
