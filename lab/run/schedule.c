/* Units of work, shared by both schedules. */
#include "lab/run/schedule.h"

#include <stdlib.h>
#include <string.h>

typedef struct member {
    char *key; /* of the pretraining, NULL for an experiment without; on the heap */
    size_t cell;
} member;

/* Sorts experiments with equal pretrainings together, in their order. */
static int by_pretraining(const void *a, const void *b)
{
    const member *one = a, *other = b;
    int order =
        !one->key || !other->key ? (one->key != NULL) - (other->key != NULL) : strcmp(one->key, other->key);
    return order ? order : (one->cell > other->cell) - (one->cell < other->cell);
}

static int by_cost(const void *a, const void *b)
{
    const schedule_unit *one = a, *other = b;
    if (one->cost != other->cost) return one->cost < other->cost ? 1 : -1;
    return (one->cells[0] > other->cells[0]) - (one->cells[0] < other->cells[0]);
}

static void free_members(member *members, size_t count)
{
    for (size_t i = 0; members && i < count; i++) free(members[i].key);
    free(members);
}

static puad_status list_members(member *out, const lab_cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i].cell = i;
        if (cells[i].pretrain_epochs > 0) TRY(lab_pretraining_key(&out[i].key, &cells[i]));
    }
    qsort(out, count, sizeof *out, by_pretraining);
    return PUAD_OK;
}

/* The cost of a pretraining is counted once, for the experiments still to be run. */
static void fill_units(schedule_unit *units, size_t *out_count, size_t *order, const member *members,
                       const cell_cost *costs, size_t count)
{
    size_t made = 0;
    double pretraining = 0;
    for (size_t i = 0; i < count; i++) {
        bool joins =
            i > 0 && members[i].key && members[i - 1].key && strcmp(members[i].key, members[i - 1].key) == 0;
        if (!joins) {
            units[made++] = (schedule_unit){.cells = &order[i]};
            pretraining = 0;
        }
        const cell_cost *cost = &costs[members[i].cell];
        schedule_unit *unit = &units[made - 1];
        order[i] = members[i].cell;
        unit->count++;
        unit->cost += cost->own;
        if (cost->pretraining > pretraining) {
            unit->cost += cost->pretraining - pretraining;
            pretraining = cost->pretraining;
        }
    }
    *out_count = made;
}

puad_status schedule_units(schedule_unit **out, size_t *out_count, arena *memory, const lab_cell *cells,
                           const cell_cost *costs, size_t count)
{
    member *members = NULL;
    size_t *order;
    TRY(arena_new(memory, out, count, sizeof **out));
    TRY(arena_new(memory, &order, count, sizeof *order));
    TRY(memory_new(&members, count, sizeof *members, "the plan of a run"));
    puad_status status = list_members(members, cells, count);
    if (status == PUAD_OK) fill_units(*out, out_count, order, members, costs, count);
    free_members(members, count);
    TRY(status);
    qsort(*out, *out_count, sizeof **out, by_cost);
    return PUAD_OK;
}

puad_status schedule_seconds(double *out, const schedule_unit *units, size_t count, int ranks)
{
    AUTO_FREE double *until = NULL;
    TRY(memory_new(&until, (size_t)ranks, sizeof *until, "the ranks"));
    *out = 0;
    for (size_t i = 0; i < count; i++) {
        int first = 0;
        for (int r = 1; r < ranks; r++)
            if (until[r] < until[first]) first = r;
        until[first] += units[i].cost;
        if (until[first] > *out) *out = until[first];
    }
    return PUAD_OK;
}

puad_status schedule_shares(double **out, double *out_all, arena *memory, const lab_cell *cells,
                            const cell_cost *costs, size_t count)
{
    schedule_unit *units;
    size_t unit_count;
    double *shares;
    TRY(arena_new(memory, &shares, count, sizeof *shares));
    TRY(schedule_units(&units, &unit_count, memory, cells, costs, count));
    *out_all = 0;
    for (size_t u = 0; u < unit_count; u++) {
        double pretraining = units[u].cost;
        size_t left = 0;
        for (size_t i = 0; i < units[u].count; i++) {
            pretraining -= costs[units[u].cells[i]].own;
            left += costs[units[u].cells[i]].own > 0;
        }
        for (size_t i = 0; i < units[u].count; i++) {
            double own = costs[units[u].cells[i]].own;
            shares[units[u].cells[i]] = own > 0 ? own + pretraining / (double)left : 0;
        }
        *out_all += units[u].cost;
    }
    *out = shares;
    return PUAD_OK;
}
