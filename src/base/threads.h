/* A fixed team of worker threads for loops whose items do not depend on each other.
 *
 * Items are handed out by a counter, so the order in which they run is open; code that sums must give each
 * sum to one item (or sum per item and combine in item order), and then the bits do not depend on the number
 * of threads. Workers and, for the time of a loop, the caller flush denormals to zero. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/status.h"

#include <puad/options.h>
#include <stddef.h>

typedef struct team team;

/* `count` threads including the caller's; 0 means one per processor this process may use. */
puad_status team_new(team **out, int count);
void team_free(team *workers); /* NULL is fine */
void team_cleanup(team **owner);
#define AUTO_TEAM __attribute__((cleanup(team_cleanup))) /* freed when its scope ends */
int team_size(const team *workers);

/* Calls work(context, item, thread) for item in [0, items); thread is in [0, team_size). Returns when all are
 * done. One loop at a time per team. A NULL team runs the loop in the caller. In a forked child, which has
 * none of the threads, the first loop starts new ones. */
typedef void team_work(void *context, size_t item, int thread);
void team_run(team *workers, size_t items, team_work *work, void *context);

/* Long calls that can be stopped: between these two, in the calling thread, team_run_until_stopped checks
 * `stop` before each item; NULL for never. stop_begin returns the token that was set before. */
const puad_stop *stop_begin(const puad_stop *stop);
void stop_end(const puad_stop *before);

/* PUAD_CANCELLED once the caller has asked to stop. */
puad_status stop_check(void);

/* team_run whose items may be left out: PUAD_CANCELLED when the caller asks to stop, and then what the items
 * make is not whole. */
puad_status team_run_until_stopped(team *workers, size_t items, team_work *work, void *context);

/* Denormals are flushed to zero between these two, in the calling thread. */
unsigned flush_to_zero_begin(void);
void flush_to_zero_end(unsigned saved);

/* Processors this process may use: those it may run on, at most its control group's quota. */
int threads_available(void);

/* The quota of a control group (version 2), rounded up: the smallest cpu.max of `path` and the groups above
 * it below the mount point `root`. 0 if there is none. */
int threads_quota(const char *root, const char *path);

#endif
