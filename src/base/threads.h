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

/* `count` threads including the caller's; 0 means one per available processor. */
puad_status team_new(team **out, int count);
void team_free(team *workers); /* NULL is fine */
void team_cleanup(team **owner);
#define AUTO_TEAM __attribute__((cleanup(team_cleanup))) /* freed when its scope ends */
int team_size(const team *workers);

/* Calls work(context, item, thread) for item in [0, items), with thread in [0, team_size). Returns when
 * all are done. One loop at a time per team. With a NULL team the caller runs the loop. In a forked child
 * the first loop starts new threads. */
typedef void team_work(void *context, size_t item, int thread);
void team_run(team *workers, size_t items, team_work *work, void *context);

/* Marks a cancellable section of the calling thread: until stop_end, team_run_until_stopped checks `stop`
 * before each item (NULL: never stop). stop_begin returns the previous token. */
const puad_stop *stop_begin(const puad_stop *stop);
void stop_end(const puad_stop *before);

/* PUAD_CANCELLED if the caller has requested a stop. */
puad_status stop_check(void);

/* Like team_run, but returns PUAD_CANCELLED if a stop is requested; the results are then incomplete. */
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
