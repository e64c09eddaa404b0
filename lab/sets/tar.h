/* The members of a tape archive (ustar, GNU, pax; gzipped or not) in order. */
#ifndef LAB_SETS_TAR_H
#define LAB_SETS_TAR_H

#include "io/stream.h"

typedef struct tar {
    stream source;
    char name[256]; /* of the current member, without folders */
    uint64_t size;  /* of the current member */
    uint64_t left;  /* bytes of it, including padding, still to be read */
} tar;

puad_status tar_open(tar *out, const char *path);

/* Advances to the next regular file; *out_found is false at the end of the archive. tar_read then reads
 * its bytes. */
puad_status tar_next(tar *archive, bool *out_found);
puad_status tar_read(tar *archive, void *out, size_t size);

void tar_close(tar *owner); /* {0} is fine */
#define AUTO_TAR __attribute__((cleanup(tar_close)))

#endif
