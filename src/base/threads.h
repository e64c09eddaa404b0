/* A fixed team of worker threads for loops with independent items.
 *
 * Items are assigned by a counter, so their order is undefined. Compute each sum within one item, or store
 * one value per item and combine the values in item order; then results do not depend on the number of
 * threads. Workers, and the caller during a loop, flush denormals to zero. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/status.h"

#include <puad/options.h>
#include <stddef.h>

typedef struct team team;

/* `asked` threads including the caller's; 0 means one per available processor. */
puad_status team_new(team **out, int asked);
void team_free(team *workers); /* NULL is fine; a team from a pool goes back to it */
void team_cleanup(team **owner);
#define AUTO_TEAM __attribute__((cleanup(team_cleanup))) /* freed when its scope ends */
int team_size(const team *workers);

/* A pool keeps one idle team, so that calls that follow each other share its threads. Calls that run at the
 * same time get a team each. Teams may outlive team_pool_free. */
typedef struct team_pool team_pool;
puad_status team_pool_new(team_pool **out);
void team_pool_free(team_pool *pool);                              /* NULL is fine */
puad_status team_borrow(team **out, team_pool *pool, int threads); /* like team_new if the pool is NULL */

/* Calls work(context, item, thread) for item in [0, items), with thread in [0, team_size). Returns when
 * all are done. One loop at a time per team. With a NULL team the caller runs the loop. In a forked child
 * the first loop starts new threads. */
typedef void team_work(void *context, size_t item, int thread);
void team_run(team *workers, size_t items, team_work *work, void *context);

/* The token that team_check_stop checks; NULL for none. Returns the one before. */
const puad_stop *team_set_stop(team *workers, const puad_stop *stop);

/* PUAD_CANCELLED once a stop has been requested. A NULL team cannot be stopped. */
puad_status team_check_stop(const team *workers);

/* team_run that leaves out items once a stop has been requested: PUAD_CANCELLED, and the results are
 * incomplete. */
puad_status team_run_until_stopped(team *workers, size_t items, team_work *work, void *context);

/* Flushes denormals to zero in the calling thread until flush_to_zero_end. */
unsigned flush_to_zero_begin(void);
void flush_to_zero_end(unsigned saved);

/* Processors available to this process: its affinity mask, limited by its control group's quota. */
int threads_available(void);

/* The quota of a control group (version 2), rounded up: the smallest cpu.max of `path` and its parents
 * below the mount point `root`. 0 if there is none. */
int threads_quota(const char *root, const char *path);

#endif
