/* The ranks that share a fit (puad_ranks of <puad/options.h>). With a single process all operations are
 * no-ops. The first failure is kept and later exchanges are skipped, so that a pass over a network need
 * not check each one. */
#ifndef NN_RANKS_H
#define NN_RANKS_H

#include "base/status.h"

#include <puad/options.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct rank_group {
    const puad_ranks *ranks; /* borrowed; NULL for a single process */
    puad_status status;      /* of the first exchange that failed */
} rank_group;

rank_group ranks_of(const puad_ranks *ranks); /* NULL is fine */

static inline bool ranks_several(const rank_group *all)
{
    return all && all->ranks;
}

static inline bool ranks_is_first(const rank_group *all)
{
    return !ranks_several(all) || all->ranks->rank == 0;
}

/* This rank's part of `count` items: returns its size, sets *out_first. No rank has more than
 * ranks_part_most(count). */
size_t ranks_part(const rank_group *all, size_t *out_first, size_t count);
size_t ranks_part_most(const rank_group *all, size_t count);

/* Sums over a batch are computed in four parts of its rows, (0 + 1) + (2 + 3), which the ranks share. One,
 * two and four ranks therefore add the same numbers in the same order and get the same bits. */
enum { RANKS_PARTS_MAX = 4 };
size_t ranks_parts(const rank_group *all);
static inline size_t ranks_part_begin(size_t rows, size_t part, size_t parts)
{
    return rows * part / parts; /* half of a half is a quarter */
}
double ranks_join(const double *of_parts, size_t parts);

/* ranks_sum adds values over all ranks; ranks_share sends bytes of rank 0 to all. */
void ranks_sum(rank_group *all, float *values, size_t count);
void ranks_sum_doubles(rank_group *all, double *values, size_t count);
void ranks_broadcast(rank_group *all, void *bytes, size_t size);

/* Each rank has filled its part of `values`; afterwards all ranks have all of them, unchanged. */
void ranks_gather(rank_group *all, float *values, size_t count);

#endif
