/* The ranks that share a fit (puad_ranks of <puad/options.h>), as the library uses them: alone, nothing is
 * exchanged and every part is the whole. A failed exchange is kept, and none is tried after it, so that a
 * pass over a network need not ask. */
#ifndef NN_RANKS_H
#define NN_RANKS_H

#include "base/status.h"

#include <puad/options.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct rank_group {
    const puad_ranks *by; /* borrowed; NULL for a process alone */
    puad_status status;   /* of the first exchange that failed */
} rank_group;

rank_group ranks_of(const puad_ranks *by); /* NULL is fine */

static inline bool ranks_several(const rank_group *all)
{
    return all && all->by;
}

static inline bool ranks_is_first(const rank_group *all)
{
    return !ranks_several(all) || all->by->rank == 0;
}

/* This rank's part of `count` items: so many, from *out_first on. No rank has more than
 * ranks_part_most(count). */
size_t ranks_part(const rank_group *all, size_t *out_first, size_t count);
size_t ranks_part_most(const rank_group *all, size_t count);

/* Sums over a batch are made of four parts of its rows, (0 + 1) + (2 + 3), of which each rank has so many:
 * one, two and four ranks add the same numbers in the same order and have the same bits. */
enum { RANKS_PARTS_MOST = 4 };
size_t ranks_parts(const rank_group *all);
static inline size_t ranks_part_begin(size_t rows, size_t part, size_t parts)
{
    return rows * part / parts; /* halves of halves are the quarters of the whole */
}
double ranks_join(const double *of_parts, size_t parts);

/* Sums over all ranks, and bytes of rank 0 for all. */
void ranks_sum(rank_group *all, float *values, size_t count);
void ranks_sum_doubles(rank_group *all, double *values, size_t count);
void ranks_broadcast(rank_group *all, void *bytes, size_t size);

/* Each rank has filled its part of `values`; all get all of them, as they are. */
void ranks_gather(rank_group *all, float *values, size_t count);

#endif
