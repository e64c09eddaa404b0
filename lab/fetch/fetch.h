/* Downloads or copies public datasets to temporary files, verifies them, and then moves them into place.
 *
 * Partial downloads are kept in FILE.part, and the next call continues them. */
#ifndef LAB_FETCH_FETCH_H
#define LAB_FETCH_FETCH_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fetch_digest_of { FETCH_DIGEST_FILE, FETCH_DIGEST_CONTENT } fetch_digest_of;

enum { FETCH_PLACES_MAX = 4 };

typedef struct fetch_source {
    const char *dataset, *file;
    fetch_digest_of digest_of;
    const char *md5;                      /* NULL if none is known for certain */
    const char *places[FETCH_PLACES_MAX]; /* prefixes of the file name; NULL after the last */
} fetch_source;

/* All rows of sources.def; rows of one dataset are adjacent. */
const fetch_source *fetch_sources(size_t *out_count);

typedef enum fetch_state {
    FETCH_PRESENT, /* already present and correct */
    FETCH_STARTED, /* from `place`; `done` bytes are left from an earlier call */
    FETCH_RUNNING, /* `done` of `total` bytes (0 if unknown) */
    /* this place failed, `message` has the reason; another one is tried or fetch_dataset fails */
    FETCH_TROUBLE,
    FETCH_INSTALLED, /* verified and in place */
} fetch_state;

typedef struct fetch_report {
    fetch_state state;
    const fetch_source *source;
    const char *place;   /* full address or path */
    const char *path;    /* destination of the file */
    const char *message; /* of FETCH_TROUBLE */
    const char *md5;     /* for FETCH_PRESENT and FETCH_INSTALLED: the digest found */
    uint64_t done, total;
} fetch_report;

typedef struct fetch_options {
    const char *folder; /* the data folder */
    const char *source; /* an address or a folder that replaces the table's, "npm", or NULL */
    bool trust;         /* accept files whose published digest is unknown */
    bool again;         /* replace incorrect files */
    void (*report)(void *context, const fetch_report *now); /* may be NULL */
    void *context;
} fetch_options;

/* The same for given rows, all of one dataset. */
puad_status fetch_files(const fetch_source *rows, size_t count, const fetch_options *options);

/* All files of one dataset. PUAD_INVALID if no source is known for the name. */
puad_status fetch_dataset(const char *name, const fetch_options *options);

#endif
