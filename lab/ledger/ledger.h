/* The ledger: the result of every experiment, in one SQLite file that survives kill -9 and can be used by
 * several runs at a time.
 *
 * A run claims an experiment before it starts, so that no other run does the same. A claim is valid while
 * its owner is alive: each open ledger with claims holds a lock on one byte of LEDGER-owners, which the
 * system releases when the process ends. The result is written and the claim removed in one transaction.
 * The file must be on a local disk (SQLite's write-ahead log needs shared memory); use export and import
 * for other machines, or MPI, where one process writes. */
#ifndef LAB_LEDGER_LEDGER_H
#define LAB_LEDGER_LEDGER_H

#include "lab/run/experiment.h"

typedef struct ledger ledger;

typedef enum ledger_mode {
    LEDGER_READ,   /* writes nothing, so a ledger on a read-only disk works */
    LEDGER_WRITE,  /* must exist */
    LEDGER_CREATE, /* created if it does not exist */
} ledger_mode;

/* Rejects files that are not ledgers. A handle is used by one thread at a time. */
puad_status ledger_open(ledger **out, const char *path, ledger_mode mode);
void ledger_close(ledger *owner); /* NULL is fine; releases its claims */
#define AUTO_LEDGER __attribute__((cleanup(ledger_cleanup)))
void ledger_cleanup(ledger **owner);

typedef enum ledger_state {
    LEDGER_MINE, /* claimed: run it, then call ledger_finish or ledger_release */
    LEDGER_DONE, /* the ledger has its result */
    LEDGER_BUSY, /* another live process is running it */
} ledger_state;

/* With `again` an existing result is ignored; it stays until the new one replaces it. */
puad_status ledger_claim(ledger_state *out, ledger *in, const lab_cell *cell, bool again);

/* Writes the result of an experiment that this handle has claimed; fails otherwise. */
puad_status ledger_finish(ledger *in, const lab_cell *cell, const lab_result *result);

/* Releases a claim without a result. */
puad_status ledger_release(ledger *in, const lab_cell *cell);

/* The result of an experiment, if it exists. Strings go into `memory`. */
puad_status ledger_find(bool *out_found, lab_result *out, ledger *in, const lab_cell *cell, arena *memory);

/* All records in the order of their keys, in `memory`; histories (long strings) only on request. */
puad_status ledger_read(lab_record **out, size_t *out_count, ledger *in, arena *memory, bool histories);

/* The number of experiments done, and of those claimed by a live process. */
puad_status ledger_count(size_t *out_done, size_t *out_running, ledger *in);

/* As CSV: a header of all options and results, one line per experiment in the order of keys; equal
 * contents give equal bytes. */
puad_status ledger_export(ledger *in, const char *path);

typedef struct ledger_merge {
    /* same: a curve of epochs is added if the ledger has none; differing: already present with other
     * results, kept unless `replace` */
    size_t added, same, differing;
} ledger_merge;

/* Imports an exported file completely or not at all. */
puad_status ledger_import(ledger_merge *out, ledger *in, const char *path, bool replace);

#endif
