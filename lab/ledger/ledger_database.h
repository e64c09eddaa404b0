/* Internal to the ledger: the SQLite file, and experiments as its rows. */
#ifndef LAB_LEDGER_LEDGER_DATABASE_H
#define LAB_LEDGER_LEDGER_DATABASE_H

#include "lab/ledger/ledger.h"

#include <sqlite3.h>

enum { LEDGER_FIELDS_MAX = 128 };

struct ledger {
    sqlite3 *database;
    char *path;
    long long owner; /* number of this handle among those with claims; 0 before its first claim */
    int owners_file; /* -1 before the first claim */
    bool lacks[LEDGER_FIELDS_MAX]; /* columns newer than a ledger that is only read */
};

/* Opens the file, checks that it is a ledger and, unless it is only read, creates or completes its tables. */
puad_status database_open(ledger *in, ledger_mode mode);

/* The name of a file in the ledger's folder, on the heap. Links are resolved first, as SQLite does. */
puad_status database_beside(char **out, const ledger *in, const char *ending);

/* Fails with SQLite's message. */
puad_status database_fail(ledger *in, const char *doing);

puad_status database_run(ledger *in, const char *statement); /* without parameters or rows */

/* A prepared statement; its first parameter, if `key` is given, is that string. */
puad_status database_prepare(sqlite3_stmt **out, ledger *in, const char *statement, const char *key);
void statement_cleanup(sqlite3_stmt **owner);
#define AUTO_STATEMENT __attribute__((cleanup(statement_cleanup)))

/* One step of a statement: *out_row is true if there is a row. */
puad_status database_step(bool *out_row, ledger *in, sqlite3_stmt *statement);

/* BEGIN IMMEDIATE ... COMMIT; leaving a scope without commit rolls back. */
typedef struct transaction {
    ledger *in; /* NULL if none is open */
} transaction;
puad_status transaction_begin(transaction *out, ledger *in);
puad_status transaction_commit(transaction *owner);
void transaction_undo(transaction *owner);
#define AUTO_TRANSACTION __attribute__((cleanup(transaction_undo)))

/* Complete rows of the table of experiments. */
puad_status row_write(ledger *in, const char *key, const lab_record *record);
puad_status row_select(sqlite3_stmt **out, ledger *in, const char *rest,
                       const char *key); /* rest: "WHERE key=?" ... */
puad_status row_read(lab_record *out, sqlite3_stmt *statement, arena *memory, bool histories);

#endif
