/* Exchanges between the ranks of a fit. */
#include "nn/ranks.h"

#include <string.h>

rank_group ranks_of(const puad_ranks *ranks)
{
    return (rank_group){.ranks = ranks && ranks->size > 1 ? ranks : NULL};
}

static size_t part_begin(const rank_group *all, size_t rank, size_t count)
{
    return (size_t)((unsigned __int128)count * rank / (unsigned)all->ranks->size);
}

size_t ranks_part(const rank_group *all, size_t *out_first, size_t count)
{
    *out_first = 0;
    if (!ranks_several(all)) return count;
    size_t rank = (size_t)all->ranks->rank;
    *out_first = part_begin(all, rank, count);
    return part_begin(all, rank + 1, count) - *out_first;
}

size_t ranks_part_most(const rank_group *all, size_t count)
{
    size_t size = ranks_several(all) ? (size_t)all->ranks->size : 1;
    return count / size + (count % size != 0);
}

size_t ranks_parts(const rank_group *all)
{
    size_t size = ranks_several(all) ? (size_t)all->ranks->size : 1;
    return size < RANKS_PARTS_MAX ? RANKS_PARTS_MAX / size : 1;
}

double ranks_join(const double *of_parts, size_t parts)
{
    if (parts == 1) return of_parts[0];
    return ranks_join(of_parts, parts / 2) + ranks_join(of_parts + parts / 2, parts / 2);
}

void ranks_sum(rank_group *all, float *values, size_t count)
{
    if (!ranks_several(all) || all->status != PUAD_OK || count == 0) return;
    all->status = all->ranks->sum_floats(all->ranks->context, values, count);
}

void ranks_sum_doubles(rank_group *all, double *values, size_t count)
{
    if (!ranks_several(all) || all->status != PUAD_OK || count == 0) return;
    all->status = all->ranks->sum_doubles(all->ranks->context, values, count);
}

void ranks_broadcast(rank_group *all, void *bytes, size_t size)
{
    if (!ranks_several(all) || all->status != PUAD_OK || size == 0) return;
    all->status = all->ranks->broadcast(all->ranks->context, bytes, size);
}

/* Sums with zeros, which changes no value. */
void ranks_gather(rank_group *all, float *values, size_t count)
{
    if (!ranks_several(all)) return;
    size_t first, own = ranks_part(all, &first, count);
    memset(values, 0, first * sizeof *values);
    memset(values + first + own, 0, (count - first - own) * sizeof *values);
    ranks_sum(all, values, count);
}
