/* The ledger: every cell that was run, in one SQLite file that survives kill -9 and serves several runs at a
 * time.
 *
 * A run claims a cell before it works on it, so that no other does the same. A claim is good as long as its
 * owner lives: each open ledger that claims holds a lock on one byte of LEDGER-owners, which the system drops
 * when the process ends, however it ends. The result is written and the claim removed in one transaction. The
 * file must lie on a disk of this machine (SQLite's write-ahead log needs shared memory); other machines are
 * joined by export and import, or by MPI, where one process writes. */
#ifndef LAB_LEDGER_LEDGER_H
#define LAB_LEDGER_LEDGER_H

#include "lab/run/experiment.h"

typedef struct ledger ledger;

typedef enum ledger_mode {
    LEDGER_READ,   /* nothing is written, so a ledger on a read-only disk will do */
    LEDGER_WRITE,  /* one that exists */
    LEDGER_CREATE, /* made if it is not there */
} ledger_mode;

/* A file that is something else is refused. A handle is used by one thread at a time. */
puad_status ledger_open(ledger **out, const char *path, ledger_mode mode);
void ledger_close(ledger *owner); /* NULL is fine; drops its claims */
#define AUTO_LEDGER __attribute__((cleanup(ledger_cleanup)))
void ledger_cleanup(ledger **owner);

typedef enum ledger_state {
    LEDGER_MINE, /* claimed: run it, then ledger_finish or ledger_release */
    LEDGER_DONE, /* its result is there */
    LEDGER_BUSY, /* somebody who is alive works on it */
} ledger_state;

/* With `again` a result that is there does not count; it stays until the new one replaces it. */
puad_status ledger_claim(ledger_state *out, ledger *in, const lab_cell *cell, bool again);

/* Writes the result of a cell that this handle has claimed; fails when it has not. */
puad_status ledger_finish(ledger *in, const lab_cell *cell, const lab_result *result);

/* Gives a claim back without a result. */
puad_status ledger_release(ledger *in, const lab_cell *cell);

/* The result of a cell, if it is there. Texts go into `memory`. */
puad_status ledger_find(bool *out_found, lab_result *out, ledger *in, const lab_cell *cell, arena *memory);

/* All records in the order of their keys, in `memory`; histories (long texts) only on request. */
puad_status ledger_read(lab_record **out, size_t *out_count, ledger *in, arena *memory, bool histories);

/* How many cells are done, and how many are claimed by somebody alive. */
puad_status ledger_count(size_t *out_done, size_t *out_running, ledger *in);

/* As CSV: a header of all options and results, one line per cell in the order of the keys, the same bytes for
 * the same contents. */
puad_status ledger_export(ledger *in, const char *path);

typedef struct ledger_merge {
    size_t added, same, differing; /* same: a curve of epochs is taken where the ledger has none; differing:
                                      there already with other figures, kept unless `replace` */
} ledger_merge;

/* Takes in an exported file, all of it or nothing. */
puad_status ledger_import(ledger_merge *out, ledger *in, const char *path, bool replace);

#endif
